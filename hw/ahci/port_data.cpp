// SPDX-License-Identifier: Apache-2.0
//
// Data between Data FISes and the host's memory (AHCI 1.3.1, DX, DR, PIO states of 5.3).
#include <algorithm>

#include "hw/ahci/little_endian.h"
#include "hw/ahci/port.h"
#include "hw/sata/ata.h"

namespace solidtlm::hw::ahci {

/// Whose data come or go now: those of the last DMA Setup, or of the command that the device is at.
Port::Transfer* Port::open_transfer() {
    if (queued_.slot != kNoSlot) {
        return &queued_;
    }
    return slot_ != kNoSlot ? &plain_ : nullptr;
}

/// A device that is being reset by software goes on with what it was at until it has seen that (10.4.1).
bool Port::not_wanted(const Transfer* transfer) const {
    return given_up_ && (transfer == nullptr || (awaits_signature_ && !transfer->queued));
}

/// The first frame is a Data FIS.
void Port::begin_store() {
    const Transfer* transfer = open_transfer();
    if (!running() || not_wanted(transfer)) {
        drop_frame();  // of a command that the driver has given up
        return;
    }
    if (transfer == nullptr || (transfer->queued && !transfer->to_memory)) {
        drop_frame();
        protocol_error();
        return;
    }
    serving_ = true;
    gathers_ = false;
    done_ = 0;
    wanted_ = static_cast<std::uint32_t>(frames_[first_frame_].content.size());
    walk();
}

/// The device wants a Data FIS.
void Port::begin_gather() {
    const Transfer* transfer = open_transfer();
    if (!running() || not_wanted(transfer)) {
        return;
    }
    if (transfer == nullptr || (transfer->queued && transfer->to_memory)) {
        protocol_error();
        return;
    }
    gathers_ = true;
    done_ = 0;
    wanted_ = transfer->queued ? std::min(kMaxDataFisBytes, transfer->left)
              : pio_.active    ? std::min(kMaxDataFisBytes, std::uint32_t{pio_.bytes})
                               : kMaxDataFisBytes;
    walk();
}

/// Moves the next piece, as far as the table goes.
void Port::walk() {
    PrdWalk& prds = open_transfer()->prds;
    if (done_ == wanted_ || prds.exhausted()) {
        all_moved();
        return;
    }
    if (prds.wants_entry()) {
        begin_access(Step::prd, {DmaKind::prd, false, prds.entry_address(), prd_});
        return;
    }
    const PrdWalk::Piece piece = prds.next(wanted_ - done_);
    std::vector<std::byte>& buffer = gathers_ ? outgoing_ : frames_[first_frame_].content;
    const std::span<std::byte> bytes = std::span(buffer).subspan(done_, piece.bytes);
    done_ += piece.bytes;
    begin_access(Step::data, {DmaKind::data, !gathers_, piece.address, bytes});
}

void Port::data_moved() {
    if (open_transfer()->prds.interrupts()) {
        raise(kDps);
    }
    walk();
}

/// A Data FIS is in memory, or ready to go.
void Port::all_moved() {
    Transfer& transfer = *open_transfer();
    transfer.moved += done_;
    if (!gathers_) {
        drop_frame();
        if (done_ < wanted_) {
            raise(kOfs);  // the rest has nowhere to go
        }
        data_sent();
        return;
    }
    if (done_ == 0) {
        raise(kOfs);  // the device waits for what there is not
        return;
    }
    const std::uint32_t padded = (done_ + 3) / 4 * 4;  // frames are whole dwords
    std::fill(outgoing_.begin() + done_, outgoing_.begin() + padded, std::byte{0});
    step_ = Step::send_data;
    bus_.send(index_, {.header = encode_data(),
                       .content = std::span(outgoing_).first(padded),
                       .gathered = now() - activated_});
}

/// The Data FIS is done with. PRDBC tells how much has moved, of commands that are not queued (4.2.2).
void Port::data_sent() {
    Transfer* transfer = open_transfer();
    if (transfer->queued) {
        transfer->left -= std::min(transfer->left, gathers_ ? done_ : wanted_);
        if (transfer->left == 0) {
            transfer->slot = kNoSlot;
        }
        return;
    }
    put_little_endian(byte_count_, transfer->moved);
    begin_access(Step::byte_count,
                 {DmaKind::byte_count, true, header_address(transfer->slot) + kByteCountOffset, byte_count_});
}

/// The end of a Data FIS is the end of a PIO phase.
void Port::end_data() {
    if (!pio_.active) {
        return;
    }
    const PioPhase phase = pio_;
    pio_.active = false;
    set_status(phase.end_status, error_);
    end_if_released();
    if (phase.interrupt) {
        raise(kPss);
    }
}

}  // namespace solidtlm::hw::ahci
