// SPDX-License-Identifier: Apache-2.0
//
// The order in which reads and writes leave a host that has more of them than the drive has command slots:
// Linux's mq-deadline (block/mq-deadline.c, Linux 4.11 to 6.2; Documentation/block/deadline-iosched.rst), the
// usual scheduler of a drive with one queue. It takes up to kBatch requests of one kind in ascending sector
// order. Reads go before writes; writes wait for at most kWritesStarved batches of reads. After the highest
// sector it continues with the oldest request; it does the same after a batch if that request has waited too
// long. The next request is chosen one step ahead: a request that arrives after that choice waits for the
// next pass, even if its sector lies between the two. Requests are not merged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench::gallery {

class Elevator {
  public:
    static constexpr std::uint32_t kBatch = 16;            ///< Linux: fifo_batch
    static constexpr std::uint32_t kWritesStarved = 2;     ///< Linux: writes_starved
    static constexpr Ps kReadExpires{500'000'000'000};     ///< Linux: read_expire
    static constexpr Ps kWriteExpires{5'000'000'000'000};  ///< Linux: write_expire

    [[nodiscard]] bool empty() const { return waiting_.empty(); }
    [[nodiscard]] std::size_t size() const { return waiting_.size(); }
    /// Adds a read or write that arrived at `arrival` and takes over its contents. Arrivals must not
    /// decrease.
    void add(Request& request, Ps arrival);
    /// Removes the next request; returns when it arrived. REQUIRES: not empty().
    [[nodiscard]] Ps take(Request& request, Ps now);

  private:
    struct Waiting {
        Request request;
        Ps arrival{0};
        std::uint64_t number = 0;  ///< position in the order of arrival
    };
    using Place = std::vector<Waiting>::iterator;

    [[nodiscard]] Place oldest(Operation operation);
    [[nodiscard]] Place choose(Ps now);
    /// The request of the same kind with the next higher sector.
    [[nodiscard]] std::optional<std::uint64_t> behind(const Waiting& chosen) const;

    std::vector<Waiting> waiting_;  // in order of arrival
    // number of the next request in ascending order; none: no higher sector waits
    std::optional<std::uint64_t> next_;
    std::uint64_t numbers_ = 0;
    std::uint32_t batch_ = 0;    // requests chosen so far in the present batch
    std::uint32_t starved_ = 0;  // batches of reads since writes began to wait
};

}  // namespace solidtlm::testbench::gallery
