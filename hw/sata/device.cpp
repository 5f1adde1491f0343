// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/device.h"

#include "fw/hal/check.h"

namespace solidtlm::hw {
namespace {
constexpr std::uint8_t kDirectionBit = 0x20;
}  // namespace

SataDevice::SataDevice(const sc_core::sc_module_name& name, const SataConfig& config)
    : AgendaModule(name),
      link(*this, ata::kMostFrames),
      dram_init("dram_init", ata::kMostSlots),
      config_(config),
      data_path_(*this, config_, sender_, dram_init),
      commands_(*this, config_, sender_, data_path_) {
    SOLIDTLM_CHECK(config.exported_sectors > 0 && config.queue_depth >= 1 && config.queue_depth <= ata::kTags,
                   "sectors, and a queue of 1 to 32 commands");
}

void SataDevice::transfer(hal::HostTransfer& transfer) {
    at<&SataDevice::transfer_asked>(now(), commands_.take_transfer(transfer));
}

void SataDevice::complete(hal::HostCommand& command, hal::HostStatus status) {
    auto& slot = static_cast<Slot&>(command);
    if (!slot.aborted) {
        slot.ledger->enter(hal::Stage::completion, now());
    }
    slot.result = status;
    at<&SataDevice::completed>(now(), &slot);
}

void SataDevice::power_cut() {
    drop_work();
    received_.clear();
    data_path_.power_cut();
    commands_.power_cut();
    sender_.power_cut();
}

void SataDevice::frame_came(const SataFrame& frame, Ps at, bool alone) {
    if (frame.header.type() == FisType::data && !data_path_.accept_data(frame.content, frame.bytes)) {
        if (outstanding() > 0) {
            SC_REPORT_ERROR(kReport, "a Data FIS that no command waits for");
        }
        return;  // data of a command that was aborted meanwhile
    }
    if (alone) {
        received(frame);
    } else {
        received_.push(frame);
        this->at<&SataDevice::take_received>(at);
    }
}

void SataDevice::frame_gone(const SataFrame& frame, bool alone) {
    const bool to_host = (frame.header.bytes[1] & kDirectionBit) != 0;
    if (alone) {
        sent(frame.header.type(), to_host, frame.held);
    } else {
        at<&SataDevice::frame_sent>(now(), static_cast<std::uint64_t>(frame.held.count()) << kHeldShift |
                                               (to_host ? kToHost : 0) | frame.header.bytes[0]);
    }
}

void SataDevice::signalled(LinkSignal signal) {
    at<&SataDevice::take_signal>(now(), static_cast<std::uint64_t>(signal));
}

void SataDevice::take_received() {
    received(received_.pop());
}

void SataDevice::received(const SataFrame& frame) {
    switch (frame.header.type()) {
        case FisType::register_h2d:
            commands_.received(decode<RegisterH2d>(frame.header.bytes.data()), frame.ledger);
            break;
        case FisType::data:
            if (Slot* slot = data_path_.data_received(frame.gathered); slot != nullptr) {
                commands_.internal_data_arrived(*slot);
            }
            break;
        default:
            SC_REPORT_ERROR(kReport, "a FIS that a host does not send");
            break;
    }
}

void SataDevice::take_signal(std::uint64_t signal) {
    if (static_cast<LinkSignal>(signal) == LinkSignal::comreset) {
        commands_.comreset();
    } else {
        commands_.send_signature();
    }
}

void SataDevice::frame_sent(std::uint64_t frame) {
    sent(static_cast<FisType>(frame & 0xff), (frame & kToHost) != 0,
         Ps{static_cast<std::int64_t>(frame >> kHeldShift)});
}

void SataDevice::sent(FisType type, bool to_host, Ps held) {
    sender_.sent();
    if (commands_.sent(type)) {
        return;
    }
    if (Slot* slot = data_path_.frame_sent(type, to_host, held); slot != nullptr) {
        commands_.pio_read_sent(*slot);
    }
}

void SataDevice::transfer_asked(Slot* slot) {
    if (slot == nullptr) {
        commands_.end_late_transfer();
    } else if (!slot->transfers.empty()) {  // not aborted at this very instant
        data_path_.transfer_asked(*slot);
    }
}

void SataDevice::completed(Slot* slot) {
    commands_.completed(*slot, slot->result);
}

}  // namespace solidtlm::hw
