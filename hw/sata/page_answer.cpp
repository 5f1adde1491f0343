// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/page_answer.h"

#include "fw/hal/check.h"
#include "hw/sata/ata.h"

namespace solidtlm::hw {

void PageAnswer::begin(std::span<const LogPage> pages, bool by_dma) {
    SOLIDTLM_CHECK(!state_.active && !pages.empty(), "no answer is active, and there is at least one page");
    SOLIDTLM_CHECK(!by_dma || pages.size_bytes() <= kMaxDataFisBytes,
                   "an answer by DMA fits into one Data FIS");
    state_.pages.assign(pages.begin(), pages.end());
    state_.next = 0;
    state_.by_dma = by_dma;
    state_.active = true;
    if (state_.by_dma) {
        send_all();
    } else {
        send_block();
    }
}

bool PageAnswer::sent() {
    state_.in_link = false;
    if (!state_.active) {
        return false;  // aborted meanwhile
    }
    if (state_.next < state_.pages.size()) {
        send_block();
        return false;
    }
    state_.active = false;
    return true;
}

void PageAnswer::send_block() {
    const bool last = state_.next + 1 == state_.pages.size();
    PioSetup setup;
    setup.interrupt = true;
    setup.device_to_host = true;
    setup.status = ata::kStatusOk | ata::kDrq;
    setup.device = ata::kDeviceLba;
    setup.end_status = last ? ata::kStatusOk : std::uint8_t{ata::kStatusOk | ata::kBusy};
    setup.transfer_bytes = hal::kSectorBytes;
    sender_.send(encode(setup));
    sender_.send(encode_data(), state_.pages[state_.next].data(), hal::kSectorBytes);
    state_.in_link = true;
    ++state_.next;
}

void PageAnswer::send_all() {
    const auto bytes = static_cast<std::uint32_t>(state_.pages.size() * hal::kSectorBytes);
    sender_.send(encode_data(), state_.pages.front().data(), bytes);
    state_.in_link = true;
    state_.next = state_.pages.size();
}

}  // namespace solidtlm::hw
