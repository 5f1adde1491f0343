// SPDX-License-Identifier: Apache-2.0
//
// Reads full superblocks while the host is idle, so that data which gets hard to read is moved before it is
// lost, even if the host never reads it (docs/reliability.md). One pass reads all of them, superpage by
// superpage; the next pass begins only after new data has been written.
#pragma once

#include <cstdint>
#include <vector>

#include "fw/drive/services.h"
#include "fw/flash/superblock_table.h"
#include "fw/hal/metrics.h"
#include "fw/hal/state_archive.h"
#include "fw/runtime/signal.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

class Patrol {
  public:
    Patrol(Services& services, const SuperblockTable& table);

    void start() { services_.executor.spawn(work()); }
    /// Data was written: another pass is needed.
    void written() {
        due_ = true;
        if (wake_.has_waiters()) {
            wake_.notify();
        }
    }
    /// True if no page is being read or about to be.
    [[nodiscard]] bool at_rest() const { return wake_.has_waiters(); }
    void serialize(hal::StateArchive& archive) { archive(due_); }
    void reset_counters() { superpages_ = unreadable_ = 0; }
    void tell(hal::Metrics& metrics) const;

  private:
    Task<void> work();
    Task<void> read(SuperpageAddress at);
    [[nodiscard]] bool holds_data(const SuperpageAddress& at) const;

    Services& services_;
    const SuperblockTable& table_;
    Signal wake_;
    bool due_ = true;
    std::vector<hal::FlashPiece> pieces_;  // whole pages, whose data is discarded
    std::uint64_t superpages_ = 0;
    std::uint64_t unreadable_ = 0;
};

}  // namespace solidtlm::fw
