// SPDX-License-Identifier: Apache-2.0
//
// Erase: 60h-3A for each plane, D0h, tBERS; status.
#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

void FlashController::begin_erase(FlashRequest& request) {
    ask_for_bus(request, &FlashController::erase_command, false, "command cycles");
}

void FlashController::erase_command(FlashRequest& request) {
    request.working = true;
    command<&FlashController::array_done>(request, NandCommand::erase,
                                          timing_.erase_command(request.op->planes));
}

}  // namespace solidtlm::hw
