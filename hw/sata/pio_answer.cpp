// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/pio_answer.h"

#include "hw/sata/ata.h"

namespace solidtlm::hw {

void PioAnswer::begin(std::span<const LogPage> pages) {
    pages_.assign(pages.begin(), pages.end());
    next_ = 0;
    active_ = true;
    send_block();
}

bool PioAnswer::sent() {
    in_link_ = false;
    if (!active_) {
        return false;  // aborted meanwhile
    }
    if (next_ < pages_.size()) {
        send_block();
        return false;
    }
    active_ = false;
    return true;
}

void PioAnswer::send_block() {
    const bool last = next_ + 1 == pages_.size();
    PioSetup setup;
    setup.interrupt = true;
    setup.device_to_host = true;
    setup.status = ata::kStatusOk | ata::kDrq;
    setup.device = ata::kDeviceLba;
    setup.end_status = last ? ata::kStatusOk : std::uint8_t{ata::kStatusOk | ata::kBusy};
    setup.transfer_bytes = hal::kSectorBytes;
    sender_.send(encode(setup));
    sender_.send(encode_data(), pages_[next_].data(), hal::kSectorBytes);
    in_link_ = true;
    ++next_;
}

}  // namespace solidtlm::hw
