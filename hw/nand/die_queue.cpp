// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/die_queue.h"

#include <algorithm>

namespace solidtlm::hw {

using hal::FlashAddress;
using hal::FlashOp;
using hal::FlashOpcode;

namespace {

bool touches(const FlashOp& op, const FlashAddress& block) {
    const auto same = [&block](const FlashAddress& at) {
        return at.plane == block.plane && at.block == block.block;
    };
    const bool destination = std::any_of(op.address.begin(), op.address.begin() + op.planes, same);
    return destination || (op.opcode == FlashOpcode::copy_back &&
                           std::any_of(op.source.begin(), op.source.begin() + op.planes, same));
}

}  // namespace

bool share_block(const FlashOp& a, const FlashOp& b) {
    const auto touched_by_a = [&a](const FlashAddress& block) { return touches(a, block); };
    return std::any_of(b.address.begin(), b.address.begin() + b.planes, touched_by_a) ||
           (b.opcode == FlashOpcode::copy_back &&
            std::any_of(b.source.begin(), b.source.begin() + b.planes, touched_by_a));
}

bool must_follow(const FlashOp& later, const FlashOp& earlier) {
    const bool later_reads = later.opcode == FlashOpcode::read;
    const bool earlier_reads = earlier.opcode == FlashOpcode::read;
    if (later_reads && earlier_reads) {
        return false;
    }
    return (!later_reads && !earlier_reads) || share_block(later, earlier);
}

void DieQueue::remove(const FlashRequest& request) {
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &request));
}

bool DieQueue::blocked(std::size_t position) const {
    const FlashOp& op = *waiting_[position]->op;
    return std::any_of(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(position),
                       [&op](const FlashRequest* earlier) { return must_follow(op, *earlier->op); });
}

FlashRequest* DieQueue::next() const {
    FlashRequest* first = nullptr;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const bool overtakes = reads_overtake_ && waiting_[i]->op->opcode == FlashOpcode::read;
        if ((first == nullptr || overtakes) && !blocked(i)) {
            if (overtakes) {
                return waiting_[i];
            }
            first = waiting_[i];
        }
    }
    return first;
}

FlashRequest* DieQueue::next_beside(hal::PlaneSet taken) const {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const bool reads = waiting_[i]->op->opcode == FlashOpcode::read;
        if (!reads && !reads_overtake_) {
            return nullptr;
        }
        if (!reads || blocked(i)) {
            continue;
        }
        if ((waiting_[i]->planes & taken) == 0) {
            return waiting_[i];
        }
        if (waiting_[i]->planes == hal::kAllPlanes) {
            return nullptr;
        }
    }
    return nullptr;
}

FlashRequest* DieQueue::preempting_read(const FlashOp& running, hal::PlaneSet taken) const {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const FlashOp& op = *waiting_[i]->op;
        if (op.opcode == FlashOpcode::read && op.cause == hal::Cause::host && !share_block(op, running) &&
            !blocked(i)) {
            if ((waiting_[i]->planes & taken) == 0) {
                return waiting_[i];
            }
            if (waiting_[i]->planes == hal::kAllPlanes) {
                return nullptr;
            }
        }
    }
    return nullptr;
}

}  // namespace solidtlm::hw
