// SPDX-License-Identifier: Apache-2.0
//
// The two buffers for received frames. When both are full, the link withholds R_RDY.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/hal/check.h"
#include "hw/sata/fis.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw::ahci {

struct ReceivedFrame {
    std::vector<std::uint8_t> header;
    std::vector<std::byte> content;
    Ps arrived{0};
    bool looked_at = false;  ///< its signature has been read while FRE was clear

    [[nodiscard]] FisType type() const { return static_cast<FisType>(header[0]); }
};

class ReceivedFrames {
  public:
    ReceivedFrames();

    /// Accepts a frame that will arrive later. False if there is no room for a further one until drop() or
    /// clear() returns true. REQUIRES: room for this one.
    bool take(std::span<const std::uint8_t> header, std::span<const std::byte> content);
    /// The next accepted frame has arrived. False if it was accepted before clear().
    bool arrive(Ps now);
    [[nodiscard]] bool waiting() const { return arrived_ > 0; }
    /// REQUIRES: waiting().
    [[nodiscard]] ReceivedFrame& first() {
        SOLIDTLM_CHECK(waiting(), "a frame is waiting");
        return frames_[first_];
    }
    /// Keeps the first frame's buffer in use until it is dropped.
    void use_first() { in_use_ = true; }
    [[nodiscard]] bool in_use() const { return in_use_; }

    /// Removes the first frame. True if there is room again.
    [[nodiscard]] bool drop();
    /// Removes all frames; a buffer in use stays so until it is dropped. True if there is room again.
    [[nodiscard]] bool clear();

  private:
    static constexpr std::size_t kFrames = 2;
    std::array<ReceivedFrame, kFrames> frames_;
    std::size_t first_ = 0;
    std::size_t taken_ = 0;
    std::size_t arrived_ = 0;  // of taken_, those that have arrived
    bool in_use_ = false;      // the first frame's buffer is in use
    bool full_ = false;        // the link has been told that both buffers are full
};

}  // namespace solidtlm::hw::ahci
