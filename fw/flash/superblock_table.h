// SPDX-License-Identifier: Apache-2.0
//
// The state of every superblock: life cycle, valid units, erase count.
//
// Life cycle: free -> open (a write frontier) -> closed (full) -> erasing -> free; bad is final.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fw/drive/layout.h"
#include "fw/flash/map_update.h"
#include "fw/hal/check.h"
#include "fw/hal/probe.h"
#include "fw/hal/state_archive.h"
#include "fw/hal/zeroed_memory.h"

namespace solidtlm::fw {

enum class SuperblockState : std::uint8_t { free, open, closed, erasing, bad };

struct SuperblockInfo {
    std::uint32_t valid = 0;  ///< units the map points to
    std::uint32_t erases = 0;
    std::uint32_t in_flight = 0;  ///< superpages being programmed
    SuperblockState state = SuperblockState::free;
    bool collecting = false;         ///< a victim of garbage collection
    bool failed = false;             ///< a program failed: retire it once it is empty
    bool weak = false;               ///< its data should move: hard to read, or in a bad superblock
    std::uint64_t closed_order = 0;  ///< order in which superblocks were filled (FIFO, age)

    void serialize(hal::StateArchive& archive) {
        archive(valid, erases, in_flight, state, collecting, failed, weak, closed_order);
    }
};

class SuperblockTable {
  public:
    SuperblockTable(const MediaLayout& layout, bool dynamic_wear_levelling);

    /// Tells `probe` (may be null) the free superblocks now and from now on.
    void set_probe(hal::Probe* probe);

    [[nodiscard]] SuperblockInfo& info(Pu pu, Superblock superblock) {
        return infos_[pu.value * layout_.superblocks() + superblock.value];
    }
    [[nodiscard]] const SuperblockInfo& info(Pu pu, Superblock superblock) const {
        return infos_[pu.value * layout_.superblocks() + superblock.value];
    }
    [[nodiscard]] std::uint32_t free_count(Pu pu) const {
        return static_cast<std::uint32_t>(free_[pu.value].size());
    }
    [[nodiscard]] std::uint64_t total_free() const;

    /// A free superblock, now open: the least erased one with dynamic wear levelling, else the longest free.
    std::optional<Superblock> open(Pu pu);
    void close(Pu pu, Superblock superblock);
    /// After an erase: back to the free ones.
    void recycle(Pu pu, Superblock superblock);
    /// Takes it out of service for good.
    void retire(Pu pu, Superblock superblock);

    /// After a loss of power: nothing is known of any superblock until adopt() says it.
    void begin_recovery();
    /// What a superblock is now; closed ones in the order in which they were filled.
    void adopt(Pu pu, Superblock superblock, SuperblockState state, std::uint32_t erases);

