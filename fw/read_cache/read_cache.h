// SPDX-License-Identifier: Apache-2.0
//
// Units in DRAM that the host is expected to read next, fetched from flash before it asks
// (docs/architecture/firmware.md, "Reading ahead").
//
// Each stream (ReadStreams) has an equal share of the slots. A unit has one slot in each share, by its number
// modulo the slots of a share, so units that follow each other lie next to each other, and what the host has
// passed is overwritten. No unit is in two shares.
//
// What a slot holds is what flash held when it was fetched. forget() has to be called when a write has put
// newer data into the write buffer, and when a TRIM has unmapped units: a fetch that began before then is
// dropped, and one that begins later finds the change in the write buffer or in the map. Moving data on flash
// changes nothing here.
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
    std::uint64_t hits = 0;     ///< units that the host has read from here
    std::uint64_t fetched = 0;  ///< units
    std::uint64_t unused = 0;   ///< units of these that have left without having been read
    std::uint64_t waits = 0;    ///< reads that had to wait for a fetch

    void tell(hal::Metrics& metrics) const;
};

class ReadCache {
  public:
    using Slot = hal::Index<struct ReadCacheSlotTag, std::uint32_t>;

    /// REQUIRES: config.read_cache.any().
    ReadCache(Services& services, DramAddress base, const WriteBuffer& buffer, Translation& translation);

    /// The host reads `sectors` from `lba` on. If that is part of a stream, what follows is fetched, as far
    /// as `read_ahead` demands it.
    void read(std::uint64_t lba, std::uint32_t sectors);
    /// Waits until none of these units is being fetched.
    [[nodiscard]] Task<void> settled(Lpn first, std::uint32_t units, Ledger* ledger);
    /// How many of `most` units from `first` on are not here, up to the first that is.
    [[nodiscard]] std::uint32_t absent(Lpn first, std::uint32_t most) const;
    /// The host reads `lpn` from the returned slot, which stays as it is until unpin(). REQUIRES: it is here,
    /// settled().
    [[nodiscard]] Slot pin(Lpn lpn);
    void unpin(Slot slot);
    [[nodiscard]] DramAddress address(Slot slot) const {
        return DramAddress{base_.value + std::uint64_t{slot.value} * services_.layout.unit_bytes()};
    }
    /// These units have changed. Returns how many slots or units the core has to look at.
    std::uint32_t forget(Lpn first, std::uint32_t units);
    /// Forgets everything, streams too. REQUIRES: at_rest().
    void forget_all();

    /// Nothing is being fetched, and no slot is pinned.
    [[nodiscard]] bool at_rest() const { return fetching_ == 0 && pins_ == 0; }
    [[nodiscard]] const ReadCacheCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = ReadCacheCounters{}; }

  private:
    enum class State : std::uint8_t { empty, fetching, filled };
    struct Entry {
        Lpn lpn{kNoLpn};  // none: what is being fetched or sent has changed meanwhile
        State state = State::empty;
        bool used = false;  // by the host
        std::uint32_t pins = 0;
    };
    /// Units of a stream that are fetched together; reused.
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
    std::vector<std::uint32_t> fetched_to_;  // by stream: the unit that is fetched next
    std::vector<Entry> entries_;             // by slot
    std::vector<std::unique_ptr<Fetch>> fetches_;
    std::vector<Fetch*> free_fetches_;
    Signal arrived_;
    std::vector<Ledger*> waiting_;  // for arrived_
    std::uint32_t fetching_ = 0;    // slots
    std::uint32_t pins_ = 0;
    ReadCacheCounters counters_;
};

}  // namespace solidtlm::fw
