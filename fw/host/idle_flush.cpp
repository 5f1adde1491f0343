// SPDX-License-Identifier: Apache-2.0
#include "fw/host/idle_flush.h"

namespace solidtlm::fw {
namespace {

/// co_await AlarmAwaiter(...): sleeps until an instant.
class AlarmAwaiter {
  public:
    AlarmAwaiter(Executor& executor, hal::Clock& clock, Ps at)
        : resumption_(executor), clock_(clock), at_(at) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
        clock_.set_alarm(at_, resumption_.completion(handle));
    }
    void await_resume() const noexcept {}

  private:
    Resumption resumption_;
    hal::Clock& clock_;
    Ps at_;
};

}  // namespace

void IdleFlush::start() {
    if (environment_.config.write_buffer.idle_flush > Ps{0}) {
        environment_.executor.spawn(run());
    }
}

Task<void> IdleFlush::run() {
    const Ps patience = environment_.config.write_buffer.idle_flush;
    while (true) {
        if (buffer_.dirty_total() == 0) {
            co_await buffer_.dirty_signal().wait();
            continue;
        }
        const std::uint64_t commits = buffer_.commits();
        AlarmAwaiter alarm(environment_.executor, *clock_, environment_.executor.now() + patience);
        co_await alarm;
        if (commits == buffer_.commits() && buffer_.dirty_total() > 0) {
            co_await buffer_.flush(nullptr);
        }
    }
}

}  // namespace solidtlm::fw
