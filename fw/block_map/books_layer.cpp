// SPDX-License-Identifier: Apache-2.0
#include "fw/block_map/books_layer.h"

#include <algorithm>

#include "fw/block_map/needs.h"

namespace solidtlm::fw {

BooksLayer::BooksLayer(const FirmwareConfig& config, const BlockGeometry& geometry)
    : books_(geometry, fw::data_pages(config.translation, geometry), config.wear.dynamic),
      most_logs_(fw::log_blocks(config, geometry)),
      least_logs_(config.translation.traits.least_logs) {}

bool BooksLayer::next_release(Merge& merge) {
    for (; !due_.empty(); due_.pop_back()) {
        merge.clear();
        if (release_of(due_.back(), merge)) {
            return true;
        }
    }
    return false;
}

void BooksLayer::program(Lpn lpn, BlockPage at) {
    const Lbn lbn = books_.lbn_of(lpn);
    const BlockPage before = books_.locate(lpn);
    books_.program(lpn, at);
    page_came(at.block, lbn);
    if (before.block != kNoBlock) {
        page_left(before.block, lbn);
    }
}

void BooksLayer::copy(const Merge::Copy& copy, BlockId target) {
    const bool moves = books_.locate(copy.lpn) == copy.from;
    books_.copy(copy.lpn, copy.from, BlockPage{target, copy.to});
    if (moves) {
        const Lbn lbn = books_.lbn_of(copy.lpn);
        page_came(target, lbn);
        page_left(copy.from.block, lbn);
    }
}

void BooksLayer::place_failed(Lpn lpn, BlockPage at) {
    fail(at.block);
    if (books_.locate(lpn) == at) {
        books_.invalidate(lpn);
        page_left(at.block, books_.lbn_of(lpn));
    }
}

void BooksLayer::trim(Lpn lpn) {
    const Lbn lbn = books_.lbn_of(lpn);
    if (const BlockPage at = books_.invalidate(lpn); at.block != kNoBlock) {
        page_left(at.block, lbn);
    }
    if (books_.live(lbn) == 0) {
        add_due(lbn);
    }
}

std::uint32_t BooksLayer::log_limit() const {
    const std::uint32_t bad = static_cast<std::uint32_t>(books_.blocks().retired());
    const std::uint32_t used = bad + books_.logical_blocks() + kSpareBlocks;
    const std::uint32_t blocks = books_.geometry().blocks;
    return std::max(least_logs_, std::min(most_logs_, blocks > used ? blocks - used : 0));
}

}  // namespace solidtlm::fw
