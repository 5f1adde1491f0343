// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/device.h"

#include "fw/hal/check.h"

namespace solidtlm::hw {
namespace {
constexpr std::uint8_t kDirectionBit = 0x20;
}  // namespace

SataDevice::SataDevice(const sc_core::sc_module_name& name, const SataConfig& config)
    : AgendaModule(name),
      link_target("link_target"),
      link_init("link_init"),
      dram_init("dram_init", ata::kMostSlots),
      config_(config),
      data_path_(config_, sender_, *this),
      commands_(config_, sender_, data_path_) {
    SOLIDTLM_CHECK(config.exported_sectors > 0 && config.queue_depth >= 1 && config.queue_depth <= ata::kTags,
                   "sectors, and a queue of 1 to 32 commands");
    link_target.register_nb_transport_fw(this, &SataDevice::link_nb_transport_fw);
    link_target.register_b_transport(this, &SataDevice::link_b_transport);
    link_init.register_nb_transport_bw(this, &SataDevice::link_nb_transport_bw);
}

void SataDevice::transfer(hal::HostTransfer& transfer) {
    data_path_.catch_up();
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
    data_path_.cut_stretch();
    drop_work();
    while (!received_.empty()) {
        received_.pop()->release();
    }
    data_path_.power_cut();
    commands_.power_cut();
    sender_.power_cut();
}

tlm::tlm_sync_enum SataDevice::link_nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ || delay != sc_core::SC_ZERO_TIME) {
        SC_REPORT_FATAL(kReport, "a frame arrives with BEGIN_REQ and no delay");
        return tlm::TLM_COMPLETED;
    }
    const auto* fis = payload.get_extension<FisExtension>();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (fis->signal != LinkSignal::none) {
        at<&SataDevice::signalled>(now(), static_cast<std::uint64_t>(fis->signal));
        return tlm::TLM_COMPLETED;
    }
    if (fis->header[0] == static_cast<std::uint8_t>(FisType::data) &&
        !data_path_.accept_data(reinterpret_cast<const std::byte*>(payload.get_data_ptr()),
                                payload.get_data_length())) {
        if (outstanding() > 0) {
            SC_REPORT_ERROR(kReport, "a Data FIS that no command waits for");
        }
        return tlm::TLM_COMPLETED;  // of a command that was aborted meanwhile
    }
    payload.acquire();
    received_.push(&payload);
    at<&SataDevice::frame_received>(now());
    return tlm::TLM_COMPLETED;
}

void SataDevice::link_b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    SC_REPORT_FATAL(kReport, "frames are not moved by b_transport");
}

tlm::tlm_sync_enum SataDevice::link_nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time&) {
    if (phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL(kReport, "a frame that was sent ends with BEGIN_RESP");
    }
    const auto* fis = payload.get_extension<FisExtension>();
    at<&SataDevice::frame_sent>(now(), static_cast<std::uint64_t>(fis->held.count()) << kHeldShift |
                                           ((fis->header[1] & kDirectionBit) != 0 ? kToHost : 0) |
                                           fis->header[0]);
    return tlm::TLM_COMPLETED;
}

void SataDevice::frame_received() {
    tlm::tlm_generic_payload& payload = *received_.pop();
    const auto* extension = payload.get_extension<FisExtension>();
    switch (static_cast<FisType>(extension->header[0])) {
        case FisType::register_h2d:
            commands_.received(decode_register_h2d(extension->header.data()), extension->ledger);
            break;
        case FisType::data:
            data_path_.data_received(extension->gathered);
            break;
        default:
            SC_REPORT_ERROR(kReport, "a FIS that a host does not send");
            break;
    }
    payload.release();
}

void SataDevice::signalled(std::uint64_t signal) {
    if (static_cast<LinkSignal>(signal) == LinkSignal::comreset) {
        commands_.comreset();
    } else {
        commands_.send_signature();
    }
}

void SataDevice::frame_sent(std::uint64_t frame) {
    const auto fis = static_cast<FisType>(frame & 0xff);
    sender_.sent();
    if (!commands_.sent(fis)) {
        data_path_.frame_sent(fis, (frame & kToHost) != 0,
                              Ps{static_cast<std::int64_t>(frame >> kHeldShift)});
    }
}

void SataDevice::transfer_asked(Slot* slot) {
    if (slot == nullptr) {
        commands_.end_late_transfer();
    } else if (!slot->transfers.empty()) {  // not aborted in this very instant
        data_path_.transfer_asked(*slot);
    }
}

void SataDevice::completed(Slot* slot) {
    commands_.completed(*slot, slot->result);
}

void SataDevice::access_dram(bool write, const TransferQueue::Run& run, std::byte* content) {
    const auto times = dram_init.access(DramRequest{write, run.address, run.bytes, content, this}, now());
    if (times) {
        dram_ends(now() + times->sum(), *times);
    }
}

void SataDevice::dram_ends(Ps when, const DramTimes& times) {
    dram_times_ = times;
    at<&SataDevice::dram_done>(when);
}

void SataDevice::stretch_due(Ps when) {
    if (when == Agenda::kNever) {
        stretch_over_.disarm();
    } else {
        stretch_over_.arm(when);
    }
}

}  // namespace solidtlm::hw
