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

    /// Tells `probe` (may be null) the free superblocks now and from now on.
    void set_probe(hal::Probe* probe);

    [[nodiscard]] BlockIndex index(Pu pu, Superblock superblock) const {
        return pu.value * layout_.superblocks() + superblock.value;
    }
    using BlockTable::info;
    [[nodiscard]] BlockInfo& info(Pu pu, Superblock superblock) { return info(index(pu, superblock)); }
    [[nodiscard]] const BlockInfo& info(Pu pu, Superblock superblock) const {
        return info(index(pu, superblock));
    }
    /// Of those that are always in SLC mode, or of the others.
    [[nodiscard]] std::uint32_t free_count(Pu pu, bool always_slc = false) const {
        return free(pu, always_slc).size();
    }
    /// Those of `pu` that were opened in SLC mode and are not always in it, by number; until their erase has
    /// ended.
    [[nodiscard]] const std::vector<Superblock>& lent(Pu pu) const { return lent_[pu.value]; }

    /// A free superblock, now open: the least erased one with dynamic wear levelling, else the longest free.
    /// In SLC mode one that is always in it, if one is free.
    std::optional<Superblock> open(Pu pu, bool slc = false);
    void begin_erase(Pu pu, Superblock superblock) { BlockTable::begin_erase(index(pu, superblock)); }
    /// After an erase: back to the free ones.
    void recycle(Pu pu, Superblock superblock);
    /// Takes it out of service for good.
    void retire(Pu pu, Superblock superblock);

    /// After a loss of power: nothing is known of any superblock until adopt() says it.
    void begin_recovery();
    /// What a superblock is now; closed ones in the order in which they were filled.
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

    /// Largest and smallest erase counts of a parallel unit's superblocks in service, less those always in
    /// SLC mode.
    struct EraseRange {
        std::uint32_t least = 0;
        std::uint32_t most = 0;
    };
    [[nodiscard]] EraseRange erase_range(Pu pu) const;

    void serialize(hal::StateArchive& archive);

  private:
    static std::uint64_t bit_of(Ppa ppa) { return std::uint64_t{1} << (ppa.value % 64); }
    void clear_valid(Ppa ppa) {
        SOLIDTLM_CHECK(is_valid(ppa), "only a valid unit becomes invalid");
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
    std::vector<FreeBlocks> free_;                 // by parallel unit; behind these, those always in SLC mode
    std::vector<std::vector<Superblock>> lent_;    // by parallel unit
    hal::ZeroedMemory<std::uint64_t> valid_bits_;  // by Ppa
    hal::Probe* probe_ = nullptr;
};

/// The mode of what lies there.
inline bool in_slc_mode(const Services& services, const SuperpageAddress& at) {
    return services.modes != nullptr && services.modes->info(at.pu, at.superblock).slc;
}

}  // namespace solidtlm::fw
