// SPDX-License-Identifier: Apache-2.0
//
// Answers the requests of a source that waits for them, each a fixed time after it was given, all at once:
// what the source would ask of a device that is never busy. Makes of it a source that needs no feedback.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "testbench/host/request.h"

namespace solidtlm::testbench {

class AnsweredSource final : public RequestSource {
  public:
    /// `source` must outlive it and have feedback.
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
                return false;  // it waits for nothing
            }
            if (due_.empty() || (wakes_at && *wakes_at < due_.front().first)) {
                now_ = std::max(now_, *wakes_at);
                continue;
            }
            const auto [at, token] = due_.front();
            due_.pop_front();
            now_ = at;
            feedback.completed(token, true, now_);
        }
    }
    /// Time of the source, up to now.
    [[nodiscard]] Ps now() const { return now_; }

  private:
    RequestSource& source_;
    Ps service_;
    Ps now_{0};
    std::deque<std::pair<Ps, std::uint64_t>> due_;  ///< ends to come, in order
};

}  // namespace solidtlm::testbench
