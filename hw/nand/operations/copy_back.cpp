// SPDX-License-Identifier: Apache-2.0
//
// Copy-back: the source as a read, with 35h instead of 30h; then 85h-5A for each plane, with metadata behind
// a second 85h where there are any, 11h or 10h, tPROG; status.
#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

void FlashController::begin_copy_back(FlashRequest& request) {
    ask_for_bus(request, &FlashController::copy_read_command, false, "command cycles");
}

void FlashController::copy_read_command(FlashRequest& request) {
    if (request.slot + 1 == request.op->planes) {
        command<&FlashController::copy_sensed>(request, NandCommand::copy_back_read,
                                               mode_prefix(request) + timing_.read_command());
    } else {
        command<&FlashController::copy_read_next_plane>(request, NandCommand::read_plane,
                                                        mode_prefix(request) + timing_.read_command());
    }
}

void FlashController::copy_read_next_plane(FlashRequest& request) {
    ++request.slot;
    begin_copy_back(request);
}

void FlashController::copy_sensed(FlashRequest& request) {
    if (request.op->status == hal::FlashStatus::rule_violation) {
        finish(request);
        return;
    }
    request.slot = 0;
    ask_for_bus(request, &FlashController::copy_program_command, false, "command cycles");
}

void FlashController::copy_program_command(FlashRequest& request) {
    const Ps duration =
        mode_prefix(request) + timing_.program_address() + data_in(request, timing_.column_change_in());
    if (request.slot + 1 == request.op->planes) {
        command<&FlashController::array_done>(request, NandCommand::copy_back_program, duration);
    } else {
        command<&FlashController::copy_program_next_plane>(request, NandCommand::program_plane, duration);
    }
}

void FlashController::copy_program_next_plane(FlashRequest& request) {
    ++request.slot;
    ask_for_bus(request, &FlashController::copy_program_command, false, "command cycles");
}

}  // namespace solidtlm::hw
