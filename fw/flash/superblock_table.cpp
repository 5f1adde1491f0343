// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/superblock_table.h"

#include <algorithm>

namespace solidtlm::fw {

SuperblockTable::SuperblockTable(const MediaLayout& layout, bool dynamic_wear_levelling)
    : BlockTable(layout.pus() * layout.superblocks(), layout.pages(), layout.slc_pages()),
      layout_(layout),
      free_(std::size_t{layout.pus()} * 2, FreeBlocks(dynamic_wear_levelling)),
      valid_bits_(std::size_t{size()} * layout.units_per_superblock() / 64 + 1, "valid bits, by flash page") {
    for (std::uint32_t pu = 0; pu < layout.pus(); ++pu) {
        free_[pu].reserve(layout.superblocks());
        for (std::uint32_t i = 0; i < layout.superblocks(); ++i) {
            info(Pu{pu}, Superblock{i}).slc = layout.is_slc(Superblock{i});
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
    if (free(pu, slc).empty()) {
        return std::nullopt;
    }
    const BlockIndex block = free(pu, slc).take();
    tell_free(pu);
    BlockTable::open(block);
    return Superblock{block - index(pu, Superblock{0})};
}

void SuperblockTable::recycle(Pu pu, Superblock superblock) {
    BlockTable::recycle(index(pu, superblock));
    add_free(pu, superblock);
}

void SuperblockTable::begin_recovery() {
    for (FreeBlocks& free : free_) {
        free.clear();
    }
}

void SuperblockTable::adopt(Pu pu, Superblock superblock, BlockState state, std::uint32_t erases) {
    BlockTable::adopt(index(pu, superblock), state, erases);
    if (state == BlockState::free) {
        add_free(pu, superblock);
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
        if (entry.state == BlockState::bad || entry.slc) {
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
}

}  // namespace solidtlm::fw
