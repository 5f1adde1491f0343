// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host/port/link_port.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace solidtlm::testbench {

namespace ata = hw::ata;
using hw::FisType;
using hw::now;

namespace {
constexpr const char* kLinkPortReport = "/host/link_port";
}

LinkPort::LinkPort(const sc_core::sc_module_name& name, hw::Agenda* agenda, hw::Ps gather_time)
    : AgendaModule(name, agenda), gather_time_(gather_time) {
    data_frame_.header = hw::encode_data();
    data_frame_.in_phase = true;
    data_frame_.gathered = gather_time;
}

void LinkPort::begin(PortCommand& command) {
    command.moved = 0;
    commands_[command.tag] = &command;
    if (command.queued()) {
        awaiting_accept_ = true;
    } else {
        data_tag_ = ata::kNoTag;
        pio_end_status_ = 0;
    }
    link.send(hw::SataFrame{encode(command.registers), command.ledger});
}

void LinkPort::forget_queued() {
    gathered_.disarm();
    std::fill(commands_.begin(), commands_.begin() + ata::kNoTag, nullptr);
}

void LinkPort::power_cut() {
    gathered_.disarm();
    lost_ = arriving_.size();
    drive_there_ = awaiting_accept_ = false;
    commands_.fill(nullptr);
}

void LinkPort::frame_came(const hw::SataFrame& frame, hw::Ps at, bool alone) {
    if (frame.header.type() == FisType::data) {
        take_data(frame);
        const PortCommand* command = commands_[data_tag_];
        if (command == nullptr || command->received == nullptr || frame.in_phase) {
            return;  // the status that follows tells how the command ended
        }
    } else if (frame.header.type() == FisType::dma_setup) {
        // Now, because over an ideal link its data may come in this very instant.
        data_tag_ = hw::decode<hw::DmaSetup>(frame.header.bytes.data()).tag;
    }
    if (alone) {
        frame_received(frame.header);
    } else {
        arriving_.push(frame);
        this->at<&LinkPort::frame_arrived>(at);
    }
}

void LinkPort::signalled(hw::LinkSignal /*signal*/) {
    SC_REPORT_FATAL(kLinkPortReport, "signals go to the device");
}

void LinkPort::frame_arrived() {
    const hw::SataFrame frame = arriving_.pop();
    if (lost_ > 0) {
        --lost_;  // arrived at the instant of a power cut
    } else {
        frame_received(frame.header);
    }
}

// The content of a Data FIS is only valid during the call.
void LinkPort::take_data(const hw::SataFrame& frame) {
    PortCommand* command = commands_[data_tag_];
    if (command == nullptr || command->to_device) {
        return;  // belongs to an aborted command
    }
    const std::uint32_t bytes = frame.bytes;
    const std::byte* data = frame.content;
    if (command->received != nullptr) {
        command->received->insert(command->received->end(), data, data + bytes);
        return;
    }
    if (command->moved + bytes > command->data_bytes) {
        SC_REPORT_ERROR(kLinkPortReport, "more data than the command asked for");
        return;
    }
    if (const std::size_t size = hal::content_bytes(command->mode, bytes); size > 0) {
        std::memcpy(command->content.data() + hal::content_bytes(command->mode, command->moved), data, size);
    }
    command->moved += bytes;
}

void LinkPort::frame_received(const hw::FisHeader& fis) {
    switch (fis.type()) {
        case FisType::register_d2h:
            register_received(hw::decode<hw::RegisterD2h>(fis.bytes.data()));
            break;
        case FisType::set_device_bits:
            bits_received(hw::decode<hw::SetDeviceBits>(fis.bytes.data()));
            break;
        case FisType::dma_setup:
        case FisType::dma_activate:
            dma_received(fis);  // does not concern the user
            return;
        case FisType::data:
            if (pio_end_status_ != 0 && (pio_end_status_ & ata::kBusy) == 0) {
                hw::RegisterD2h answer;
                answer.status = pio_end_status_;
                end(answer);
            }
            break;
        case FisType::pio_setup:
            pio_end_status_ = hw::decode<hw::PioSetup>(fis.bytes.data()).end_status;
            break;
        case FisType::register_h2d:
            SC_REPORT_ERROR(kLinkPortReport, "a FIS that a device does not send");
            break;
    }
    user_->go_on();
}

void LinkPort::dma_received(const hw::FisHeader& fis) {
    if (fis.type() == FisType::dma_setup) {
        const hw::DmaSetup setup = hw::decode<hw::DmaSetup>(fis.bytes.data());
        if (setup.device_to_host || !setup.auto_activate) {
            return;
        }
    }
    activated();
}

void LinkPort::register_received(const hw::RegisterD2h& fis) {
    if (!drive_there_) {  // this is the signature
        drive_there_ = true;
        user_->drive_came();
    } else if (awaiting_accept_) {
        awaiting_accept_ = false;
        user_->accepted((fis.status & ata::kErr) == 0);
    } else {
        end(fis);
    }
}

void LinkPort::bits_received(const hw::SetDeviceBits& fis) {
    std::uint32_t ended = 0;
    for (std::uint32_t tags = fis.sactive; tags != 0; tags &= tags - 1) {
        const auto tag = static_cast<std::size_t>(std::countr_zero(tags));
        ended |= commands_[tag] != nullptr ? 1U << tag : 0;
        commands_[tag] = nullptr;
    }
    user_->queued_ended(ended, fis.status, fis.error);
}

/// Ends the non-queued command.
void LinkPort::end(const hw::RegisterD2h& answer) {
    if (commands_[ata::kNoTag] != nullptr) {
        commands_[ata::kNoTag] = nullptr;
        user_->ended(answer);
    }
}

/// The device allows the host to send the next Data FIS of the open phase.
void LinkPort::activated() {
    if (gather_time_ > hw::Ps{0}) {
        gathered_.arm(now() + gather_time_);
    } else {
        send_data();
    }
}

void LinkPort::send_data() {
    PortCommand* command = commands_[data_tag_];
    if (command == nullptr || command->moved == command->data_bytes) {
        return;  // belongs to an aborted command
    }
    data_frame_.bytes = std::min(hw::kMaxDataFisBytes, command->data_bytes - command->moved);
    data_frame_.content = command->content.empty()
                              ? nullptr
                              : command->content.data() + hal::content_bytes(command->mode, command->moved);
    command->moved += data_frame_.bytes;
    link.send(data_frame_);
}

}  // namespace solidtlm::testbench
