// SPDX-License-Identifier: Apache-2.0
//
// Program: data are fetched from DRAM and encoded while the operation waits for its die; then 80h-5A-data-11h
// for each plane but the last, 80h-5A-data-10h for the last, tPROG; status. A part that programs a word line
// at once gets its pages one after the other, each for all planes, with 1Ah, tDBSY between pages: the
// "one-pass program" of 3D TLC parts (juejin.cn/post/7094940571302625311).
#include <algorithm>

#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

using hal::Stage;

void FlashController::fetch(FlashRequest& request) {
    if (request.pages.accesses.empty()) {
        request.accesses_begin = now();
        encode(request);
    } else {
        access_dram(request, false, request.content, &FlashController::fetched);
    }
}

void FlashController::fetched(FlashRequest& request) {
    if (request.waits_for_data) {
        enter_transfer(request);
    }
    encode(request);
}

void FlashController::encode(FlashRequest& request) {
    request.loaded = true;
    request.encoded_at =
        request.pages.codewords > 0 ? encoder_.accept(now(), request.pages.codewords) : now();
    if (request.waits_for_data) {
        request.enter(Stage::ecc, now());
        later<&FlashController::encoded>(request.encoded_at, request);
    }
}

void FlashController::begin_program(FlashRequest& request) {
    if (request.loaded && request.encoded_at <= now()) {
        encoded(request);
        return;
    }
    request.at = "waits for its data";
    request.waits_for_data = true;
    request.accesses_begin = std::max(request.accesses_begin, now());
    request.enter(request.loaded ? Stage::ecc : Stage::dram_wait, now());
    if (request.loaded) {
        later<&FlashController::encoded>(request.encoded_at, request);
    }
}

void FlashController::encoded(FlashRequest& request) {
    ask_for_bus(request, &FlashController::program_command, true, "command cycles");
}

void FlashController::program_command(FlashRequest& request) {
    const bool copy = request.op->opcode == hal::FlashOpcode::copy_back;
    const Ps before_data = copy ? timing_.column_change_in() : timing_.t_adl;
    const Ps duration =
        mode_prefix(request, request.op->slc) + timing_.program_address() + data_in(request, before_data);
    if (request.slot + 1U == request.op->slots()) {
        request.working = !copy;
        command<&FlashController::array_done>(
            request, copy ? NandCommand::copy_back_program : NandCommand::program, duration);
    } else {
        command<&FlashController::program_next_page>(request, NandCommand::program_plane, duration);
    }
}

void FlashController::program_next_page(FlashRequest& request) {
    ++request.slot;
    const bool data = request.op->opcode == hal::FlashOpcode::program;
    ask_for_bus(request, &FlashController::program_command, data, "command cycles");
}

/// Time of the data cycles of the current page, with `first` before them and the confirm after them.
Ps FlashController::data_in(const FlashRequest& request, Ps first) {
    Ps time = timing_.program_confirm();
    Ps before = first;
    for (const Burst& burst : request.pages.of_page(request.slot)) {
        time += before + timing_.data_in(burst.bytes);
        before = timing_.column_change_in();
        statistics_.bytes_in += burst.bytes;
    }
    return time;
}

}  // namespace solidtlm::hw
