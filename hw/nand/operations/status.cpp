// SPDX-License-Identifier: Apache-2.0
//
// How programs, erases and copy-backs end: R/B# rises, and a status poll returns the result.
#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

void FlashController::array_done(FlashRequest& request) {
    request.working = false;
    if (FlashRequest* read = dies_.cancel_preemption(request)) {  // it has ended: nothing to pause
        bus_.withdraw(*read);
    }
    if (request.op->status == hal::FlashStatus::rule_violation) {
        finish(request);
    } else {
        ask_for_bus(request, &FlashController::status_poll, false, "status poll");
    }
}

void FlashController::status_poll(FlashRequest& request) {
    const hal::FlashOp& op = *request.op;
    NandTransaction transaction{NandCommand::status, request.op};
    Ps duration = timing_.status(shared_enable_);
    call_die(transaction, duration);
    if ((transaction.status & kStatusFail) != 0 && op.planes > 1) {
        duration += op.planes * timing_.status(true);  // finds out which plane failed
    }
    occupy_bus(request, duration);
    trace_.status(op, duration);
    later<&FlashController::finish>(now() + duration, request);
}

}  // namespace solidtlm::hw
