// SPDX-License-Identifier: Apache-2.0
//
// Splits a request into ATA commands as libata does: reads and writes of at most max_sectors, and TRIM as
// DATA SET MANAGEMENT with entries of at most 65,535 sectors. A contiguous discard is sent one 512-byte block
// (64 entries) per command, as libata does; a request of several ranges uses as many blocks per command as
// the drive takes.
#pragma once

#include <cstdint>

#include "hw/sata/dsm.h"
#include "testbench/sim/host/command.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

class Splitter {
  public:
    struct Limits {
        std::uint32_t max_sectors = 2560;
        std::uint32_t max_dsm_blocks = 1;  ///< blocks of 64 ranges; ATA: IDENTIFY word 105
        std::uint32_t max_range_sectors = hw::kMaxDsmEntrySectors;
    };

    /// Starts a new request, which must exist until done().
    void begin(const Request& request, const Limits& limits);
    [[nodiscard]] bool done() const { return done_; }
    /// Fills in operation, address, length, flags, ranges and identities of the next command. REQUIRES: not
    /// done().
    void next(Command& command);

  private:
    void next_transfer(Command& command);
    void next_trim(Command& command);

    const Request* request_ = nullptr;
    Limits limits_;
    bool done_ = true;
    std::uint64_t offset_ = 0;  // sectors of the request, or of the present range, that are done
    std::size_t range_ = 0;
};

}  // namespace solidtlm::testbench
