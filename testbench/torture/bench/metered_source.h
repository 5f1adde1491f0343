// SPDX-License-Identifier: Apache-2.0
//
// Reads the clocks when the host takes certain requests from a source. A caller can thus cut a run into parts
// (warm-up, measured) from outside. In a closed loop, the requests taken between two marks are those served
// between them, give or take the queue depth.
#pragma once

#include <cstdint>
#include <vector>

#include "fw/hal/check.h"
#include "testbench/sim/host/request.h"
#include "testbench/torture/bench/entry_count.h"

namespace solidtlm::testbench {

/// CPU time of this process so far, user and system, seconds.
[[nodiscard]] double cpu_seconds();

/// Clocks and counters when `requests` requests had been taken.
struct Mark {
    std::uint64_t requests = 0;
    double wall_s = 0.0;  ///< of a monotonic clock
    double cpu_s = 0.0;
    Ps simulated{0};
    std::uint64_t resident_bytes = 0;
    EntryCount entries = {};
};

class MeteredSource : public RequestSource {
  public:
    /// Takes mark i when the host asks for the next request after `at[i]` of them. `source` must outlive this
    /// object. REQUIRES: `at` ascends.
    MeteredSource(RequestSource& source, std::vector<std::uint64_t> at)
        : source_(source), at_(std::move(at)) {
        SOLIDTLM_CHECK(std::is_sorted(at_.begin(), at_.end()), "marks ascend");
    }

    bool next(Request& request) override;
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return source_.size(); }
    [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }

  private:
    RequestSource& source_;
    std::vector<std::uint64_t> at_;
    std::vector<Mark> marks_;
    std::uint64_t taken_ = 0;
};

}  // namespace solidtlm::testbench
