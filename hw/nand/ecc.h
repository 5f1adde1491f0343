// SPDX-License-Identifier: Apache-2.0
//
// ECC pipelines of a channel: one encoder and one decoder. Each takes a codeword every codeword_time and
// delivers it `latency` later.
#pragma once

#include <algorithm>
#include <cmath>

#include "fw/hal/check.h"
#include "fw/hal/types.h"
#include "hw/nand/config.h"

namespace solidtlm::hw {

class EccPipeline {
  public:
    /// REQUIRES: mb_per_s > 0 (10^6 bytes per second).
    EccPipeline(std::uint32_t codeword_bytes, double mb_per_s, Ps latency)
        : codeword_time_(std::llround(codeword_bytes * 1e6 / mb_per_s)), latency_(latency) {
        SOLIDTLM_CHECK(mb_per_s > 0.0, "the throughput is positive");
    }

    /// Accepts `codewords` that arrive at once; returns when the last one has left the pipeline. REQUIRES:
    /// arrivals in order of time.
    Ps accept(Ps arrived, std::uint32_t codewords = 1) {
        SOLIDTLM_CHECK(arrived >= state_.arrived, "codewords arrive in order of time");
        state_.arrived = arrived;
        const Ps begin = std::max(state_.free_at, arrived);
        const Ps work = codewords * codeword_time_;
        state_.free_at = begin + work;
        busy_ += state_.stopped_at == kNever ? work : std::clamp(state_.stopped_at - begin, Ps{0}, work);
        return state_.free_at + latency_;
    }
    /// Accepts `codewords` that arrive one by one as the pipeline can take them: the first at free_at() or
    /// later, the others at least codeword_time() apart, the last one at `last`.
    Ps accept_apart(std::uint32_t codewords, Ps last) {
        state_.free_at = last + codeword_time_;
        state_.arrived = last;
        busy_ += codewords * codeword_time_;
        return state_.free_at + latency_;
    }
    /// The time at which the pipeline can take the next codeword.
    [[nodiscard]] Ps free_at() const { return state_.free_at; }
    [[nodiscard]] Ps codeword_time() const { return codeword_time_; }
    [[nodiscard]] Ps latency() const { return latency_; }
    /// Time spent on codewords so far.
    [[nodiscard]] Ps busy() const { return busy_; }

    /// Power is lost at `at`: busy() does not grow after that. REQUIRES: all codewords have arrived by `at`,
    /// except those that are accepted after this call.
    void stop(Ps at) {
        SOLIDTLM_CHECK(state_.arrived <= at, "codewords that arrive after the cut are withdrawn first");
        busy_ -= std::max(state_.free_at - at, Ps{0});
        state_.stopped_at = at;
    }
    [[nodiscard]] bool stopped() const { return state_.stopped_at != kNever; }
    /// Power is back, and the pipeline is empty.
    void restart() { state_ = {}; }

  private:
    static constexpr Ps kNever = Ps::max();
    Ps codeword_time_;
    Ps latency_;
    Ps busy_{0};
    struct Volatile {
        Ps free_at{0};
        Ps arrived{0};  // arrival of the last codeword
        Ps stopped_at = kNever;
    } state_;
};

}  // namespace solidtlm::hw
