// SPDX-License-Identifier: Apache-2.0
#include "fw/media/superblock_table.h"

#include <algorithm>
#include <numeric>

namespace solidtlm::fw {

SuperblockTable::SuperblockTable(const MediaLayout& layout, bool dynamic_wear_levelling)
    : layout_(layout),
      dynamic_wear_levelling_(dynamic_wear_levelling),
      infos_(std::size_t{layout.pus()} * layout.superblocks()),
      free_(layout.pus()),
      valid_bits_(infos_.size() * layout.units_per_superblock() / 64 + 1) {
    for (auto& list : free_) {
        list.reserve(layout.superblocks());
        for (std::uint32_t i = 0; i < layout.superblocks(); ++i) {
            list.push_back(Superblock{i});
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

std::uint64_t SuperblockTable::total_free() const {
    std::uint64_t total = 0;
    for (const auto& list : free_) {
        total += list.size();
    }
    return total;
}

std::optional<Superblock> SuperblockTable::open(Pu pu) {
    auto& list = free_[pu.value];
    if (list.empty()) {
        return std::nullopt;
    }
    auto chosen = list.begin();
    if (dynamic_wear_levelling_) {
        chosen = std::min_element(list.begin(), list.end(), [&](Superblock a, Superblock b) {
            return info(pu, a).erases < info(pu, b).erases;
        });
    }
    const Superblock superblock = *chosen;
    list.erase(chosen);
    tell_free(pu);
    info(pu, superblock).state = SuperblockState::open;
    return superblock;
}

void SuperblockTable::close(Pu pu, Superblock superblock) {
    SuperblockInfo& entry = info(pu, superblock);
    entry.state = SuperblockState::closed;
    entry.closed_order = next_closed_order_++;
}

void SuperblockTable::recycle(Pu pu, Superblock superblock) {
    SuperblockInfo& entry = info(pu, superblock);
    entry.state = SuperblockState::free;
    entry.collecting = false;
    free_[pu.value].push_back(superblock);
    tell_free(pu);
}

void SuperblockTable::retire(Pu pu, Superblock superblock) {
    info(pu, superblock).state = SuperblockState::bad;
    ++retired_;
}

void SuperblockTable::begin_recovery() {
    for (auto& list : free_) {
        list.clear();
    }
}

void SuperblockTable::adopt(Pu pu, Superblock superblock, SuperblockState state, std::uint32_t erases) {
    info(pu, superblock).erases = erases;
    switch (state) {
        case SuperblockState::free:
            recycle(pu, superblock);
            break;
        case SuperblockState::closed:
            close(pu, superblock);
            break;
        case SuperblockState::bad:
            retire(pu, superblock);
            break;
        default:
            info(pu, superblock).state = state;
            break;
    }
}

Ppa SuperblockTable::next_valid(Ppa from, Ppa end) const {
    Ppa found = end;
    take_valid(from, end, 1, [&found](Ppa unit) { found = unit; });
    return found;
}

SuperblockTable::EraseRange SuperblockTable::erase_range(Pu pu) const {
    EraseRange range;
    bool first = true;
    for (std::uint32_t i = 0; i < layout_.superblocks(); ++i) {
        const SuperblockInfo& entry = info(pu, Superblock{i});
        if (entry.state == SuperblockState::bad) {
            continue;
        }
        range.least = first ? entry.erases : std::min(range.least, entry.erases);
        range.most = std::max(range.most, entry.erases);
        first = false;
    }
    return range;
}

std::uint64_t SuperblockTable::total_erases() const {
    return std::accumulate(infos_.begin(), infos_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const SuperblockInfo& info) { return sum + info.erases; });
}

}  // namespace solidtlm::fw
