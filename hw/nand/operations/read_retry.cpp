// SPDX-License-Identifier: Apache-2.0
//
// A page that ECC could not correct is read again: the read gets its die back, sets the next level of the
// read-retry table (EFh), reads, and so on; in the end it sets level 0.
#include <algorithm>

#include "hw/nand/flash_controller.h"

namespace solidtlm::hw {

/// Called when a read has left ECC. False if the read is done. Otherwise its die is set to another level of
/// the read-retry table, to read again or because the retries are over.
bool FlashController::retry(FlashRequest& request) {
    hal::FlashOp& op = *request.op;
    const bool failed = op.status == hal::FlashStatus::uncorrectable;
    if (request.retried) {
        request.level = failed && request.level < ecc_.retries ? request.level + 1 : 0;
        begin_retry(request);
    } else {
        dies_.unguard_block(request);
        if (!failed) {
            return false;
        }
        request.retried = true;
        request.level = 1;
        request.retry_since = now();
        ++statistics_.retried_reads;
        request.begin = &FlashController::begin_retry;
        dies_.requeue_for_retry(request);
    }
    op.retries = std::max(op.retries, request.level);
    statistics_.read_retries += request.level > 0 ? 1 : 0;
    statistics_.recovered_reads += failed ? 0 : 1;
    return true;
}

void FlashController::begin_retry(FlashRequest& request) {
    ask_for_bus(request, &FlashController::set_level, false, "retry level");
}

void FlashController::set_level(FlashRequest& request) {
    command<&FlashController::level_set>(request, NandCommand::set_features, timing_.set_features_command());
}

void FlashController::level_set(FlashRequest& request) {
    if (request.level > 0) {
        request.slot = 0;
        begin_read(request);
        return;
    }
    statistics_.retrying += now() - request.retry_since;
    dies_.release_after_retry(request);
    store(request);
}

}  // namespace solidtlm::hw
