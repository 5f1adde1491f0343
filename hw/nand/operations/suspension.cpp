// SPDX-License-Identifier: Apache-2.0
//
// A host read pauses the program or erase that holds its die, then proceeds like any read; afterwards the
// program or erase resumes.
#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

/// The read that waits for the die has got the bus.
void FlashController::suspend(FlashRequest& read) {
    FlashRequest* running = dies_.preempt(read);
    if (running == nullptr) {
        return;  // the operation ends before it could be paused; the bus stays free
    }
    agenda().withdraw(running->ready);
    running->begin = &FlashController::begin_resume;
    const Ps duration = timing_.suspend_command();
    read.at = "suspending";
    occupy_bus(read, duration);
    send(read, NandCommand::suspend, duration);
    later<&FlashController::pausing>(now() + duration, read);
    later<&FlashController::paused>(read.ready_at, read);
}

/// The suspend command has reached the die, which the read holds from now on.
void FlashController::pausing(FlashRequest& read) {
    dies_.pausing(read);
}

void FlashController::paused(FlashRequest& read) {
    dies_.paused(read);
    (this->*read.begin)(read);
}

void FlashController::begin_resume(FlashRequest& request) {
    ask_for_bus(request, &FlashController::resume, false, "resuming");
}

void FlashController::resume(FlashRequest& request) {
    request.working = true;
    command<&FlashController::array_done>(request, NandCommand::resume, timing_.suspend_command());
}

}  // namespace solidtlm::hw
