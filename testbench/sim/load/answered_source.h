// SPDX-License-Identifier: Apache-2.0
//
// Turns a source that waits for its requests into one that needs no feedback: each request is answered a
// fixed time after it was taken, any number at once. The result is the request stream that the source would
// send to a device that is never busy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "fw/hal/horizon.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

class AnsweredSource final : public RequestSource {
  public:
    /// `source` must outlive this object and have feedback.
    AnsweredSource(RequestSource& source, Ps service) : source_(source), service_(service) {}

    bool next(Request& request) override {
        SourceFeedback& feedback = *source_.feedback();
        while (true) {
            feedback.advance(now_);
            if (source_.next(request)) {
                due_.emplace_back(now_ + service_, request.token);
                return true;
            }
            if (feedback.ended()) {
                return false;
            }
            const auto wakes_at = feedback.wakes_at();
            if (due_.empty() && !wakes_at) {
                return false;  // the source waits for nothing, so it has ended
            }
            if (due_.empty() || (wakes_at && *wakes_at < due_.front().first)) {
                if (*wakes_at > hal::kHorizon) {
                    throw InputError("found a request that comes after " + std::string(hal::kHorizonText) +
                                     "; allowed: shorter times");
                }
                now_ = std::max(now_, *wakes_at);
                continue;
            }
            const auto [at, token] = due_.front();
            due_.pop_front();
            now_ = at;
            feedback.completed(token, true, now_);
        }
    }
    /// The source's present time.
    [[nodiscard]] Ps now() const { return now_; }

  private:
    RequestSource& source_;
    Ps service_;
    Ps now_{0};
    std::deque<std::pair<Ps, std::uint64_t>> due_;  ///< future ends with their tokens, in order
};

}  // namespace solidtlm::testbench
