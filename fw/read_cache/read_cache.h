// SPDX-License-Identifier: Apache-2.0
//
// Mapping units in DRAM that the host is expected to read next, fetched from flash before it asks
// (docs/architecture/firmware.md, "Reading ahead").
//
// Each stream (ReadStreams) has an equal share of the slots. A unit has one slot in each share, by its number
// modulo the slots of a share, so consecutive units lie next to each other, and units that the host has
// passed are overwritten. No unit is in two shares.
//
// A slot holds the contents that flash had when they were fetched. The caller must call forget() when a write
// has put newer data into the write buffer, and when a TRIM has unmapped units: a fetch that began before is
// dropped, and a later one finds the change in the write buffer or in the map. Moving data on flash needs no
// call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fw/buffer/write_buffer.h"
#include "fw/hal/metrics.h"
#include "fw/read_cache/read_streams.h"
#include "fw/runtime/join.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

struct ReadCacheCounters {
    std::uint64_t hits = 0;     ///< units that the host has read from the cache
    std::uint64_t fetched = 0;  ///< units fetched
    std::uint64_t unused = 0;   ///< fetched units that left the cache unread
    std::uint64_t waits = 0;    ///< reads that had to wait for a fetch

    void tell(hal::Metrics& metrics) const;
};

class ReadCache {
  public:
    using Slot = hal::Index<struct ReadCacheSlotTag, std::uint32_t>;

    /// REQUIRES: config.read_cache.any().
    ReadCache(Services& services, DramAddress base, const WriteBuffer& buffer, Translation& translation);

    /// The host reads `sectors` from `lba` on. If this read is part of a stream, fetches the data after it as
    /// `read_ahead` demands.
    void read(std::uint64_t lba, std::uint32_t sectors);
    /// Waits until none of these units is being fetched.
    [[nodiscard]] Task<void> settled(Lpn first, std::uint32_t units, Ledger* ledger);
    /// Counts the units from `first` on, at most `most`, that are not in the cache; stops at the first that
    /// is.
    [[nodiscard]] std::uint32_t absent(Lpn first, std::uint32_t most) const;
    /// Pins the slot from which the host reads `lpn`, which stays unchanged until unpin(). REQUIRES: `lpn` is
    /// in the cache, and settled() has ended.
    [[nodiscard]] Slot pin(Lpn lpn);
    void unpin(Slot slot);
    [[nodiscard]] DramAddress address(Slot slot) const {
        return DramAddress{base_.value + std::uint64_t{slot.value} * services_.layout.unit_bytes()};
    }
    /// These units have changed. Returns how many slots or units the core must check.
    std::uint32_t forget(Lpn first, std::uint32_t units);
    /// Forgets all units and streams. REQUIRES: at_rest().
    void forget_all();

    /// True if no unit is being fetched and no slot is pinned.
    [[nodiscard]] bool at_rest() const { return fetching_ == 0 && pins_ == 0; }
    [[nodiscard]] const ReadCacheCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = ReadCacheCounters{}; }

  private:
    enum class State : std::uint8_t { empty, fetching, filled };
    struct Entry {
        Lpn lpn{kNoLpn};  // kNoLpn: the unit has changed while it was being fetched or sent
        State state = State::empty;
        bool used = false;  // the host has read it
        std::uint32_t pins = 0;
    };
    /// Units of a stream that are fetched in one go; reused.
    struct Fetch {
        Fetch(Services& services, Translation& translation)
            : reader(translation.make_reader()), join(services.executor, "flash reads ahead of the host") {}
        std::unique_ptr<LogicalReader> reader;
        Join join;
        std::vector<LogicalRead> reads;
        std::vector<Slot> slots;
    };

    [[nodiscard]] Entry& at(Slot slot) { return entries_[slot.value]; }
    [[nodiscard]] Slot slot_of(std::uint32_t stream, Lpn lpn) const {
        return Slot{stream * share_ + lpn.value % share_};
    }
    [[nodiscard]] std::optional<Slot> find(Lpn lpn) const;
    [[nodiscard]] bool fetching(Lpn first, std::uint32_t units) const;
    Task<void> wait(Lpn first, std::uint32_t units, Ledger* ledger);
    std::uint32_t fetch_part(std::uint32_t stream, std::uint32_t from, std::uint32_t end);
    bool take(Slot slot, Lpn lpn);
    Task<void> run(Fetch& fetch);
    void settle(Fetch& fetch);
    void drop(Slot slot);
    void count_unused(Entry& entry);
    Fetch& take_fetch();

    Services& services_;
    DramAddress base_;
    const WriteBuffer& buffer_;
    Translation& translation_;
    std::uint32_t ahead_;  // units
    std::uint32_t share_;  // slots
    ReadStreams streams_;
    std::vector<std::uint32_t> fetched_to_;  // by stream: the next unit to fetch
    std::vector<Entry> entries_;             // by slot
    std::vector<std::unique_ptr<Fetch>> fetches_;
    std::vector<Fetch*> free_fetches_;
    Signal arrived_;
    std::vector<Ledger*> waiting_;  // ledgers of the coroutines that wait for arrived_
    std::uint32_t fetching_ = 0;    // number of slots
    std::uint32_t pins_ = 0;
    ReadCacheCounters counters_;
};

}  // namespace solidtlm::fw
