// SPDX-License-Identifier: Apache-2.0
//
// The order in which reads and writes leave a host that has more of them than the drive has command slots:
// Linux's mq-deadline (block/mq-deadline.c, Linux 4.11 to 6.2; Documentation/block/deadline-iosched.rst), the
// usual scheduler of a drive with one queue. In the direction of the sectors, up to kBatch of one kind after
// another; reads before writes, which wait for kWritesStarved batches of reads at most. Behind the highest
// sector it goes on with the oldest request, and so it does after a batch if that one has waited too long. A
// request that comes after the one before the next was chosen waits for the next pass, even where it lies
// between the two. Requests are not joined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/host/request.h"

namespace solidtlm::testbench::gallery {

class Elevator {
  public:
    static constexpr std::uint32_t kBatch = 16;            ///< fifo_batch
    static constexpr std::uint32_t kWritesStarved = 2;     ///< writes_starved
    static constexpr Ps kReadExpires{500'000'000'000};     ///< read_expire
    static constexpr Ps kWriteExpires{5'000'000'000'000};  ///< write_expire

    [[nodiscard]] bool empty() const { return waiting_.empty(); }
    [[nodiscard]] std::size_t size() const { return waiting_.size(); }
    /// A read or write that arrived then; none has arrived later. Takes what is in it.
    void add(Request& request, Ps arrival);
    /// The next one; returns when it arrived. REQUIRES: not empty().
    [[nodiscard]] Ps take(Request& request, Ps now);

  private:
    struct Waiting {
        Request request;
        Ps arrival{0};
        std::uint64_t number = 0;  ///< in order of arrival
    };
    using Place = std::vector<Waiting>::iterator;

    [[nodiscard]] Place oldest(Operation operation);
    [[nodiscard]] Place choose(Ps now);
    /// Of the same kind, the next higher sector.
    [[nodiscard]] std::optional<std::uint64_t> behind(const Waiting& chosen) const;

    std::vector<Waiting> waiting_;       // in order of arrival
    std::optional<std::uint64_t> next_;  // by number, on the way up; none: nothing was higher
    std::uint64_t numbers_ = 0;
    std::uint32_t batch_ = 0;    // of the one under way, chosen so far
    std::uint32_t starved_ = 0;  // batches of reads while writes waited
};

}  // namespace solidtlm::testbench::gallery
