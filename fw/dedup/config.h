// SPDX-License-Identifier: Apache-2.0
//
// Keys of deduplication.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fw/hal/key.h"
#include "fw/hal/named.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

using hal::Ps;

/// Traits of a deduplication system that decide how a drive is laid out.
struct DedupTraits {
    bool any = true;      ///< false: no deduplication
    bool online = false;  ///< duplicates are found when pages are written; otherwise when the host is idle
    bool marks = false;   ///< one bit per unit of flash: not checked yet
    std::uint32_t tables = 1;       ///< number of tables that share table_bytes
    std::uint32_t entry_bytes = 0;  ///< bytes of one table entry
};
struct DedupPlan : hal::Named {
    DedupTraits traits = {};
};

/// What preserves duplicates that were not programmed (online) when power is lost.
enum class DedupProtection : std::uint8_t { none, capacitor, journal };

/// docs/dedup.md.
struct DedupConfig {
    SOLIDTLM_KEYS(DedupConfig);
    DedupPlan system{{"none", "every page on its own"}, {.any = false}};
    SOLIDTLM_KEY_OF("system", &DedupConfig::system, key.dedup_system(),
                    "Logical pages with equal contents share a physical one: found when they are written "
                    "(online) or when the host is idle (dedup.md).");
    SOLIDTLM_KEY_AS(
        "table_size", std::uint64_t, table_bytes, 4ULL << 20, key.size(1, 1024 * hal::kGiB),
        "DRAM for fingerprints or CRC32 values, 48 or 36 bytes each; offline_separated: half for each.");
    SOLIDTLM_KEY_AS("shared_size", std::uint64_t, shared_bytes, 1ULL << 20, key.size(1, 1024 * hal::kGiB),
                    "DRAM for shared pages, 16 bytes each.");
    SOLIDTLM_KEY(
        std::uint32_t, sampling, 1, key.integer(1, 1'024, "pages"),
        "online: of this many pages one is hashed first, the others only if it is known; 1: all are.");
    SOLIDTLM_KEY(DedupProtection, protection, DedupProtection::none,
                 key.enumerator({"none", "capacitor", "journal"}),
                 "online: what keeps the records of duplicates over a power cut.");

    /// DRAM bytes of one shared page: place, references, and the chain and bucket by which its place is
    /// found.
    static constexpr std::uint32_t kSharedPageBytes = 16;
    static constexpr std::uint32_t kMostSharedPages = 0x7FFF'FF00;

    [[nodiscard]] bool any() const { return system.traits.any; }
    /// The most pages that can be shared at a time; 0 without deduplication.
    [[nodiscard]] std::uint32_t shared_pages() const {
        return !any() ? 0
                      : static_cast<std::uint32_t>(
                            std::min<std::uint64_t>(shared_bytes / kSharedPageBytes, kMostSharedPages));
    }
    [[nodiscard]] bool online() const { return system.traits.online; }
    /// True if some duplicates are recorded in DRAM alone, so that they are lost with the power.
    [[nodiscard]] bool loses_duplicates() const { return online() && protection == DedupProtection::none; }
    /// True if a capacitor's energy writes the records that wait in the recovery log when power is lost.
    [[nodiscard]] bool saved_by_capacitor() const {
        return online() && protection == DedupProtection::capacitor;
    }
};

}  // namespace solidtlm::fw
