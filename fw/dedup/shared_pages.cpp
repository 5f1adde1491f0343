// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/shared_pages.h"

#include <algorithm>
#include <bit>

#include "fw/hal/check.h"

namespace solidtlm::fw {

SharedPages::SharedPages(std::uint64_t most)
    : blocks_(std::min<std::uint64_t>(most, kMostVirtual)),
      buckets_(std::bit_ceil(std::max<std::size_t>(blocks_.size(), 2)), kNone) {
    free_.reserve(blocks_.size());
    for (std::size_t i = blocks_.size(); i > 0; --i) {
        free_.push_back(VirtualBlock{static_cast<std::uint32_t>(i - 1)});
    }
}

std::size_t SharedPages::bucket(Ppa at) const {
    return (at.value * 0x9E37'79B1U) >> (32U - static_cast<unsigned>(std::bit_width(buckets_.size()) - 1));
}

void SharedPages::link(VirtualBlock block) {
    std::uint32_t& head = buckets_[bucket(blocks_[block.value].place)];
    blocks_[block.value].chain = head;
    head = block.value;
}

void SharedPages::unlink(VirtualBlock block) {
    std::uint32_t* link = &buckets_[bucket(blocks_[block.value].place)];
    while (*link != block.value) {
        link = &blocks_[*link].chain;
    }
    *link = blocks_[block.value].chain;
}

std::optional<VirtualBlock> SharedPages::share(Ppa at) {
    SOLIDTLM_CHECK(!find(at), "the page is not shared yet");
    while (!free_.empty() && blocks_[free_.back().value].place != kUnmapped) {
        free_.pop_back();  // leaves out blocks that restore() took
    }
    if (free_.empty()) {
        return std::nullopt;
    }
    const VirtualBlock block = free_.back();
    free_.pop_back();
    restore(block, at);
    return block;
}

std::optional<VirtualBlock> SharedPages::find(Ppa at) const {
    for (std::uint32_t i = buckets_[bucket(at)]; i != kNone; i = blocks_[i].chain) {
        if (blocks_[i].place == at) {
            return VirtualBlock{i};
        }
    }
    return std::nullopt;
}

bool SharedPages::release(VirtualBlock block) {
    SOLIDTLM_CHECK(blocks_[block.value].references > 0, "a shared page that is released has references");
    --references_;
    if (--blocks_[block.value].references > 0) {
        return false;
    }
    unlink(block);
    blocks_[block.value].place = kUnmapped;
    free_.push_back(block);
    --used_;
    return true;
}

void SharedPages::move(VirtualBlock block, Ppa to) {
    unlink(block);
    blocks_[block.value].place = to;
    link(block);
}

void SharedPages::restore(VirtualBlock block, Ppa at) {
    blocks_[block.value].place = at;
    blocks_[block.value].references = 0;
    link(block);
    ++used_;
}

}  // namespace solidtlm::fw
