// SPDX-License-Identifier: Apache-2.0
#include "fw/host/idle_flush.h"

namespace solidtlm::fw {

void IdleFlush::start() {
    if (services_.config.write_buffer.idle_flush > Ps{0}) {
        services_.executor.spawn(run());
    }
}

Task<void> IdleFlush::run() {
    const Ps patience = services_.config.write_buffer.idle_flush;
    while (true) {
        if (buffer_.dirty_total() == 0 || buffer_.durability().stuck()) {
            co_await buffer_.destager_wakeup().wait();
            continue;
        }
        const std::uint64_t commits = buffer_.commits();
        co_await alarms_.until(services_.executor.now() + patience);
        if (commits == buffer_.commits() && buffer_.dirty_total() > 0) {
            co_await buffer_.durability().flush(nullptr);
        }
    }
}

}  // namespace solidtlm::fw
