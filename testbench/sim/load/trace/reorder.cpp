// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/reorder.h"

#include <algorithm>
#include <utility>

namespace solidtlm::testbench {

ReorderWindow::ReorderWindow(std::unique_ptr<TraceReader> reader, std::size_t records)
    : reader_(std::move(reader)), window_(records) {
    heap_.reserve(window_);
}

void ReorderWindow::read_into(std::size_t slot) {
    if (!reader_->read(slots_[slot])) {
        return;
    }
    const std::uint64_t time_ns = slots_[slot].time_ns;
    if (time_ns < latest_read_ns_) {
        ++reordered_;
    }
    latest_read_ns_ = std::max(latest_read_ns_, time_ns);
    heap_.push_back({time_ns, next_sequence_++, slot});
    std::push_heap(heap_.begin(), heap_.end(), later);
}

bool ReorderWindow::read(TraceRecord& record) {
    while (slots_.size() < window_ && heap_.size() == slots_.size()) {
        slots_.emplace_back();
        read_into(slots_.size() - 1);
    }
    if (heap_.empty()) {
        counts_ = reader_->counts();
        counts_.reordered = reordered_;
        counts_.clamped = clamped_;
        return false;
    }
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    std::swap(record, slots_[entry.slot]);
    if (given_++ == 0) {
        first_ns_ = record.time_ns;
        last_ns_ = record.time_ns;
    }
    if (record.time_ns < last_ns_ || record.time_ns - first_ns_ > kLongestSpanNs) {
        record.time_ns = last_ns_;
        ++clamped_;
    }
    last_ns_ = record.time_ns;
    read_into(entry.slot);
    counts_ = reader_->counts();
    counts_.reordered = reordered_;
    counts_.clamped = clamped_;
    return true;
}

}  // namespace solidtlm::testbench
