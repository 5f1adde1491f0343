// SPDX-License-Identifier: Apache-2.0
//
// Sends the host pages from the device itself. By PIO: blocks of 512 bytes, each a PIO Setup FIS and a Data
// FIS (Serial ATA 3.x, clause 10.5.11). By DMA: one Data FIS, after which the caller of begin() sends the
// Register FIS (ACS-3, READ LOG DMA EXT).
#pragma once

#include <span>
#include <vector>

#include "hw/sata/frame_sender.h"
#include "hw/sata/log_page.h"

namespace solidtlm::hw {

class PageAnswer {
  public:
    explicit PageAnswer(FrameSender& sender) : sender_(sender) {}

    /// Begins to send `pages`. REQUIRES: not active, at least one page, and by DMA at most what fits into a
    /// Data FIS.
    void begin(std::span<const LogPage> pages, bool by_dma);
    [[nodiscard]] bool active() const { return state_.active; }
    [[nodiscard]] bool by_dma() const { return state_.by_dma; }
    /// True if the link has a Data FIS of the answer.
    [[nodiscard]] bool in_link() const { return state_.in_link; }
    /// That FIS has gone. True: it was the last one.
    bool sent();
    /// Sends no further block.
    void abort() { state_.active = false; }
    void power_cut() { state_ = {}; }

  private:
    void send_block();
    void send_all();

    FrameSender& sender_;
    struct Volatile {
        std::vector<LogPage> pages;
        std::size_t next = 0;
        bool by_dma = false;
        bool active = false;
        bool in_link = false;
    } state_;
};

}  // namespace solidtlm::hw