    void mark_valid(Ppa ppa) {
        valid_bits_[ppa.value / 64] |= bit_of(ppa);
        ++infos_[layout_.superblock_index(ppa)].valid;
    }
    /// The new places of `updates`, which lie in one superblock, become valid.
    void mark_valid(std::span<const MapUpdate> updates) {
        for (const MapUpdate& update : updates) {
            valid_bits_[update.fresh.value / 64] |= bit_of(update.fresh);
        }
        if (!updates.empty()) {
            infos_[layout_.superblock_index(updates.front().fresh)].valid +=
                static_cast<std::uint32_t>(updates.size());
        }
    }
    /// Likewise, and their places before, valid ones of few superblocks, invalid.
    void mark_moved(std::span<const MapUpdate> updates) {
        const std::uint32_t units = layout_.units_per_superblock();
        for (auto update = updates.begin(); update != updates.end();) {
            const std::uint32_t index = layout_.superblock_index(update->previous);
            const auto first = update;
            do {
                clear_valid(update->previous);
                ++update;
            } while (update != updates.end() && update->previous.value - index * units < units);
            infos_[index].valid -= static_cast<std::uint32_t>(update - first);
        }
        mark_valid(updates);
    }
    /// REQUIRES: is_valid(ppa).
    void mark_invalid(Ppa ppa) {
        clear_valid(ppa);
        --infos_[layout_.superblock_index(ppa)].valid;
    }
    [[nodiscard]] bool is_valid(Ppa ppa) const { return (valid_bits_[ppa.value / 64] & bit_of(ppa)) != 0; }
    /// A bit for each of the 64 units from `first` on: valid?
    [[nodiscard]] std::uint64_t valid_from(Ppa first) const {
        const std::uint32_t word = first.value / 64;
        const std::uint32_t shift = first.value % 64;
        const std::uint64_t next = shift > 0 ? valid_bits_[word + 1] << (64 - shift) : 0;
        return valid_bits_[word] >> shift | next;
    }
    /// The first valid unit of `from` ... `end` - 1, or `end`.
    [[nodiscard]] Ppa next_valid(Ppa from, Ppa end) const;
    /// Takes the first `most` valid units of `from` ... `end` - 1, or all, in runs: `take(first, units)`.
    /// Returns the unit behind the last one taken, or `end` where there are no more.
    template <class Take>
    Ppa take_valid(Ppa from, Ppa end, std::uint32_t most, Take take) const {
        while (most > 0 && from < end) {
            const std::uint64_t bits = valid_bits_[from.value / 64] >> (from.value % 64);
            if (bits == 0) {
                from = Ppa{(from.value / 64 + 1) * 64};
                continue;
            }
            const auto gap = static_cast<std::uint32_t>(std::countr_zero(bits));
            from = Ppa{from.value + gap};
            if (from < end) {
                const auto valid = static_cast<std::uint32_t>(std::countr_one(bits >> gap));
                const std::uint32_t units = std::min({valid, most, end.value - from.value});
                take(from, units);
                from = Ppa{from.value + units};
                most -= units;
            }
        }
        return std::min(from, end);
    }
    /// `ppa` will become invalid soon. Concerns the model's speed alone.
    void prefetch(Ppa ppa) const { valid_bits_.prefetch(ppa.value / 64); }

    /// Largest and smallest erase counts of a parallel unit's superblocks in service.
    struct EraseRange {
        std::uint32_t least = 0;
        std::uint32_t most = 0;
    };
    [[nodiscard]] EraseRange erase_range(Pu pu) const;
    /// Of all superblocks, retired ones included.
    [[nodiscard]] std::uint64_t total_erases() const;
    /// Superblocks closed so far; the closed_order of the next one.
    [[nodiscard]] std::uint64_t closed_count() const { return next_closed_order_; }
    [[nodiscard]] std::uint64_t retired() const { return retired_; }

    void serialize(hal::StateArchive& archive);

  private:
    /// In a heap; the smallest key leaves first.
    struct FreeSuperblock {
        std::uint32_t erases;  ///< 0 without dynamic wear levelling
        Superblock superblock;
        std::uint64_t order;  ///< in which they became free

        [[nodiscard]] std::pair<std::uint32_t, std::uint64_t> key() const { return {erases, order}; }
    };

    static std::uint64_t bit_of(Ppa ppa) { return std::uint64_t{1} << (ppa.value % 64); }
    void clear_valid(Ppa ppa) {
        SOLIDTLM_CHECK(is_valid(ppa), "only a valid unit becomes invalid");
        valid_bits_[ppa.value / 64] &= ~bit_of(ppa);
    }
    void tell_free(Pu pu);
    void push_free(Pu pu, Superblock superblock);

    const MediaLayout& layout_;
    bool dynamic_wear_levelling_;
    std::vector<SuperblockInfo> infos_;
    std::vector<std::vector<FreeSuperblock>> free_;  // by parallel unit
    hal::ZeroedMemory<std::uint64_t> valid_bits_;    // by Ppa
    std::uint64_t next_free_order_ = 0;
    std::uint64_t next_closed_order_ = 0;
    std::uint64_t retired_ = 0;
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::fw
