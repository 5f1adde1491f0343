// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/gallery/scheduled_source.h"

#include "fw/hal/check.h"

namespace solidtlm::testbench::gallery {

ScheduledSource::ScheduledSource(std::unique_ptr<RequestSource> source, std::size_t depth, std::size_t slots)
    : source_(std::move(source)), depth_(depth), slots_(slots) {
    SOLIDTLM_CHECK(depth > 0 && slots > 0, "some requests are outstanding");
    SOLIDTLM_CHECK(source_->feedback() == nullptr, "the load has no feedback");
}

void ScheduledSource::arrive(Ps now) {
    Request request;
    while (!exhausted_ && outstanding_ < depth_) {
        if (!source_->next(request)) {
            exhausted_ = true;
            return;
        }
        queue_.emplace_back(std::move(request), now);
        ++outstanding_;
    }
}

void ScheduledSource::fill() {
    while (!queue_.empty() && elevator_.size() + sent_ < 2 * slots_) {
        elevator_.add(queue_.front().first, queue_.front().second);
        queue_.pop_front();
    }
}

bool ScheduledSource::next(Request& request) {
    arrive(now_);
    fill();
    if (sent_ == slots_ || elevator_.empty()) {
        return false;
    }
    const Ps arrival = elevator_.take(request, now_);
    request.arrival = arrival;
    ++sent_;
    return true;
}

void ScheduledSource::completed(std::uint64_t /*token*/, bool /*ok*/, Ps now) {
    now_ = now;
    --sent_;
    --outstanding_;
    arrive(now);
}

bool ScheduledSource::ended() const {
    return exhausted_ && queue_.empty() && elevator_.empty();
}

}  // namespace solidtlm::testbench::gallery
