// SPDX-License-Identifier: Apache-2.0
//
// Data of the flash controller: between DRAM and the content buffers, and through ECC.
#include <algorithm>

#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

using hal::FlashPiece;
using hal::FlashStatus;
using hal::Stage;

namespace {

// An access is named by request, token and number, so that an answer that comes after a power cut is known
// as such.
constexpr unsigned kRequestShift = 40;
constexpr unsigned kTokenShift = 16;
constexpr std::uint64_t kTokenMask = 0xffffff;
constexpr std::uint64_t kAccessMask = 0xffff;

std::uint64_t access_id(const FlashRequest& request, std::size_t access) {
    return std::uint64_t{request.index} << kRequestShift | (request.token & kTokenMask) << kTokenShift |
           access;
}

}  // namespace

/// DRAM accesses of the pieces; neighbours in order are joined. Reads leave out planes that failed.
void FlashController::plan_accesses(FlashRequest& request, bool write) {
    request.accesses.clear();
    std::size_t offset = 0;
    for (const FlashPiece& piece : request.op->pieces) {
        const std::size_t bytes = hal::content_bytes(config_.content, piece.length_bytes);
        const bool moves = piece.dram.value != FlashPiece::kPadding &&
                           (!write || request.op->plane_status[piece.plane_slot] == FlashStatus::ok);
        if (moves) {
            DramAccess* last = request.accesses.empty() ? nullptr : &request.accesses.back();
            if (last != nullptr && last->address + last->bytes == piece.dram.value &&
                last->offset + hal::content_bytes(config_.content, last->bytes) == offset) {
                last->bytes += piece.length_bytes;
            } else {
                request.accesses.push_back(DramAccess{piece.dram.value, piece.length_bytes, offset, {}, {}});
            }
        }
        offset += bytes;
    }
}

void FlashController::issue_accesses(FlashRequest& request, bool write) {
    request.accesses_begin = now();
    request.accesses_open = static_cast<std::uint32_t>(request.accesses.size());
    for (std::size_t i = 0; i < request.accesses.size(); ++i) {
        const DramAccess& access = request.accesses[i];
        tlm::tlm_generic_payload& payload = dram_payloads_.take(
            write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, access.address,
            request.content.empty() ? nullptr : request.content.data() + access.offset, access.bytes);
        auto& extension = *payload.get_extension<DramExtension>();
        extension.wait = extension.transfer = Ps{0};
        extension.id = access_id(request, i);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (dram_init->nb_transport_fw(payload, phase, delay) == tlm::TLM_COMPLETED) {
            record_access(request, i, now() + to_ps(delay), extension.transfer);
            payload.release();
        }
    }
}

tlm::tlm_sync_enum FlashController::dram_nb_transport_bw(tlm::tlm_generic_payload& payload,
                                                         tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
        return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL("/ssd/flash_controller", "unknown phase from the DRAM");
    }
    const auto& extension = *payload.get_extension<DramExtension>();
    FlashRequest& request = *requests_[extension.id >> kRequestShift];
    if ((extension.id >> kTokenShift & kTokenMask) == (request.token & kTokenMask)) {
        record_access(request, extension.id & kAccessMask, now() + to_ps(delay), extension.transfer);
    }
    payload.release();
    return tlm::TLM_COMPLETED;
}

void FlashController::record_access(FlashRequest& request, std::size_t access, Ps end, Ps transfer) {
    request.accesses[access].end = end;
    request.accesses[access].transfer = transfer;
    if (--request.accesses_open == 0) {
        const auto later = [](const DramAccess& a, const DramAccess& b) { return a.end < b.end; };
        push(std::max_element(request.accesses.begin(), request.accesses.end(), later)->end, WakeKind::dram,
             request);
    }
}

/// Time between `from` and `to` in which an access of the request was being served.
Ps FlashController::transfer_time(const FlashRequest& request, Ps from, Ps to) {
    Ps covered_to = from;
    Ps sum{0};
    for (const DramAccess& access : request.accesses) {  // served in order of issue
        const Ps begin = std::max(access.end - access.transfer, covered_to);
        const Ps end = std::min(access.end, to);
        if (end > begin) {
            sum += end - begin;
            covered_to = end;
        }
    }
    return sum;
}

/// Fetches a program's data from DRAM.
void FlashController::start_load(FlashRequest& request) {
    plan_accesses(request, false);
    if (request.accesses.empty()) {
        request.accesses_begin = now();
        on_dram(request);
    } else {
        issue_accesses(request, false);
    }
}

/// All DRAM accesses are done: encode, or complete a read.
void FlashController::on_dram(FlashRequest& request) {
    const Ps transfer = transfer_time(request, request.accesses_begin, now());
    if (request.step == Step::store) {
        enter(request, Stage::dram_transfer, now() - transfer);
        return finish(request);
    }
    request.loaded = true;
    request.encoded_at = now();
    for (const Burst& burst : request.bursts) {
        for (std::uint32_t i = 0; i < burst.codewords; ++i) {
            request.encoded_at = encoder_.accept(now());
        }
    }
    if (request.step == Step::load) {
        enter(request, Stage::dram_transfer, now() - transfer);
        enter(request, Stage::ecc, now());
        push(request.encoded_at, WakeKind::encoded, request);
    }
}

/// Read data has left ECC: store it.
void FlashController::on_decoded(FlashRequest& request) {
    plan_accesses(request, true);
    if (request.accesses.empty()) {
        return finish(request);
    }
    request.step = Step::store;
    enter(request, Stage::dram_wait, now());
    issue_accesses(request, true);
}

}  // namespace solidtlm::hw
