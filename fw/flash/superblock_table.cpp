// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/superblock_table.h"

#include <algorithm>

namespace solidtlm::fw {

SuperblockTable::SuperblockTable(const MediaLayout& layout, bool dynamic_wear_levelling)
    : BlockTable(layout.pus() * layout.superblocks(), layout.pages(), layout.slc_pages()),
      layout_(layout),
      free_(std::size_t{layout.pus()} * 2, FreeBlocks(dynamic_wear_levelling)),
      lent_(layout.pus()),
      valid_bits_(std::size_t{size()} * layout.units_per_superblock() / 64 + 1, "valid bits, by flash page") {
    for (std::uint32_t pu = 0; pu < layout.pus(); ++pu) {
        free_[pu].reserve(layout.superblocks());
        for (std::uint32_t i = 0; i < layout.superblocks(); ++i) {
            if (i >= layout.superblocks(Pu{pu})) {
                leave_out(index(Pu{pu}, Superblock{i}));
                continue;
            }
            BlockInfo& each = info(Pu{pu}, Superblock{i});
            each.slc = each.always_slc = layout.always_slc(Pu{pu}, Superblock{i});
            add_free(Pu{pu}, Superblock{i});
        }
    }
}

void SuperblockTable::set_probe(hal::Probe* probe) {
    probe_ = probe;
    for (std::uint32_t pu = 0; pu < layout_.pus(); ++pu) {
        tell_free(Pu{pu});
    }
}

void SuperblockTable::tell_free(Pu pu) {
    if (probe_ != nullptr) {
        probe_->free_superblocks(static_cast<std::uint32_t>(pu.value), free_count(pu) + free_count(pu, true));
    }
}

std::optional<Superblock> SuperblockTable::open(Pu pu, bool slc) {
    FreeBlocks& from = free(pu, slc && !free(pu, true).empty());
    if (from.empty()) {
        return std::nullopt;
    }
    const BlockIndex block = from.take();
    tell_free(pu);
    BlockTable::open(block, slc);
    const Superblock opened{block - index(pu, Superblock{0})};
    lend(pu, opened);
    return opened;
}

/// Records the superblock as lent if it is in SLC mode, but not always.
void SuperblockTable::lend(Pu pu, Superblock superblock) {
    const BlockInfo& lent = info(pu, superblock);
    if (lent.slc && !lent.always_slc) {
        std::vector<Superblock>& all = lent_[pu.value];
        all.insert(std::ranges::lower_bound(all, superblock), superblock);
    }
}

void SuperblockTable::give_back(Pu pu, Superblock superblock) {
    if (!lent_[pu.value].empty()) {
        std::erase(lent_[pu.value], superblock);
    }
}

void SuperblockTable::recycle(Pu pu, Superblock superblock) {
    BlockTable::recycle(index(pu, superblock));
    give_back(pu, superblock);
    add_free(pu, superblock);
}

void SuperblockTable::retire(Pu pu, Superblock superblock) {
    BlockTable::retire(index(pu, superblock));
    give_back(pu, superblock);
}

void SuperblockTable::begin_recovery() {
    for (FreeBlocks& free : free_) {
        free.clear();
    }
}

void SuperblockTable::adopt(Pu pu, Superblock superblock, BlockState state, std::uint32_t erases, bool slc) {
    BlockTable::adopt(index(pu, superblock), state, erases, slc);
    if (state == BlockState::free) {
        add_free(pu, superblock);
    } else {
        lend(pu, superblock);
    }
}

Ppa SuperblockTable::next_valid(Ppa from, Ppa end) const {
    Ppa found = end;
    take_valid(from, end, 1, [&found](Ppa unit, std::uint32_t /*units*/) { found = unit; });
    return found;
}

SuperblockTable::EraseRange SuperblockTable::erase_range(Pu pu) const {
    EraseRange range;
    bool first = true;
    for (std::uint32_t i = 0; i < layout_.superblocks(); ++i) {
        const BlockInfo& entry = info(pu, Superblock{i});
        if (entry.state == BlockState::bad || entry.always_slc) {
            continue;
        }
        range.least = first ? entry.erases : std::min(range.least, entry.erases);
        range.most = std::max(range.most, entry.erases);
        first = false;
    }
    return range;
}

void SuperblockTable::serialize(hal::StateArchive& archive) {
    BlockTable::serialize(archive);
    archive(valid_bits_, free_);
    for (std::uint32_t pu = 0; pu < layout_.pus(); ++pu) {  // by the states of the blocks
        lent_[pu].clear();
        for (std::uint32_t i = 0; i < layout_.superblocks(); ++i) {
            if (info(Pu{pu}, Superblock{i}).state != BlockState::bad) {
                lend(Pu{pu}, Superblock{i});
            }
        }
    }
}

}  // namespace solidtlm::fw
