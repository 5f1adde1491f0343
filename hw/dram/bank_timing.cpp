// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/bank_timing.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fw/hal/check.h"

namespace solidtlm::hw {

using hal::Ps;

namespace {

unsigned log2_of(std::uint64_t power_of_two) {
    return static_cast<unsigned>(std::countr_zero(power_of_two));
}

}  // namespace

BankTiming::BankTiming(const DramConfig& config)
    : t_cas_(config.t_cas),
      t_rcd_(config.t_rcd),
      t_rp_(config.t_rp),
      row_shift_(log2_of(config.row_bytes)),
      burst_shift_(log2_of(std::uint64_t{config.burst_length} * config.bus_bytes)),
      ps_per_byte_(1e6 / (config.data_rate_mt_per_s * config.bus_bytes)),
      open_row_(config.banks, kClosed) {
    SOLIDTLM_CHECK(std::has_single_bit(config.banks) && std::has_single_bit(config.row_bytes) &&
                       std::has_single_bit(config.burst_length) && std::has_single_bit(config.bus_bytes),
                   "banks, rows, bursts and bus are powers of two");
    const std::uint64_t most = std::max<std::uint64_t>(1, config.row_bytes >> burst_shift_);
    for (std::uint64_t bursts = 0; bursts <= most; ++bursts) {
        burst_time_.push_back(bus_time(bursts << burst_shift_));
    }
    hides_ = config.banks > 1 && burst_time_.back() >= t_rp_ + t_rcd_;
}

void BankTiming::close_all() {
    std::fill(open_row_.begin(), open_row_.end(), kClosed);
}

Ps BankTiming::bus_time(std::uint64_t bytes) const {
    return Ps{std::llround(static_cast<double>(bytes) * ps_per_byte_)};
}

inline Ps BankTiming::open(std::uint64_t row) {
    std::uint64_t& current = open_row_[row & (open_row_.size() - 1)];
    if (current == row) {
        ++rows_.hits;
        return Ps{0};
    }
    const bool was_closed = current == kClosed;
    current = row;
    if (was_closed) {
        ++rows_.closed;
        return t_rcd_;
    }
    ++rows_.conflicts;
    return t_rp_ + t_rcd_;
}

BankTiming::Access BankTiming::access(hal::DramAddress address, std::uint32_t bytes) {
    SOLIDTLM_CHECK(bytes > 0, "an access moves at least one byte");
    const std::uint64_t first_burst = address.value >> burst_shift_;
    const std::uint64_t last_burst = (address.value + bytes - 1) >> burst_shift_;
    const unsigned shift = row_shift_ - burst_shift_;
    const std::uint64_t last_row = last_burst >> shift;
    const bool overlaps = open_row_.size() > 1;
    std::uint64_t row = first_burst >> shift;
    Ps data_begin = open(row) + t_cas_;
    const Ps first_data = data_begin;
    std::uint64_t begin = first_burst;
    while (row != last_row && !(hides_ && begin == row << shift)) {
        ++row;
        const Ps data_end = data_begin + burst_time_[(row << shift) - begin];
        begin = row << shift;
        // The row was opened from the previous column command on, which came CL before the previous data.
        data_begin = overlaps ? std::max(data_end, data_begin + open(row)) : data_end + open(row) + t_cas_;
    }
    if (row != last_row) {  // a whole row, whose burst hides all activations
        data_begin += static_cast<std::int64_t>(last_row - row) * burst_time_.back();
        begin = last_row << shift;
        while (row != last_row) {
            open(++row);
        }
    }
    return {first_data, data_begin + burst_time_[last_burst + 1 - begin]};
}

bool BankTiming::alike(hal::DramAddress address, std::uint32_t bytes, std::uint32_t count) const {
    const std::uint64_t last = address.value + std::uint64_t{count} * bytes - 1;
    return std::has_single_bit(bytes) && address.value % bytes == 0 &&
           address.value >> row_shift_ == last >> row_shift_;
}

Ps BankTiming::hits(std::uint32_t bytes, std::uint32_t count) {
    rows_.hits += count;
    return std::int64_t{count} * (t_cas_ + burst_time_[std::max(1U, bytes >> burst_shift_)]);
}

}  // namespace solidtlm::hw
