// SPDX-License-Identifier: Apache-2.0
//
// A PIO data-in answer of the device itself: blocks of 512 bytes, each a PIO Setup FIS and a Data FIS (Serial
// ATA 3.x, clause 10.5.11).
#pragma once

#include <span>
#include <vector>

#include "hw/sata/frame_sender.h"
#include "hw/sata/log_pages.h"

namespace solidtlm::hw {

class PioAnswer {
  public:
    explicit PioAnswer(FrameSender& sender) : sender_(sender) {}

    /// REQUIRES: not active, at least one page.
    void begin(std::span<const LogPage> pages);
    [[nodiscard]] bool active() const { return active_; }
    /// The Data FIS that the link has is one of its own.
    [[nodiscard]] bool in_link() const { return in_link_; }
    /// That FIS has gone. True: it was the last one.
    bool sent();
    /// No further block is sent.
    void abort() { active_ = false; }
    void power_cut() { active_ = in_link_ = false; }

  private:
    void send_block();

    FrameSender& sender_;
    std::vector<LogPage> pages_;
    std::size_t next_ = 0;
    bool active_ = false;
    bool in_link_ = false;
};

}  // namespace solidtlm::hw
