// SPDX-License-Identifier: Apache-2.0
#include "hw/ahci/fis_receiver.h"

#include <bit>

#include "hw/sata/ata.h"

namespace solidtlm::hw::ahci {

bool FisReceiver::serve() {
    ReceivedFrame& frame = port_.frames.first();
    const bool is_register = frame.type() == FisType::register_d2h;
    if ((port_.cmd & kFre) == 0) {
        // Without FRE no FIS is received, except that the signature is read (3.3.7); it is posted when FRE is
        // set.
        if (is_register && port_.awaits_signature && !frame.looked_at) {
            register_received(frame);
            frame.looked_at = true;
        }
        return false;
    }
    switch (frame.type()) {
        case FisType::data:
            data_.begin_store();
            break;
        case FisType::dma_activate:
            port_.activated = frame.arrived;
            port_.drop_frame();
            data_.begin_gather();
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

void FisReceiver::post(ReceivedFrame& frame, std::uint32_t offset) {
    port_.frames.use_first();
    port_.begin_access(Step::post, {DmaKind::received_fis, true, port_.fb + offset,
                                    std::as_writable_bytes(std::span(frame.header))});
}

void FisReceiver::posted() {
    const ReceivedFrame& frame = port_.frames.first();
    const FisType type = frame.type();
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
            port_.serr |= kSerrUnknownFis;
            port_.bus.interrupt_changed();
            break;
    }
    port_.drop_frame();
    if (port_.step == Step::idle && type == FisType::pio_setup && port_.pio.active && port_.gathers) {
        data_.begin_gather();
    }
}

/// The status of the command in `slot` is in memory.
void FisReceiver::mark_end(std::uint8_t slot, const ReceivedFrame& frame) const {
    if (hal::Ledger* ledger = port_.bus.ledger(port_.index, slot); ledger != nullptr) {
        ledger->enter(hal::Stage::hba_dma, frame.arrived);
        ledger->enter(hal::Stage::interrupt_wait, now());
    }
}

void FisReceiver::register_received(const ReceivedFrame& frame) {
    const RegisterD2h fis = decode<RegisterD2h>(frame.header.data());
    if (port_.slot != kNoSlot && (port_.sact >> port_.slot & 1U) == 0) {
        mark_end(port_.slot, frame);
    }
    if (port_.awaits_signature) {
        port_.awaits_signature = port_.given_up = false;
        port_.sig = static_cast<Word>(fis.lba.value & 0xFFFFFFU) << 8U | (fis.count & 0xFFU);
    }
    port_.set_status(fis.status, fis.error);
    port_.pio.active = false;
    port_.end_if_released();
    if (fis.interrupt) {
        port_.raise(kDhrs);
    }
}

void FisReceiver::bits_received(const ReceivedFrame& frame) {
    const SetDeviceBits fis = decode<SetDeviceBits>(frame.header.data());
    constexpr std::uint8_t kKept = ata::kBusy | ata::kDrq;
    for (Word ended = port_.sact & fis.sactive; ended != 0; ended &= ended - 1) {
        mark_end(static_cast<std::uint8_t>(std::countr_zero(ended)), frame);
    }
    port_.sact &= ~fis.sactive;
    port_.set_status(static_cast<std::uint8_t>((port_.status & kKept) | (fis.status & ~kKept)), fis.error);
    if (fis.interrupt) {
        port_.raise(kSdbs);
    }
}

void FisReceiver::setup_received(const ReceivedFrame& frame) {
    const DmaSetup fis = decode<DmaSetup>(frame.header.data());
    if (fis.interrupt) {
        port_.raise(kDss);
    }
    if (!port_.running() || (port_.given_up && (port_.sact >> fis.tag & 1U) == 0)) {
        return;
    }
    port_.queued = Transfer{};
    port_.queued.slot = fis.tag;
    port_.queued.to_memory = fis.device_to_host;
    port_.queued.left = fis.transfer_bytes;
    port_.queued.moved = fis.buffer_offset;  // until the command's header has been fetched
    port_.gathers = !fis.device_to_host && fis.auto_activate;
    port_.activated = frame.arrived;
    port_.fetch_header(Step::setup_header, fis.tag);
}

void FisReceiver::setup_fetched() {
    const Transfer asked = port_.queued;
    port_.queued = port_.transfer_of(asked.slot, asked.moved);
    port_.queued.queued = true;
    port_.queued.to_memory = asked.to_memory;
    port_.queued.left = asked.left;
    if (port_.gathers) {
        data_.begin_gather();
    }
}

void FisReceiver::pio_received(const ReceivedFrame& frame) {
    const PioSetup fis = decode<PioSetup>(frame.header.data());
    port_.set_status(fis.status, fis.error);
    if (port_.running() && port_.slot != kNoSlot) {
        port_.pio = PioPhase{true, fis.interrupt, fis.end_status, fis.transfer_bytes};
        port_.gathers = !fis.device_to_host;
        port_.activated = frame.arrived;
    }
}

}  // namespace solidtlm::hw::ahci
