// SPDX-License-Identifier: Apache-2.0
#include "hw/ahci/data_phase.h"

#include <algorithm>

#include "hw/sata/ata.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::ahci {

DataPhase::DataPhase(PortState& port) : port_(port), outgoing_(kMaxDataFisBytes) {}

/// The transfer that present data belongs to: that of the last DMA Setup, or of the command that the device
/// works on.
Transfer* DataPhase::open_transfer() {
    if (port_.queued.slot != kNoSlot) {
        return &port_.queued;
    }
    return port_.slot != kNoSlot ? &port_.plain : nullptr;
}

/// A device that is being reset by software continues its present command until it notices the reset
/// (10.4.1).
bool DataPhase::not_wanted(const Transfer* transfer) const {
    return port_.given_up && (transfer == nullptr || (port_.awaits_signature && !transfer->queued));
}

void DataPhase::begin_store() {
    const Transfer* transfer = open_transfer();
    if (!port_.running() || not_wanted(transfer)) {
        port_.drop_frame();  // data of a command that the driver has given up
        return;
    }
    if (transfer == nullptr || (transfer->queued && !transfer->to_memory)) {
        port_.drop_frame();
        port_.protocol_error();
        return;
    }
    port_.frames.use_first();
    port_.gathers = false;
    done_ = 0;
    wanted_ = static_cast<std::uint32_t>(port_.frames.first().content.size());
    walk();
}

void DataPhase::begin_gather() {
    const Transfer* transfer = open_transfer();
    if (!port_.running() || not_wanted(transfer)) {
        return;
    }
    if (transfer == nullptr || (transfer->queued && transfer->to_memory)) {
        port_.protocol_error();
        return;
    }
    port_.gathers = true;
    done_ = 0;
    wanted_ = transfer->queued   ? std::min(kMaxDataFisBytes, transfer->left)
              : port_.pio.active ? std::min(kMaxDataFisBytes, std::uint32_t{port_.pio.bytes})
                                 : kMaxDataFisBytes;
    walk();
}

/// Moves the next piece, until the table ends.
void DataPhase::walk() {
    PrdWalk& prds = open_transfer()->prds;
    if (done_ == wanted_ || prds.exhausted()) {
        all_moved();
        return;
    }
    if (prds.wants_entry()) {
        port_.begin_access(Step::prd, {DmaKind::prd, false, prds.entry_address(), prd_});
        return;
    }
    const PrdWalk::Piece piece = prds.next(wanted_ - done_);
    std::vector<std::byte>& buffer = port_.gathers ? outgoing_ : port_.frames.first().content;
    const std::span<std::byte> bytes = std::span(buffer).subspan(done_, piece.bytes);
    done_ += piece.bytes;
    port_.begin_access(Step::data, {DmaKind::data, !port_.gathers, piece.address, bytes});
}

void DataPhase::entry_fetched() {
    open_transfer()->prds.take_entry(prd_);
    walk();
}

void DataPhase::data_moved() {
    if (open_transfer()->prds.interrupts()) {
        port_.raise(kDps);
    }
    walk();
}

/// All data of a Data FIS is in memory, or ready to be sent.
void DataPhase::all_moved() {
    Transfer& transfer = *open_transfer();
    transfer.moved += done_;
    if (!port_.gathers) {
        port_.drop_frame();
        if (done_ < wanted_) {
            port_.raise(kOfs);  // the rest has nowhere to go
        }
        data_sent();
        return;
    }
    if (done_ == 0) {
        port_.raise(kOfs);  // the device waits for data that the table does not have
        return;
    }
    const std::uint32_t padded = (done_ + 3) / 4 * 4;  // frames are whole dwords
    std::fill(outgoing_.begin() + done_, outgoing_.begin() + padded, std::byte{0});
    port_.step = Step::send_data;
    port_.bus.send(port_.index, {.header = encode_data(),
                                 .content = outgoing_.data(),
                                 .bytes = padded,
                                 .gathered = now() - port_.activated});
}

/// The Data FIS is done. For non-queued commands, PRDBC then gets the number of bytes moved (4.2.2).
void DataPhase::data_sent() {
    Transfer* transfer = open_transfer();
    if (transfer->queued) {
        transfer->left -= std::min(transfer->left, port_.gathers ? done_ : wanted_);
        if (transfer->left == 0) {
            transfer->slot = kNoSlot;
        }
        return;
    }
    put_little_endian(byte_count_, transfer->moved);
    port_.begin_access(
        Step::byte_count,
        {DmaKind::byte_count, true, port_.header_address(transfer->slot) + kByteCountOffset, byte_count_});
}

/// After the Data FIS of a PIO phase, ends the phase.
void DataPhase::byte_count_written() {
    if (!port_.pio.active) {
        return;
    }
    const PioPhase phase = port_.pio;
    port_.pio.active = false;
    port_.set_status(phase.end_status, port_.error);
    port_.end_if_released();
    if (phase.interrupt) {
        port_.raise(kPss);
    }
}

}  // namespace solidtlm::hw::ahci
