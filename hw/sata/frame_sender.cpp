// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/frame_sender.h"

namespace solidtlm::hw {

void FrameSender::send(const FisHeader& header, std::byte* content, std::uint32_t bytes) {
    send(SataFrame{header, nullptr, content, bytes});
}

void FrameSender::send_when_drained(const FisHeader& header) {
    state_.deferred.push(header);
    flush();
}

}  // namespace solidtlm::hw
