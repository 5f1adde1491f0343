// SPDX-License-Identifier: Apache-2.0
//
// How long an access keeps the DRAM busy, given which rows its banks have open (open-page policy, JEDEC
// JESD79-3F 4.3-4.14: ACTIVATE, READ, WRITE, PRECHARGE).
//
// Address mapping: row : bank : column. One row's worth of consecutive addresses lies in one bank, the next
// row's worth in the next bank, so that sequential traffic rotates over the banks.
//
// Time of an access, from its first command to its last data:
//   row hit       CL + burst                  the row is open
//   closed        tRCD + CL + burst           no row is open in the bank
//   conflict      tRP + tRCD + CL + burst     another row is open
// burst = whole bursts touched * burst_length / data_rate. Reads and writes take the same time (CWL = CL, no
// bus turnaround). An access that crosses the end of its row continues in the next bank, which is precharged
// and activated during the running burst, from the column command of the previous row on; its data follows
// without a gap unless the burst was shorter than the activation. With one bank nothing overlaps, and
// successive accesses never overlap. Refresh is not modelled.
#pragma once

#include <cstdint>
#include <vector>

#include "fw/hal/types.h"
#include "hw/dram/config.h"

namespace solidtlm::hw {

class BankTiming {
  public:
    /// REQUIRES: banks, row_bytes, burst_length and bus_bytes are powers of two.
    explicit BankTiming(const DramConfig& config);

    struct Access {
        hal::Ps data_begin{0};  ///< from the first command to the first data
        hal::Ps duration{0};    ///< from the first command to the last data
    };
    struct RowCounts {
        std::uint64_t hits = 0;
        std::uint64_t closed = 0;
        std::uint64_t conflicts = 0;
    };

    /// Time of an access, which leaves open the rows that it touched. REQUIRES: bytes > 0.
    Access access(hal::DramAddress address, std::uint32_t bytes);
    /// True if `count` accesses of `bytes`, each beginning where the previous one ended, lie in one row and
    /// touch equally many bursts.
    [[nodiscard]] bool alike(hal::DramAddress address, std::uint32_t bytes, std::uint32_t count) const;
    /// Time of `count` more accesses like the last one. REQUIRES: alike() is true for them.
    hal::Ps hits(std::uint32_t bytes, std::uint32_t count);
    /// All banks precharged, as after power-up.
    void close_all();

    /// Time of `bytes` on the data bus.
    [[nodiscard]] hal::Ps bus_time(std::uint64_t bytes) const;
    [[nodiscard]] const RowCounts& rows() const { return rows_; }

  private:
    static constexpr std::uint64_t kClosed = ~std::uint64_t{0};

    /// Opens a row (rows are numbered over all banks); returns the time before the column command.
    hal::Ps open(std::uint64_t row);

    hal::Ps t_cas_;
    hal::Ps t_rcd_;
    hal::Ps t_rp_;
    unsigned row_shift_;    ///< a row has 2^row_shift_ bytes
    unsigned burst_shift_;  ///< a burst has 2^burst_shift_ bytes
    double ps_per_byte_;
    std::vector<hal::Ps> burst_time_;      ///< by number of bursts, up to those of a whole row
    std::vector<std::uint64_t> open_row_;  ///< by bank
    bool hides_ = false;                   ///< data of a whole row take longer than any activation
    RowCounts rows_;
};

}  // namespace solidtlm::hw
