// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/block_queue.h"

#include <algorithm>
#include <utility>

namespace solidtlm::testbench::fs {

Request& BlockQueue::submit(Purpose purpose, Operation operation, fw::Join& done) {
    if (free_slots_.empty()) {
        free_slots_.push_back(slots_.size());
        slots_.emplace_back();
    }
    const std::uint64_t token = free_slots_.back();
    free_slots_.pop_back();
    slots_[token] = {purpose, &done, scheduler_.now()};
    done.add();
    ++outstanding_;
    ++counts_[static_cast<std::size_t>(purpose)].requests;
    Request& request = waiting_.emplace_back();
    request.operation = operation;
    request.arrival = scheduler_.now();
    request.token = token;
    return request;
}

void BlockQueue::transfer(Purpose purpose, std::span<const Extent> extents, fw::Join& done, bool fua) {
    for (const Extent& extent : extents) {
        Request& request =
            submit(purpose, purpose == Purpose::data_read ? Operation::read : Operation::write, done);
        request.lba = Lba{extent.first * kSectorsPerBlock};
        request.sectors = extent.count * kSectorsPerBlock;
        request.fua = fua;
        counts_[static_cast<std::size_t>(purpose)].blocks += extent.count;
    }
}

void BlockQueue::flush(fw::Join& done) {
    submit(Purpose::flush, Operation::flush, done);
}

void BlockQueue::trim(std::span<const Extent> extents, bool queued, fw::Join& done) {
    Request& request = submit(Purpose::trim, Operation::trim, done);
    request.queued = queued;
    PurposeCounts& counts = counts_[static_cast<std::size_t>(Purpose::trim)];
    for (const Extent& extent : extents) {
        request.ranges.push_back({Lba{extent.first * kSectorsPerBlock},
                                  static_cast<std::uint32_t>(extent.count * kSectorsPerBlock)});
        counts.blocks += extent.count;
        ++counts.extents;
    }
}

bool BlockQueue::next(Request& request) {
    if (waiting_.empty()) {
        return false;
    }
    request = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
}

void BlockQueue::completed(std::uint64_t token, bool ok) {
    const Slot slot = slots_[token];
    free_slots_.push_back(token);
    --outstanding_;
    failed_ += ok ? 0 : 1;
    counts_[static_cast<std::size_t>(slot.purpose)].busy += scheduler_.now() - slot.submitted;
    slot.done->done();
}

void merge_extents(std::vector<Extent>& extents) {
    std::sort(extents.begin(), extents.end(),
              [](const Extent& a, const Extent& b) { return a.first < b.first; });
    std::size_t kept = 0;
    for (const Extent& extent : extents) {
        if (kept > 0 && extents[kept - 1].end() == extent.first) {
            extents[kept - 1].count += extent.count;
        } else {
            extents[kept++] = extent;
        }
    }
    extents.resize(kept);
}

}  // namespace solidtlm::testbench::fs
