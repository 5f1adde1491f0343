// SPDX-License-Identifier: Apache-2.0
//
// Read: 00h-5A-32h for each plane but the last, 00h-5A-30h for the last, tR; then the data of all planes goes
// to ECC, while the die may serve other operations; then from ECC to DRAM.
#include "fw/hal/xor_onto.h"
#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

using hal::FlashStatus;
using hal::Stage;

void FlashController::begin_read(FlashRequest& request) {
    ask_for_bus(request, &FlashController::read_command, false, "command cycles");
}

void FlashController::read_command(FlashRequest& request) {
    const Ps duration = mode_prefix(request, request.op->senses_slc()) + timing_.read_command();
    if (request.slot + 1 < request.op->planes) {
        command<&FlashController::read_next_plane>(request, NandCommand::read_plane, duration);
    } else if (request.op->opcode == hal::FlashOpcode::copy_back) {
        command<&FlashController::copy_sensed>(request, NandCommand::copy_back_read, duration);
    } else {
        command<&FlashController::sensed>(request, NandCommand::read, duration);
    }
}

void FlashController::read_next_plane(FlashRequest& request) {
    ++request.slot;
    begin_read(request);
}

void FlashController::sensed(FlashRequest& request) {
    if (request.op->status == FlashStatus::rule_violation) {
        finish(request);
    } else {
        ask_for_bus(request, &FlashController::data_out, true, "data out");
    }
}

void FlashController::data_out(FlashRequest& request) {
    const ReadPath::Ends ends = read_path_.begin(request, now());
    for (const Burst& burst : request.pages.bursts) {
        statistics_.bytes_out += burst.bytes;
    }
    occupy_bus(request, ends.left - now());
    trace_.data_out(request, ends.left - now());
    if (ecc_.codeword_bytes != 0) {
        request.enter(Stage::ecc, ends.left);
    }
    if (!request.retried) {
        dies_.release_at(request, ends.left);  // before the request can finish
        if (has_retries()) {
            dies_.guard_block(request);
        }
    }
    later<&FlashController::decoded>(ends.decoded, request);
    schedule(dies_.of(request));
}

void FlashController::decoded(FlashRequest& request) {
    if (!has_retries() || !retry(request)) {
        store(request);
    }
}

void FlashController::store(FlashRequest& request) {
    if (request.op->status != FlashStatus::ok) {
        planner_.plan_accesses(*request.op, request.pages);
    }
    if (request.pages.accesses.empty()) {
        finish(request);
        return;
    }
    request.at = "to DRAM";
    request.enter(Stage::dram_wait, now());
    if (request.op->accumulate) {
        request.onto.assign(request.content.size(), std::byte{0});
        access_dram(request, false, request.onto, &FlashController::accumulate);
    } else {
        access_dram(request, true, request.content, &FlashController::stored);
    }
}

/// The previous contents of DRAM are there: writes back the sum.
void FlashController::accumulate(FlashRequest& request) {
    enter_transfer(request);
    hal::xor_onto(request.content.data(), request.onto.data(), request.content.size());
    request.enter(Stage::dram_wait, now());
    access_dram(request, true, request.content, &FlashController::stored);
}

void FlashController::stored(FlashRequest& request) {
    enter_transfer(request);
    finish(request);
}

}  // namespace solidtlm::hw
