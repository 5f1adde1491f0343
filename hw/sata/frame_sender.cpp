// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/frame_sender.h"

namespace solidtlm::hw {

void FrameSender::send(const FisHeader& header, std::byte* content, std::uint32_t bytes) {
    if (deferred_.empty()) {
        hand_over(header, content, bytes);
    } else {
        deferred_.push(header);  // only status follows what ends a queue
    }
}

void FrameSender::send_when_drained(const FisHeader& header) {
    deferred_.push(header);
    flush();
}

void FrameSender::sent() {
    --in_link_;
    flush();
}

void FrameSender::flush() {
    if (in_link_ > 0) {
        return;
    }
    while (!deferred_.empty()) {
        hand_over(deferred_.pop(), nullptr, 0);
    }
}

void FrameSender::hand_over(const FisHeader& header, std::byte* content, std::uint32_t bytes) {
    ++in_link_;
    link_.send(SataFrame{header, nullptr, content, bytes});
}

void FrameSender::power_cut() {
    deferred_.clear();
    in_link_ = 0;
}

}  // namespace solidtlm::hw
