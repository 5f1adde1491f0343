// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/page_answer.h"

#include "fw/hal/check.h"
#include "hw/sata/ata.h"

namespace solidtlm::hw {

void PageAnswer::begin(std::span<const LogPage> pages, bool by_dma) {
    SOLIDTLM_CHECK(!active_ && !pages.empty(), "no answer is active, and there is at least one page");
    SOLIDTLM_CHECK(!by_dma || pages.size_bytes() <= kMaxDataFisBytes,
                   "an answer by DMA fits into one Data FIS");
    pages_.assign(pages.begin(), pages.end());
    next_ = 0;
    by_dma_ = by_dma;
    active_ = true;
    if (by_dma_) {
        send_all();
    } else {
        send_block();
    }
}

bool PageAnswer::sent() {
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

void PageAnswer::send_block() {
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

void PageAnswer::send_all() {
    const auto bytes = static_cast<std::uint32_t>(pages_.size() * hal::kSectorBytes);
    sender_.send(encode_data(), pages_.front().data(), bytes);
    in_link_ = true;
    next_ = pages_.size();
}

}  // namespace solidtlm::hw
