// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/superblock_table.h"

#include <algorithm>
#include <functional>

namespace solidtlm::fw {

SuperblockTable::SuperblockTable(const MediaLayout& layout, bool dynamic_wear_levelling)
    : BlockTable(layout.pus() * layout.superblocks()),
      layout_(layout),
      dynamic_wear_levelling_(dynamic_wear_levelling),
      free_(layout.pus()),
      valid_bits_(std::size_t{size()} * layout.units_per_superblock() / 64 + 1, "valid bits, by flash page") {
    for (std::uint32_t pu = 0; pu < layout.pus(); ++pu) {
        free_[pu].reserve(layout.superblocks());
        for (std::uint32_t i = 0; i < layout.superblocks(); ++i) {
            push_free(Pu{pu}, Superblock{i});
        }
    }
}

void SuperblockTable::set_probe(hal::Probe* probe) {
    probe_ = probe;
    for (std::uint32_t pu = 0; pu < free_.size(); ++pu) {
        tell_free(Pu{pu});
    }
}

void SuperblockTable::tell_free(Pu pu) {
    if (probe_ != nullptr) {
        probe_->free_superblocks(static_cast<std::uint32_t>(pu.value), free_count(pu));
    }
}

void SuperblockTable::push_free(Pu pu, Superblock superblock) {
    auto& heap = free_[pu.value];
    heap.push_back(
        {dynamic_wear_levelling_ ? info(pu, superblock).erases : 0, superblock, next_free_order_++});
    std::ranges::push_heap(heap, std::greater{}, &FreeSuperblock::key);
}

std::optional<Superblock> SuperblockTable::open(Pu pu) {
    auto& heap = free_[pu.value];
    if (heap.empty()) {
        return std::nullopt;
    }
    std::ranges::pop_heap(heap, std::greater{}, &FreeSuperblock::key);
    const Superblock superblock = heap.back().superblock;
    heap.pop_back();
    tell_free(pu);
    BlockTable::open(index(pu, superblock));
    return superblock;
}

void SuperblockTable::recycle(Pu pu, Superblock superblock) {
    BlockTable::recycle(index(pu, superblock));
    push_free(pu, superblock);
    tell_free(pu);
}

void SuperblockTable::begin_recovery() {
    for (auto& heap : free_) {
        heap.clear();
    }
}

void SuperblockTable::adopt(Pu pu, Superblock superblock, BlockState state, std::uint32_t erases) {
    BlockTable::adopt(index(pu, superblock), state, erases);
    if (state == BlockState::free) {
        push_free(pu, superblock);
        tell_free(pu);
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
        if (entry.state == BlockState::bad) {
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
    archive(valid_bits_);
    for (std::uint32_t pu = 0; pu < free_.size(); ++pu) {
        auto& heap = free_[pu];
        std::ranges::sort(heap, {}, &FreeSuperblock::order);
        std::vector<Superblock> free;  // the longest free one first
        for (const FreeSuperblock& one : heap) {
            free.push_back(one.superblock);
        }
        archive(hal::list(free));
        heap.clear();
        for (const Superblock superblock : free) {
            push_free(Pu{pu}, superblock);
        }
    }
}

}  // namespace solidtlm::fw
