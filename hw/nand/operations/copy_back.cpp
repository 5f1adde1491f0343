// SPDX-License-Identifier: Apache-2.0
//
// Copy-back: the source as a read (read.cpp), with 35h instead of 30h; then as a program (program.cpp) with
// 85h-5A for each plane, with metadata after a second 85h if there is any, 11h or 10h, tPROG; status.
#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

void FlashController::copy_sensed(FlashRequest& request) {
    if (request.op->status == hal::FlashStatus::rule_violation) {
        finish(request);
        return;
    }
    request.slot = 0;
    ask_for_bus(request, &FlashController::program_command, false, "command cycles");
}

}  // namespace solidtlm::hw
