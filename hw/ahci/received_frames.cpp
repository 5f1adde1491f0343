// SPDX-License-Identifier: Apache-2.0
#include "hw/ahci/received_frames.h"

#include <utility>

#include "fw/hal/check.h"
#include "hw/ahci/registers.h"

namespace solidtlm::hw::ahci {

ReceivedFrames::ReceivedFrames() {
    for (ReceivedFrame& frame : frames_) {
        frame.header.reserve(FisExtension::kMaxHeaderBytes);
        frame.content.reserve(kMaxDataFisBytes);
    }
}

bool ReceivedFrames::take(std::span<const std::uint8_t> header, std::span<const std::byte> content) {
    SOLIDTLM_CHECK(taken_ < kFrames, "the port has room for the frame");
    ReceivedFrame& frame = frames_[(first_ + taken_) % kFrames];
    frame.header.assign(header.begin(), header.end());
    frame.content.assign(content.begin(), content.end());
    frame.looked_at = false;
    ++taken_;
    full_ = taken_ == kFrames;
    return !full_;
}

bool ReceivedFrames::arrive(Ps now) {
    if (arrived_ == taken_) {
        return false;
    }
    frames_[(first_ + arrived_) % kFrames].arrived = now;
    ++arrived_;
    return true;
}

bool ReceivedFrames::drop() {
    in_use_ = false;
    first_ = (first_ + 1) % kFrames;
    --taken_;
    --arrived_;
    return std::exchange(full_, false);
}

bool ReceivedFrames::clear() {
    taken_ = arrived_ = in_use_ ? 1 : 0;
    return std::exchange(full_, false);
}

}  // namespace solidtlm::hw::ahci
