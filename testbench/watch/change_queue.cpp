// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/change_queue.h"

#include "fw/hal/check.h"

namespace solidtlm::testbench {

ChangeQueue::SignalIndex ChangeQueue::add(std::uint64_t value) {
    signals_.push_back(Signal{value, {}});
    return static_cast<SignalIndex>(signals_.size() - 1);
}

void ChangeQueue::set(SignalIndex signal, hal::Ps at, std::uint64_t value) {
    SOLIDTLM_CHECK(at >= settled_, "what is final does not change");
    std::vector<Change>& ahead = signals_[signal].ahead;
    while (!ahead.empty() && ahead.back().at >= at) {
        ahead.pop_back();
    }
    ahead.push_back(Change{at, value});
    due_.emplace(at, signal);
}

void ChangeQueue::set_between(SignalIndex signal, hal::Ps begin, hal::Ps end, std::uint64_t value,
                              std::uint64_t after) {
    set(signal, begin, value);
    set(signal, end, after);
}

void ChangeQueue::settle(hal::Ps at, const Sink& sink) {
    settled_ = std::max(settled_, at);
    while (!due_.empty() && due_.top().first < at) {
        const auto [when, index] = due_.top();
        due_.pop();
        Signal& signal = signals_[index];
        if (signal.ahead.empty() || signal.ahead.front().at != when) {
            continue;  // superseded or already written
        }
        const std::uint64_t value = signal.ahead.front().value;
        signal.ahead.erase(signal.ahead.begin());
        if (value != signal.value) {
            signal.value = value;
            sink(when, index, value);
        }
    }
}

}  // namespace solidtlm::testbench
