// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/transfer_queue.h"

#include "fw/hal/check.h"

namespace solidtlm::hw {

const char* TransferQueue::refuse(const hal::HostTransfer& transfer) const {
    if (transfer.ledger == nullptr || !transfer.done) {
        return "a transfer needs a ledger and a completion";
    }
    if (transfer.sectors == 0 || std::uint64_t{transfer.first_sector} * hal::kSectorBytes != requested_) {
        return "the transfers of a command go in order, without gaps";
    }
    std::uint64_t bytes = 0;
    for (const hal::HostTransfer::Piece& piece : transfer.pieces) {
        bytes += piece.bytes;
        if (piece.bytes == 0 || piece.bytes % hal::kSectorBytes != 0) {
            return "a piece of a transfer is not a multiple of 512 bytes";
        }
    }
    if (bytes != std::uint64_t{transfer.sectors} * hal::kSectorBytes) {
        return "the pieces of a transfer do not add up to its sectors";
    }
    const std::uint64_t end = std::uint64_t{transfer.first_sector} + transfer.sectors;
    return end > transfer.command->sectors ? "a transfer reaches beyond its command" : nullptr;
}

void TransferQueue::push(hal::HostTransfer& transfer) {
    SOLIDTLM_CHECK(std::uint64_t{transfer.first_sector} * hal::kSectorBytes == requested_,
                   "the transfer continues the queue");
    const std::uint32_t bytes = transfer.sectors * hal::kSectorBytes;
    if (transfers_.empty()) {
        front_left_ = bytes;
    }
    transfers_.push(&transfer);
    requested_ += bytes;
}

TransferQueue::Run TransferQueue::claim(std::uint32_t at_most) {
    SOLIDTLM_CHECK(claimable() > 0, "some requested bytes are not claimed yet");
    const hal::HostTransfer& transfer = *transfers_[claim_index_];
    Run run{hal::DramAddress{transfer.pieces[claim_piece_].dram.value + claim_offset_}, 0};
    while (run.bytes < at_most && claim_piece_ < transfer.pieces.size()) {
        const hal::HostTransfer::Piece& piece = transfer.pieces[claim_piece_];
        if (piece.dram.value + claim_offset_ != run.address.value + run.bytes) {
            break;
        }
        const std::uint32_t part = std::min(piece.bytes - claim_offset_, at_most - run.bytes);
        run.bytes += part;
        claim_offset_ += part;
        if (claim_offset_ == piece.bytes) {
            claim_offset_ = 0;
            ++claim_piece_;
        }
    }
    if (claim_piece_ == transfer.pieces.size()) {
        claim_piece_ = 0;
        ++claim_index_;
    }
    claimed_ += run.bytes;
    return run;
}

void TransferQueue::finish_front(bool aborted) {
    hal::HostTransfer& transfer = *transfers_.pop();
    if (claim_index_ > 0) {
        --claim_index_;
    } else {  // aborted half-way
        claim_piece_ = 0;
        claim_offset_ = 0;
    }
    if (!transfers_.empty()) {
        front_left_ = transfers_.front()->sectors * hal::kSectorBytes;
    }
    transfer.aborted = aborted;
    mark_from(*transfer.ledger, hal::Stage::firmware_wait, now());
    transfer.done();
}

void TransferQueue::abort() {
    while (!transfers_.empty()) {
        finish_front(true);
    }
}

void TransferQueue::clear() {
    transfers_.clear();
    requested_ = claimed_ = retired_ = 0;
    front_left_ = 0;
    claim_index_ = claim_piece_ = 0;
    claim_offset_ = 0;
}

}  // namespace solidtlm::hw
