// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>

#include "fw/drive/services.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

/// Waits for the hash unit: co_await HashAwaiter(services, job). `job` must outlive the wait; afterwards it
/// holds the digest. REQUIRES: services.hash is not null.
class HashAwaiter : public Waitable {
  public:
    HashAwaiter(Services& services, hal::HashJob& job)
        : hash_(services.hash), job_(job), resumption_(services.executor) {
        SOLIDTLM_CHECK(hash_ != nullptr, "there is a hash unit");
    }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) {
        job_.done = resumption_.completion(handle.promise(), *this);
        hash_->submit(job_);
    }
    void await_resume() const noexcept {}
    [[nodiscard]] std::string describe() const override { return "the hash unit"; }

  private:
    hal::Hash* hash_;
    hal::HashJob& job_;
    Resumption resumption_;
};

}  // namespace solidtlm::fw
