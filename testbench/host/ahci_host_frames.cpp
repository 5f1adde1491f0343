// SPDX-License-Identifier: Apache-2.0
//
// The link side of AhciHost.
#include <algorithm>
#include <bit>
#include <cstring>

#include "testbench/host/ahci_host.h"

namespace solidtlm::testbench {

namespace ata = hw::ata;
using hal::Stage;
using hw::FisType;
using hw::now;

namespace {
constexpr const char* kReport = "/host/ahci";
}

tlm::tlm_sync_enum AhciHost::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) {
        SC_REPORT_FATAL(kReport, "a frame arrives with BEGIN_REQ");
        return tlm::TLM_COMPLETED;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const auto& header = payload.get_extension<hw::FisExtension>()->header;
    if (header[0] == static_cast<std::uint8_t>(FisType::data)) {
        take_data(payload);
        if (internal_ == Internal::none) {
            return tlm::TLM_COMPLETED;  // the status that follows says what becomes of the command
        }
    } else if (header[0] == static_cast<std::uint8_t>(FisType::dma_setup)) {
        // Now, because over an ideal link its data may come in this very instant.
        data_tag_ = hw::decode_dma_setup(header.data()).tag;
    }
    payload.acquire();
    ++arriving_;
    at<&AhciHost::frame_arrived>(now() + hw::to_ps(delay), &payload);
    return tlm::TLM_COMPLETED;
}

void AhciHost::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    SC_REPORT_FATAL(kReport, "frames are not moved by b_transport");
}

tlm::tlm_sync_enum AhciHost::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                                             sc_core::sc_time&) {
    if (phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL(kReport, "a frame that was sent ends with BEGIN_RESP");
    }
    return tlm::TLM_COMPLETED;
}

// The content of a Data FIS is only there during the call.
void AhciHost::take_data(const tlm::tlm_generic_payload& payload) {
    const std::uint32_t bytes = payload.get_data_length();
    if (internal_ == Internal::pass_through) {
        const auto* data = reinterpret_cast<const std::byte*>(payload.get_data_ptr());
        std::vector<std::byte>& received = pass_through_.front()->data;
        received.insert(received.end(), data, data + bytes);
        return;
    }
    if (internal_ != Internal::none) {
        if (bytes == page_.size()) {
            std::memcpy(page_.data(), payload.get_data_ptr(), bytes);
        }
        return;
    }
    Job* job = active_[data_tag_];
    if (job == nullptr || job->command.operation != Operation::read) {
        return;  // of a command that was aborted
    }
    const std::size_t size = hal::content_bytes(config_.content, bytes);
    const std::size_t at = hal::content_bytes(config_.content, job->moved);
    if (job->moved + bytes > job->data_bytes) {
        SC_REPORT_ERROR(kReport, "more data than the command asked for");
        return;
    }
    if (size > 0) {
        std::memcpy(job->command.content.data() + at, payload.get_data_ptr(), size);
    }
    job->moved += bytes;
}

void AhciHost::frame_received(const hw::FisExtension& fis) {
    switch (static_cast<FisType>(fis.header[0])) {
        case FisType::register_d2h:
            register_received(hw::decode_register_d2h(fis.header.data()));
            break;
        case FisType::set_device_bits:
            bits_received(hw::decode_set_device_bits(fis.header.data()));
            break;
        case FisType::dma_setup:
            setup_received(hw::decode_dma_setup(fis.header.data()));
            break;
        case FisType::dma_activate:
            send_data();
            break;
        case FisType::data:
            if (internal_ != Internal::none && !internal_by_dma_ && (pio_end_status_ & ata::kBusy) == 0) {
                internal_done(true);
            }
            break;
        case FisType::pio_setup:
            pio_end_status_ = hw::decode_pio_setup(fis.header.data()).end_status;
            break;
        case FisType::register_h2d:
            SC_REPORT_ERROR(kReport, "a FIS that a device does not send");
            break;
    }
}

void AhciHost::register_received(const hw::RegisterD2h& fis) {
    const bool error = (fis.status & ata::kErr) != 0;
    if (state_ == State::no_device) {  // the signature
        state_ = State::starting;
        start_internal(Internal::identify);
    } else if (awaiting_accept_) {
        awaiting_accept_ = false;
        if (state_ == State::recovering) {
            start_internal(Internal::error_log);
        } else if (error) {
            begin_recovery();
        }
    } else if (internal_ != Internal::none) {
        if (internal_ == Internal::pass_through) {
            pass_through_.front()->answer = fis;
        }
        internal_done(!error);
    } else if (Job* job = active_[ata::kNoTag]; job != nullptr) {
        if (job->command.operation == Operation::read && !error && job->moved != job->data_bytes) {
            SC_REPORT_ERROR(kReport, "a read completed before its data");
        }
        ended(*job, fis.status, fis.error, fis.lba);
    }
}

void AhciHost::bits_received(const hw::SetDeviceBits& fis) {
    if ((fis.status & ata::kErr) != 0) {
        begin_recovery();
        return;
    }
    for (std::uint32_t tags = fis.sactive; tags != 0; tags &= tags - 1) {
        Job* job = active_[static_cast<std::size_t>(std::countr_zero(tags))];
        if (job == nullptr || job->posted) {
            continue;
        }
        if (job->command.operation != Operation::flush && job->moved != job->data_bytes) {
            SC_REPORT_ERROR(kReport, "a queued command completed before its data");
        }
        ended(*job, fis.status, fis.error);
    }
}

void AhciHost::setup_received(const hw::DmaSetup& fis) {
    if (!fis.device_to_host && fis.auto_activate) {
        send_data();
    }
}

