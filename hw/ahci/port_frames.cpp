// SPDX-License-Identifier: Apache-2.0
//
// What a port does with the FISes that it receives (AHCI 1.3.1, 5.3.6 to 5.3.13).
#include <bit>
#include <utility>

#include "fw/hal/check.h"
#include "hw/ahci/little_endian.h"
#include "hw/ahci/port.h"
#include "hw/sata/ata.h"

namespace solidtlm::hw::ahci {
namespace {

FisType type_of(std::span<const std::uint8_t> header) {
    return static_cast<FisType>(header[0]);
}

}  // namespace

bool Port::take_frame(std::span<const std::uint8_t> header, std::span<const std::byte> content) {
    SOLIDTLM_CHECK(taken_ < kFrames, "the port has room for the frame");
    Frame& frame = frames_[(first_frame_ + taken_) % kFrames];
    frame.header.assign(header.begin(), header.end());
    frame.content.assign(content.begin(), content.end());
    frame.looked_at = false;
    ++taken_;
    full_ = taken_ == kFrames;
    return !full_;
}

void Port::frame_arrived() {
    if (arrived_ < taken_) {  // not one of before a reset
        frames_[(first_frame_ + arrived_) % kFrames].arrived = now();
        ++arrived_;
        go_on();
    }
}

/// The first frame has been dealt with.
void Port::drop_frame() {
    serving_ = false;
    first_frame_ = (first_frame_ + 1) % kFrames;
    --taken_;
    --arrived_;
    if (std::exchange(full_, false)) {
        bus_.take_frames(index_);
    }
}

bool Port::serve_frame() {
    Frame& frame = frames_[first_frame_];
    const bool is_register = type_of(frame.header) == FisType::register_d2h;
    if ((cmd_ & kFre) == 0) {
        // Nobody takes FISes, but the signature is looked at (3.3.7, FRE) and posted when somebody does.
        if (is_register && awaits_signature_ && !frame.looked_at) {
            register_received(frame);
            frame.looked_at = true;
        }
        return false;
    }
    switch (type_of(frame.header)) {
        case FisType::data:
            begin_store();
            break;
        case FisType::dma_activate:
            activated_ = frame.arrived;
            drop_frame();
            begin_gather();
            break;
        case FisType::register_d2h:
            post(frame, kReceivedRegister);
            break;
        case FisType::set_device_bits:
            post(frame, kReceivedBits);
            break;
        case FisType::dma_setup:
            post(frame, kReceivedDmaSetup);
            break;
        case FisType::pio_setup:
            post(frame, kReceivedPioSetup);
            break;
        default:
            post(frame, kReceivedUnknown);
            break;
    }
    return true;
}

void Port::post(Frame& frame, std::uint32_t offset) {
    serving_ = true;
    begin_access(Step::post, {DmaKind::received_fis, true, fb_ + offset,
                              std::as_writable_bytes(std::span(frame.header))});
}

void Port::posted() {
    const Frame& frame = frames_[first_frame_];
    const FisType type = type_of(frame.header);
    const bool looked_at = frame.looked_at;
    switch (type) {
        case FisType::register_d2h:
            if (!looked_at) {
                register_received(frame);
            }
            break;
        case FisType::set_device_bits:
            bits_received(frame);
            break;
        case FisType::dma_setup:
            setup_received(frame);
            break;
        case FisType::pio_setup:
            pio_received(frame);
            break;
        default:
            serr_ |= kSerrUnknownFis;
            bus_.interrupt_changed();
            break;
    }
    drop_frame();
    if (step_ == Step::idle && type == FisType::pio_setup && pio_.active && gathers_) {
        begin_gather();
    }
}

/// The command's status is in memory.
void Port::mark_end(std::uint8_t slot, const Frame& frame) const {
    if (hal::Ledger* ledger = bus_.ledger(index_, slot); ledger != nullptr) {
        ledger->enter(hal::Stage::hba_dma, frame.arrived);
        ledger->enter(hal::Stage::interrupt_wait, now());
    }
}

void Port::set_status(std::uint8_t status, std::uint8_t error) {
    status_ = status;
    error_ = error;
    if ((status & ata::kErr) != 0) {
        halt(kTfes);
    }
}

/// A command that is not queued is over, or a queued one accepted, when the device is not busy (RegFIS:Entry,
/// PIO:Update). One that has failed keeps its bit in CI.
void Port::end_if_released() {
    if (running() && (status_ & (ata::kBusy | ata::kDrq)) == 0) {
        end_command();
    }
}

void Port::register_received(const Frame& frame) {
    const RegisterD2h fis = decode_register_d2h(frame.header.data());
    if (slot_ != kNoSlot && (sact_ >> slot_ & 1U) == 0) {
        mark_end(slot_, frame);
    }
    if (awaits_signature_) {
        awaits_signature_ = given_up_ = false;
        sig_ = static_cast<Word>(fis.lba.value & 0xFFFFFFU) << 8U | (fis.count & 0xFFU);
    }
    set_status(fis.status, fis.error);
    pio_.active = false;
    end_if_released();
    if (fis.interrupt) {
        raise(kDhrs);
    }
}

void Port::bits_received(const Frame& frame) {
    const SetDeviceBits fis = decode_set_device_bits(frame.header.data());
    constexpr std::uint8_t kKept = ata::kBusy | ata::kDrq;
    for (Word ended = sact_ & fis.sactive; ended != 0; ended &= ended - 1) {
        mark_end(static_cast<std::uint8_t>(std::countr_zero(ended)), frame);
    }
    sact_ &= ~fis.sactive;
    set_status(static_cast<std::uint8_t>((status_ & kKept) | (fis.status & ~kKept)), fis.error);
    if (fis.interrupt) {
        raise(kSdbs);
    }
}

void Port::setup_received(const Frame& frame) {
    const DmaSetup fis = decode_dma_setup(frame.header.data());
    if (fis.interrupt) {
        raise(kDss);
    }
    if (!running() || (given_up_ && (sact_ >> fis.tag & 1U) == 0)) {
        return;
    }
    queued_ = Transfer{};
    queued_.slot = fis.tag;
    queued_.to_memory = fis.device_to_host;
    queued_.left = fis.transfer_bytes;
    queued_.moved = fis.buffer_offset;  // until its header is there
    gathers_ = !fis.device_to_host && fis.auto_activate;
    activated_ = frame.arrived;
    begin_access(Step::setup_header, {DmaKind::command_header, false, header_address(fis.tag), header_});
}

void Port::setup_fetched() {
    const Transfer asked = queued_;
    begin_transfer(queued_, asked.slot, asked.moved);
    queued_.queued = true;
    queued_.to_memory = asked.to_memory;
    queued_.left = asked.left;
    if (gathers_) {
        begin_gather();
    }
}

void Port::pio_received(const Frame& frame) {
    const PioSetup fis = decode_pio_setup(frame.header.data());
    set_status(fis.status, fis.error);
    if (running() && slot_ != kNoSlot) {
        pio_ = PioPhase{true, fis.interrupt, fis.end_status, fis.transfer_bytes};
        gathers_ = !fis.device_to_host;
        activated_ = frame.arrived;
    }
}

}  // namespace solidtlm::hw::ahci
