// SPDX-License-Identifier: Apache-2.0
//
// The interface of a system that finds duplicates, one per file (docs/dedup.md). The page map asks it about
// pages before they are programmed, reports what happens to them, and lets it work while the host is idle.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "fw/buffer/write_buffer.h"
#include "fw/dedup/counters.h"
#include "fw/dedup/page_index.h"
#include "fw/dedup/sharing.h"
#include "fw/drive/dram_map.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

/// What to do with a page that leaves the write buffer.
struct Admission {
    enum class Fate : std::uint8_t {
        unique,         ///< program it
        nondetermined,  ///< program it; it may be a duplicate
        duplicate,      ///< it equals `known`
        follower        ///< it equals the page in slot `leader`, which is being programmed
    };
    Fate fate = Fate::unique;
    KnownPage known;
    Slot leader{kNoSlot};
};

class Deduplicator {
  public:
    virtual ~Deduplicator() = default;

    /// True if pages are hashed before they are programmed: the destager calls admit() for each.
    [[nodiscard]] virtual bool sorts_writes() const { return false; }
    /// True if pages that may be duplicates go to their own superblocks.
    [[nodiscard]] virtual bool separates() const { return false; }
    /// Hashes the page in `slot` and looks for an equal one. The result is valid until the caller's next
    /// co_await.
    virtual Task<Admission> admit(Slot /*slot*/, Ledger* /*ledger*/) { co_return Admission{}; }
    /// The page in `slot` was programmed, and `lpn` lies at `place` now. Adds the core's cost to `charge`.
    virtual void programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge) = 0;
    /// The page admitted in `slot` will not be mapped; also called after programmed().
    virtual void left(Slot /*slot*/) {}
    /// Collection has moved a page.
    virtual void moved(Ppa from, Ppa to) = 0;
    /// No logical page refers to `place` any longer.
    virtual void forgotten(Ppa place) = 0;
    /// After a loss of power: `place` holds a page in use.
    virtual void found(Ppa /*place*/) {}

    /// Pages that wait to be checked in idle time.
    [[nodiscard]] virtual std::uint64_t waiting() const { return 0; }
    /// Checks one of the pages that wait. REQUIRES: waiting() is not 0.
    virtual Task<void> look_at_one() {
        SOLIDTLM_CHECK(waiting() > 0, "there is a page to check");
        co_return;
    }

    virtual void serialize(hal::StateArchive& archive) = 0;
    /// Entries in its tables.
    [[nodiscard]] virtual std::uint64_t table_entries() const = 0;
    /// Entries that were evicted from full tables.
    [[nodiscard]] virtual std::uint64_t forgotten_entries() const = 0;
};

/// The parts of the firmware that a system works with.
struct DedupTools {
    Services& services;
    WriteBuffer& buffer;
    SharedPages& shared;
    Sharing& sharing;
    DedupCounters& counters;
    const DramMap& dram_map;
};

/// DRAM bytes of one table entry.
constexpr std::uint32_t kFingerprintBytes = 48;
constexpr std::uint32_t kCrcBytes = 36;

/// A value of firmware.dedup.system.
struct DedupSystem : DedupPlan {
    std::unique_ptr<Deduplicator> (*make)(const DedupTools& tools);
};

/// Makes a `System`; for DedupSystem::make.
template <class System>
std::unique_ptr<Deduplicator> make_dedup(const DedupTools& tools) {
    return std::make_unique<System>(tools);
}

/// The systems in fw/dedup/systems: all values but none.
std::span<const DedupSystem* const> dedup_systems();

[[nodiscard]] inline const DedupSystem& dedup_system(std::string_view name) {
    return hal::named(dedup_systems(), name);
}

}  // namespace solidtlm::fw
