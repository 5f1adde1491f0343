// SPDX-License-Identifier: Apache-2.0
#include "fw/drive/host_activity.h"

namespace solidtlm::fw {

Task<void> HostActivity::wait_idle() {
    while (!idle()) {
        if (busy()) {
            co_await quiet_.wait();
            continue;
        }
        const std::uint64_t begun = begun_;
        co_await alarms_.until(since_ + threshold_);
        if (begun == begun_) {
            found_idle_ = begun;  // needed if the clock stands still: alarms then go off when nothing else is
                                  // left
        }
    }
}

}  // namespace solidtlm::fw
