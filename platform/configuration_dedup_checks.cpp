// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "fw/dedup/deduplicator.h"
#include "fw/dedup/shared_pages.h"
#include "platform/configuration_rules.h"

namespace solidtlm::platform {
namespace {

constexpr std::uint64_t kLeastEntries = 64;  // per table
constexpr std::uint64_t kLeastShared = 16;   // virtual blocks

/// Checks the parts of a drive that deduplication depends on.
void check_surroundings(const Configuration& c, Rules& rules) {
    const fw::FirmwareConfig& firmware = c.firmware;
    rules.require(
        !firmware.by_block(), {"firmware.dedup.system", "firmware.translation"},
        "found deduplication with a block-mapped firmware.translation; allowed: page_map, the others "
        "cannot let two logical pages share a place");
    rules.require(firmware.map_cache.whole_map(), {"firmware.dedup.system", "firmware.map_cache.policy"},
                  "found deduplication with a map cache; allowed: firmware.map_cache.policy = full_table");
    rules.require(c.content != hal::ContentMode::none, {"firmware.dedup.system", "content"},
                  "found deduplication with content = none, where all pages are alike; allowed: content = "
                  "tags or bytes");
    rules.require(
        c.nand.geometry.numbered_bytes() / c.firmware.unit_bytes < fw::kFirstVirtual,
        {"firmware.dedup.system", "nand.geometry.channels", "nand.geometry.dies", "nand.geometry.planes",
         "nand.geometry.blocks", "nand.geometry.pages", "nand.geometry.page_size", "firmware.unit"},
        fmt::format("found deduplication of {} mapping units of flash; allowed: fewer than {} "
                    "(larger numbers stand for shared pages)",
                    c.raw_units(), fw::kFirstVirtual));
}

void check_tables(const Configuration& c, Rules& rules) {
    const fw::DedupConfig& dedup = c.firmware.dedup;
    const std::uint64_t entry = dedup.system.traits.entry_bytes;
    const std::uint64_t tables = dedup.system.traits.tables;
    const std::uint64_t least = tables * kLeastEntries * entry;
    rules.require(
        dedup.table_bytes >= least, {"firmware.dedup.table_size", "firmware.dedup.system"},
        fmt::format("found {} bytes; allowed: at least {} ({} entries of {} bytes{})", dedup.table_bytes,
                    least, kLeastEntries, entry, tables == 2 ? ", and as much for CRC32 values" : ""));
    const std::uint64_t least_shared = kLeastShared * fw::DedupConfig::kSharedPageBytes;
    const std::uint64_t most_shared =
        std::uint64_t{fw::DedupConfig::kMostSharedPages} * fw::DedupConfig::kSharedPageBytes;
    rules.require(dedup.shared_bytes >= least_shared && dedup.shared_bytes <= most_shared,
                  {"firmware.dedup.shared_size"},
                  fmt::format("found {} bytes; allowed: {} to {} ({} to {} shared pages of {} bytes)",
                              dedup.shared_bytes, least_shared, most_shared, kLeastShared,
                              fw::DedupConfig::kMostSharedPages, fw::DedupConfig::kSharedPageBytes));
}

}  // namespace

void check_dedup(const Configuration& c, Rules& rules) {
    if (!c.firmware.dedup.any()) {
        return;
    }
    check_surroundings(c, rules);
    check_tables(c, rules);
}

}  // namespace solidtlm::platform
