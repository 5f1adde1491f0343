// SPDX-License-Identifier: Apache-2.0
//
// Completes slots of the write buffer before they are programmed: reads from flash the sectors that the host
// has not written.
#pragma once

#include <span>
#include <vector>

#include "fw/ftl/translation.h"
#include "fw/host/write_buffer.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

class BufferFill {
  public:
    BufferFill(Environment& environment, WriteBuffer& buffer)
        : environment_(environment), buffer_(buffer), join_(environment.executor) {}

    /// Reads what partly written ones of `slots` lack; where that fails they stay incomplete. Returns how
    /// many were partly written. `ledger` (may be null) follows the reads.
    Task<std::uint32_t> run(std::span<const Slot> slots, LogicalReader& reader, Ledger* ledger);

  private:
    std::uint32_t gather(std::span<const Slot> slots);
    void settle(std::span<const Slot> slots, const LogicalReader& reader);

    Environment& environment_;
    WriteBuffer& buffer_;
    Join join_;
    std::vector<LogicalRead> reads_;
};

}  // namespace solidtlm::fw
