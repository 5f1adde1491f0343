// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/regroup_trims.h"

#include <algorithm>
#include <array>
#include <utility>

namespace solidtlm::testbench {

std::optional<Regroup> parse_regroup(std::string_view text) {
    constexpr std::array<std::string_view, 3> kNames{"per_extent", "batched", "queued"};
    const auto found = std::find(kNames.begin(), kNames.end(), text);
    return found != kNames.end() ? std::optional(static_cast<Regroup>(found - kNames.begin())) : std::nullopt;
}

bool RegroupTrims::next(Request& request) {
    while (true) {
        if (!ready_.empty()) {
            request = std::move(ready_.front());
            ready_.pop_front();
            return true;
        }
        if (!pull(request)) {
            return false;
        }
        if (request.operation != Operation::trim) {
            return true;
        }
        if (how_ != Regroup::batched) {
            split(request, 1);
        } else if (request.ranges.size() > kMostRanges) {
            split(request, kMostRanges);
        } else {
            gather(request);
            return true;
        }
    }
}

bool RegroupTrims::pull(Request& request) {
    if (held_.empty()) {
        return source_->next(request);
    }
    request = std::move(held_.front());
    held_.pop_front();
    return true;
}

// Splits a trim into commands of at most `ranges` ranges.
void RegroupTrims::split(const Request& trim, std::size_t ranges) {
    for (std::size_t i = 0; i < trim.ranges.size(); i += ranges) {
        const auto first = trim.ranges.begin() + static_cast<std::ptrdiff_t>(i);
        const auto count = std::min(ranges, trim.ranges.size() - i);
        Request& part = ready_.emplace_back();
        part.operation = Operation::trim;
        part.arrival = trim.arrival;
        part.queue_depth = trim.queue_depth;
        part.queued = how_ == Regroup::queued;
        part.ranges.assign(first, first + static_cast<std::ptrdiff_t>(count));
    }
}

// Adds the ranges of the following trims to `first`. Requests between them are held and follow it.
void RegroupTrims::gather(Request& first) {
    first.queued = false;
    std::deque<Request> looked_at = std::exchange(held_, {});
    Ps last = first.arrival;
    std::size_t from = 0;
    while (first.ranges.size() < kMostRanges && from < kMostHeld) {
        if (from == looked_at.size()) {
            Request& more = looked_at.emplace_back();
            if (!source_->next(more)) {
                looked_at.pop_back();
                break;
            }
        }
        const Request& request = looked_at[from];
        if (request.operation == Operation::flush || request.arrival > last + kGap) {
            break;
        }
        // A trim moves forward only if it passes no request for its sectors.
        const bool blocked =
            request.operation == Operation::trim
                ? std::any_of(looked_at.begin(), looked_at.begin() + static_cast<std::ptrdiff_t>(from),
                              [&request](const Request& before) { return touches(before, request); })
                : touches(request, first);
        if (blocked) {
            break;
        }
        if (request.operation != Operation::trim) {
            ++from;
            continue;
        }
        if (first.ranges.size() + request.ranges.size() > kMostRanges) {
            break;
        }
        last = request.arrival;
        first.ranges.insert(first.ranges.end(), request.ranges.begin(), request.ranges.end());
        looked_at.erase(looked_at.begin() + static_cast<std::ptrdiff_t>(from));
    }
    held_ = std::move(looked_at);
}

// Whether a read or write shares sectors with a trim.
bool RegroupTrims::touches(const Request& request, const Request& group) {
    return std::any_of(group.ranges.begin(), group.ranges.end(), [&request](const TrimRange& range) {
        return request.lba.value < range.lba.value + range.sectors &&
               range.lba.value < request.lba.value + request.sectors;
    });
}

}  // namespace solidtlm::testbench