// The device lets the host send the next Data FIS of the open phase.
void AhciHost::send_data() {
    Job* job = active_[data_tag_];
    if (job == nullptr || job->moved == job->data_bytes) {
        return;  // of a command that was aborted
    }
    const std::uint32_t bytes = std::min(hw::kMaxDataFisBytes, job->data_bytes - job->moved);
    std::byte* content = nullptr;
    if (job->command.operation == Operation::trim) {
        content = job->dsm_blocks.data() + job->moved;
    } else if (config_.content != hal::ContentMode::none) {
        content = job->command.content.data() + hal::content_bytes(config_.content, job->moved);
    }
    job->moved += bytes;
    send(hw::encode_data(), nullptr, content, bytes);
}

void AhciHost::start_internal(Internal command) {
    internal_ = command;
    internal_by_dma_ = false;
    pio_end_status_ = 0;
    hw::RegisterH2d fis;
    fis.device = ata::kDeviceLba;
    fis.count = 1;
    ata::Opcode opcode = ata::Opcode::read_log_ext;
    switch (command) {
        case Internal::identify:
            opcode = ata::Opcode::identify_device;
            break;
        case Internal::send_receive_log:
            fis.lba = hal::Lba{ata::kLogSendReceive};
            break;
        case Internal::set_write_cache:
            opcode = ata::Opcode::set_features;
            fis.features = *config_.write_cache ? ata::kFeatureWriteCacheOn : ata::kFeatureWriteCacheOff;
            fis.count = 0;
            break;
        case Internal::pass_through:
            fis = pass_through_.front()->registers;
            opcode = static_cast<ata::Opcode>(fis.command);
            break;
        default:
            fis.lba = hal::Lba{ata::kLogNcqError};
            if (config_.error_log_by_dma && facts_.log_dma) {
                opcode = ata::Opcode::read_log_dma_ext;
            }
            break;
    }
    fis.command = static_cast<std::uint8_t>(opcode);
    internal_by_dma_ = opcode == ata::Opcode::read_log_dma_ext;
    send(encode(fis), nullptr, nullptr, 0);
}

void AhciHost::internal_done(bool ok) {
    const Internal command = internal_;
    internal_ = Internal::none;
    switch (command) {
        case Internal::identify:
            if (!ok || !hw::parse_identify(page_, facts_)) {
                SC_REPORT_FATAL(kReport, "IDENTIFY DEVICE failed");
            }
            depth_ = std::max(1U, std::min(config_.queue_depth, facts_.queue_depth));
            if (facts_.send_receive) {
                start_internal(Internal::send_receive_log);
                return;
            }
            break;
        case Internal::send_receive_log:
            // dword 0 bit 0: DATA SET MANAGEMENT; dword 1 bit 0: its TRIM
            queued_trim_ =
                ok && (page_[0] & std::byte{1}) != std::byte{0} && (page_[4] & std::byte{1}) != std::byte{0};
            break;
        case Internal::set_write_cache:
            if (!ok) {
                SC_REPORT_ERROR(kReport, "SET FEATURES failed");
            }
            break;
        case Internal::error_log:
            finish_recovery();
            return;
        case Internal::pass_through:
            if (ok && !internal_by_dma_ && !pass_through_.front()->data.empty()) {
                pass_through_.front()->answer.status = pio_end_status_;
            }
            pass_through_done();
            return;
        case Internal::none:
            return;
    }
    if (command != Internal::set_write_cache && config_.write_cache) {
        start_internal(Internal::set_write_cache);
        return;
    }
    state_ = State::running;
    if (!started_once_) {
        started_once_ = true;
        base_ = now();
    }
}

void AhciHost::pass_through_done() {
    PassThrough& command = *pass_through_.pop();
    command.ended = true;
    if (command.done) {
        command.done();
    }
}

void AhciHost::begin_recovery() {
    state_ = State::recovering;
    ++statistics_.recoveries;
    interrupt();
    for (Job* job : active_) {
        if (job != nullptr && !job->posted) {
            job->command.ledger.interrupt(Stage::host_queue, now());
            aborted_.push_back(job);
        }
    }
    for (Job* job : aborted_) {
        take_back(*job);
    }
    if (!awaiting_accept_) {
        start_internal(Internal::error_log);
    }
}

void AhciHost::finish_recovery() {
    const auto error = hw::parse_ncq_error_log(page_);
    if (!error) {
        SC_REPORT_FATAL(kReport, "log 10h has a wrong checksum");
        return;
    }
    state_ = State::running;
    std::sort(aborted_.begin(), aborted_.end(),
              [](const Job* a, const Job* b) { return a->command.sequence < b->command.sequence; });
    const std::size_t before = retries_.size();
    for (Job* job : aborted_) {
        if (!error->non_queued && job->command.tag == error->tag) {
            complete(*job, error->status, error->error, error->lba);
            continue;
        }
        ++job->command.retries;
        job->submission = Submission::none;
        ++statistics_.reissued;
        retries_.push(job);
    }
    for (std::size_t i = 0; i < before; ++i) {  // those that waited already are younger
        retries_.push(retries_.pop());
    }
    aborted_.clear();
}

void AhciHost::send(const hw::FisHeader& header, hal::Ledger* ledger, std::byte* content,
                    std::uint32_t bytes) {
    tlm::tlm_generic_payload& payload = hw::take_frame(fis_pool_, header, content, bytes, ledger);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (link_init->nb_transport_fw(payload, phase, delay) != tlm::TLM_UPDATED) {
        SC_REPORT_FATAL(kReport, "the link did not take a frame");
    }
    payload.release();
}

}  // namespace solidtlm::testbench
