// SPDX-License-Identifier: Apache-2.0
//
// The superblocks of the data area: which free one is next, and which of their units are valid.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fw/drive/services.h"
#include "fw/flash/free_blocks.h"
#include "fw/flash/map_update.h"
#include "fw/hal/check.h"
#include "fw/hal/probe.h"
#include "fw/hal/state_archive.h"
#include "fw/hal/zeroed_memory.h"

namespace solidtlm::fw {

class SuperblockTable : public BlockTable {
  public:
    SuperblockTable(const MediaLayout& layout, bool dynamic_wear_levelling);

    /// Reports the free superblocks to `probe` (may be null), now and at every change.
    void set_probe(hal::Probe* probe);

    [[nodiscard]] BlockIndex index(Pu pu, Superblock superblock) const {
        return pu.value * layout_.superblocks() + superblock.value;
    }
    using BlockTable::info;
    [[nodiscard]] BlockInfo& info(Pu pu, Superblock superblock) { return info(index(pu, superblock)); }
    [[nodiscard]] const BlockInfo& info(Pu pu, Superblock superblock) const {
        return info(index(pu, superblock));
    }
    /// Free superblocks that are always in SLC mode (`always_slc`), or the others.
    [[nodiscard]] std::uint32_t free_count(Pu pu, bool always_slc = false) const {
        return free(pu, always_slc).size();
    }
    /// Superblocks of `pu` that are in SLC mode for a time, by number, until their erase has ended.
    [[nodiscard]] const std::vector<Superblock>& lent(Pu pu) const { return lent_[pu.value]; }

    /// Opens a free superblock: with dynamic wear levelling the least erased one, otherwise the one that has
    /// been free longest. With `slc`, one that is always in SLC mode if one is free.
    std::optional<Superblock> open(Pu pu, bool slc = false);
    void begin_erase(Pu pu, Superblock superblock) { BlockTable::begin_erase(index(pu, superblock)); }
    /// The erase has ended: the superblock is free.
    void recycle(Pu pu, Superblock superblock);
    /// Takes the superblock out of service for good.
    void retire(Pu pu, Superblock superblock);

    /// After a loss of power: the states are unknown until adopt() sets them.
    void begin_recovery();
    /// Sets the state of a superblock. Closed ones come in the order in which they were filled.
    void adopt(Pu pu, Superblock superblock, BlockState state, std::uint32_t erases, bool slc = false);

    void mark_valid(Ppa ppa) {
        valid_bits_[ppa.value / 64] |= bit_of(ppa);
        ++info(layout_.superblock_index(ppa)).valid;
    }
    /// The new places of `updates`, which lie in one superblock, become valid.
    void mark_valid(std::span<const MapUpdate> updates) {
        for (const MapUpdate& update : updates) {
            valid_bits_[update.fresh.value / 64] |= bit_of(update.fresh);
        }
        if (!updates.empty()) {
            info(layout_.superblock_index(updates.front().fresh)).valid +=
                static_cast<std::uint32_t>(updates.size());
        }
    }
    /// The new places of `updates`, which lie in one superblock, become valid. The previous places, which
    /// are valid and lie in few superblocks, become invalid.
    void mark_moved(std::span<const MapUpdate> updates) {
        const std::uint32_t units = layout_.units_per_superblock();
        for (auto update = updates.begin(); update != updates.end();) {
            const BlockIndex from = layout_.superblock_index(update->previous);
            const auto first = update;
            do {
                clear_valid(update->previous);
                ++update;
            } while (update != updates.end() && update->previous.value - from * units < units);
            info(from).valid -= static_cast<std::uint32_t>(update - first);
        }
        mark_valid(updates);
    }
    /// REQUIRES: is_valid(ppa).
    void mark_invalid(Ppa ppa) {
        clear_valid(ppa);
        --info(layout_.superblock_index(ppa)).valid;
    }
    [[nodiscard]] bool is_valid(Ppa ppa) const { return (valid_bits_[ppa.value / 64] & bit_of(ppa)) != 0; }
    /// Which of the 64 units from `first` on are valid, one bit each.
    [[nodiscard]] std::uint64_t valid_from(Ppa first) const {
        const std::uint32_t word = first.value / 64;
        const std::uint32_t shift = first.value % 64;
        const std::uint64_t next = shift > 0 ? valid_bits_[word + 1] << (64 - shift) : 0;
        return valid_bits_[word] >> shift | next;
    }
    /// The first valid unit of `from` ... `end` - 1, or `end`.
    [[nodiscard]] Ppa next_valid(Ppa from, Ppa end) const;
    /// Takes the first `most` valid units of `from` ... `end` - 1 (or all) in runs: calls `take(first,
    /// units)`. Returns the position after the last unit taken, or `end` if no more follow.
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
    /// Announces that `ppa` will become invalid soon. Affects only the speed of the model.
    void prefetch(Ppa ppa) const { valid_bits_.prefetch(ppa.value / 64); }

    /// Largest and smallest erase counts of the superblocks of a parallel unit that are in service and not
    /// always in SLC mode.
    struct EraseRange {
        std::uint32_t least = 0;
        std::uint32_t most = 0;
    };
    [[nodiscard]] EraseRange erase_range(Pu pu) const;

    void serialize(hal::StateArchive& archive);

  private:
    static std::uint64_t bit_of(Ppa ppa) { return std::uint64_t{1} << (ppa.value % 64); }
    void clear_valid(Ppa ppa) {
        SOLIDTLM_CHECK(is_valid(ppa), "the unit is valid before it becomes invalid");
        valid_bits_[ppa.value / 64] &= ~bit_of(ppa);
    }
    void tell_free(Pu pu);
    void lend(Pu pu, Superblock superblock);
    void give_back(Pu pu, Superblock superblock);
    [[nodiscard]] const FreeBlocks& free(Pu pu, bool always_slc) const {
        return free_[pu.value + (always_slc ? layout_.pus() : 0)];
    }
    [[nodiscard]] FreeBlocks& free(Pu pu, bool always_slc) {
        return free_[pu.value + (always_slc ? layout_.pus() : 0)];
    }
    void add_free(Pu pu, Superblock superblock) {
        const BlockInfo& added = info(pu, superblock);
        free(pu, added.always_slc).add(index(pu, superblock), added.erases);
        tell_free(pu);
    }

    const MediaLayout& layout_;
    std::vector<FreeBlocks> free_;                 // by parallel unit; after these, those always in SLC mode
    std::vector<std::vector<Superblock>> lent_;    // by parallel unit
    hal::ZeroedMemory<std::uint64_t> valid_bits_;  // by Ppa
    hal::Probe* probe_ = nullptr;
};

/// True if the superblock at `at` is in SLC mode.
inline bool in_slc_mode(const Services& services, const SuperpageAddress& at) {
    return services.modes != nullptr && services.modes->info(at.pu, at.superblock).slc;
}

}  // namespace solidtlm::fw
