// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/frame_sender.h"

namespace solidtlm::hw {

void FrameSender::send(const FisHeader& header, std::byte* content, std::uint32_t bytes) {
    send(SataFrame{header, nullptr, content, bytes}, now());
}

void FrameSender::send(const SataFrame& frame, Ps at) {
    if (deferred_.empty()) {
        hand_over(frame, at);
    } else {
        deferred_.push(frame.header);  // after a FIS that ends a queue comes only status
    }
}

void FrameSender::send_when_drained(const FisHeader& header) {
    deferred_.push(header);
    flush(now());
}

void FrameSender::sent(Ps at) {
    --in_link_;
    flush(at);
}

void FrameSender::flush(Ps at) {
    if (in_link_ > 0) {
        return;
    }
    while (!deferred_.empty()) {
        hand_over(SataFrame{deferred_.pop()}, at);
    }
}

void FrameSender::hand_over(const SataFrame& frame, Ps at) {
    ++in_link_;
    link_.send(frame, at);
}

void FrameSender::power_cut() {
    deferred_.clear();
    in_link_ = 0;
}

}  // namespace solidtlm::hw
