// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/bank_timing.h"

#include <algorithm>
#include <cmath>

namespace solidtlm::hw {

using hal::Ps;

BankTiming::BankTiming(const DramConfig& config)
    : t_cas_(config.t_cas),
      t_rcd_(config.t_rcd),
      t_rp_(config.t_rp),
      row_bytes_(config.row_bytes),
      burst_bytes_(std::uint64_t{config.burst_length} * config.bus_bytes),
      ps_per_byte_(1e6 / (config.data_rate_mt_per_s * config.bus_bytes)),
      open_row_(config.banks, kClosed) {}

void BankTiming::close_all() {
    std::fill(open_row_.begin(), open_row_.end(), kClosed);
}

Ps BankTiming::bus_time(std::uint64_t bytes) const {
    return Ps{std::llround(static_cast<double>(bytes) * ps_per_byte_)};
}

Ps BankTiming::open(std::uint64_t bank, std::uint64_t row) {
    std::uint64_t& current = open_row_[bank];
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
    const std::uint64_t banks = open_row_.size();
    const std::uint64_t end = address.value + bytes;
    Access result;
    Ps data_begin{0};
    Ps data_end{0};
    for (std::uint64_t begin = address.value; begin < end;) {
        const std::uint64_t row_index = begin / row_bytes_;
        const std::uint64_t row_end = std::min(end, (row_index + 1) * row_bytes_);
        const std::uint64_t bursts = (row_end + burst_bytes_ - 1) / burst_bytes_ - begin / burst_bytes_;
        const Ps preparation = open(row_index % banks, row_index / banks);
        if (begin == address.value) {
            data_begin = result.data_begin = preparation + t_cas_;
        } else if (banks > 1) {
            // Prepared from the previous column command, which was CL before the previous data.
            data_begin = std::max(data_end, data_begin + preparation);
        } else {
            data_begin = data_end + preparation + t_cas_;
        }
        data_end = data_begin + bus_time(bursts * burst_bytes_);
        begin = row_end;
    }
    result.duration = data_end;
    return result;
}

}  // namespace solidtlm::hw
