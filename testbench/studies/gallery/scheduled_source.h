// SPDX-License-Identifier: Apache-2.0
//
// A load with a fixed number of requests outstanding. The drive holds as many of them as it has command
// slots, and the elevator chooses which request follows. The elevator holds at most twice as many requests as
// there are slots, counting those at the drive (Linux: nr_requests); the rest wait in front of it. A request
// arrives when another one ends, and its latency counts from that time: pace it by its arrival.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "testbench/studies/gallery/elevator.h"

namespace solidtlm::testbench::gallery {

class ScheduledSource : public RequestSource, public SourceFeedback {
  public:
    /// REQUIRES: a source of reads and writes without feedback; depth and slots are above 0.
    ScheduledSource(std::unique_ptr<RequestSource> source, std::size_t depth, std::size_t slots);

    bool next(Request& request) override;
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return source_->size(); }
    [[nodiscard]] SourceFeedback* feedback() override { return this; }

    void advance(Ps now) override { now_ = now; }
    void completed(std::uint64_t token, bool ok, Ps now) override;
    [[nodiscard]] bool ended() const override;
    [[nodiscard]] std::optional<Ps> wakes_at() const override { return std::nullopt; }
    [[nodiscard]] std::vector<std::pair<std::string, double>> counters() const override { return {}; }

  private:
    void arrive(Ps now);
    void fill();

    std::unique_ptr<RequestSource> source_;
    std::size_t depth_;
    std::size_t slots_;
    Ps now_{0};
    std::size_t outstanding_ = 0;  // requests that arrived and have not ended
    std::size_t sent_ = 0;         // of the outstanding requests, those at the drive
    bool exhausted_ = false;
    // requests for which the elevator has no room, with their arrivals
    std::deque<std::pair<Request, Ps>> queue_;
    Elevator elevator_;
};

}  // namespace solidtlm::testbench::gallery
