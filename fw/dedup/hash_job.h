// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>

#include "fw/drive/environment.h"

namespace solidtlm::fw {

/// Waits for the hash unit: co_await HashAwaiter(environment, job). `job` must outlive the wait; its digest
/// is there afterwards. REQUIRES: environment.hash is not null.
class HashAwaiter {
  public:
    HashAwaiter(Environment& environment, hal::HashJob& job)
        : hash_(*environment.hash), job_(job), resumption_(environment.executor) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
        job_.done = resumption_.completion(handle);
        hash_.submit(job_);
    }
    void await_resume() const noexcept {}

  private:
    hal::Hash& hash_;
    hal::HashJob& job_;
    Resumption resumption_;
};

}  // namespace solidtlm::fw
