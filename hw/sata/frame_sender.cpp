// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/frame_sender.h"

namespace solidtlm::hw {

void FrameSender::send(const FisHeader& header, std::byte* content, std::uint32_t bytes) {
    send(SataFrame{header, nullptr, content, bytes}, now());
}

void FrameSender::send_when_drained(const FisHeader& header) {
    deferred_.push(header);
    flush(now());
}

void FrameSender::power_cut() {
    deferred_.clear();
    in_link_ = 0;
}

}  // namespace solidtlm::hw
