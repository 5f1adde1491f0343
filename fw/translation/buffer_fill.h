// SPDX-License-Identifier: Apache-2.0
//
// Completes slots of the write buffer before they are programmed: reads from flash the sectors that the host
// has not written.
#pragma once

#include <span>
#include <vector>

#include "fw/buffer/write_buffer.h"
#include "fw/runtime/join.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

class BufferFill {
  public:
    BufferFill(Services& services, WriteBuffer& buffer)
        : buffer_(buffer), join_(services.executor, "flash reads that complete buffered pages") {}

    /// Finds the missing sectors of `slots`. Returns how many slots were written in part.
    std::uint32_t prepare(std::span<const Slot> slots);
    /// Reads the missing sectors; if that fails, their slots stay incomplete. `ledger` (may be null) follows
    /// the reads. REQUIRES: prepare() for the same slots.
    Task<void> run(std::span<const Slot> slots, LogicalReader& reader, Ledger* ledger);

  private:
    Task<void> read(std::span<const Slot> slots, LogicalReader& reader, Ledger* ledger);
    Task<void> read_alone(LogicalReader& reader, Ledger* ledger);
    void settle(std::span<const Slot> slots);

    WriteBuffer& buffer_;
    Join join_;
    std::vector<LogicalRead> reads_;       // each within a single unit
    std::vector<LogicalRead> unreadable_;  // the reads that failed
    std::size_t slots_ = 0;                // number of slots in prepare()
};

}  // namespace solidtlm::fw
