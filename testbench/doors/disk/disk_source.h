// SPDX-License-Identifier: Apache-2.0
//
// Turns clients' requests into requests of the simulated host, and sleeps when simulated time must wait for
// wall time. It sleeps inside next() and completed(), so the whole simulation stands still meanwhile.
//
// Order. Requests go to the host in the order in which they were handed over. A FLUSH is not queued: the host
// sends it when all requests before it have ended. A trim with FUA therefore becomes a trim and then a FLUSH.
//
// Zeros are written as a trim if the client allows that, trimmed sectors read as zeros, and trims survive a
// power cut; otherwise as data.
//
// Time 0 is the arrival of the first request. Arrivals are whole nanoseconds, because a trace stores
// nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/configuration.h"
#include "testbench/doors/disk/clients.h"
#include "testbench/doors/disk/timing.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench::disk {

/// Receives each request of the host, in the order of arrival.
class RequestLog {
  public:
    virtual ~RequestLog() = default;
    /// A request with its arrival set; `number` counts from 0.
    virtual void begun(std::uint64_t number, const Request& request) = 0;
    virtual void ended(std::uint64_t number, Ps now) = 0;
};

struct DiskFacts {
    std::uint64_t sectors = 0;
    bool zeros_by_trim = false;
    /// Power is cut after this many completed writes since the drive last had power; 0: never.
    std::uint64_t writes_to_cut = 0;
};

/// Whether a zero request may be carried out as a trim. It may not if the old data could come back after a
/// power cut.
[[nodiscard]] bool zeros_by_trim(const platform::Configuration& configuration);

class DiskSource : public RequestSource, public SourceFeedback {
  public:
    /// The contents of sectors [first, first + count): at least one extent, at most kMostExtents.
    using BlockStatus = std::function<std::vector<Extent>(std::uint64_t first, std::uint64_t count)>;

    /// `log` may be null. All references must outlive this object.
    DiskSource(Clients& clients, const Timing& timing, const DiskFacts& facts, RequestLog* log);

    /// Call it before the first request.
    void set_block_status(BlockStatus block_status) { block_status_ = std::move(block_status); }
    /// Carries out an order. True: power goes as soon as the simulation continues.
    using Orders = std::function<bool(Order)>;
    /// Call it before the first request.
    void set_orders(Orders orders) { orders_ = std::move(orders); }

    /// Power is lost: only requests that the host has already taken will be carried out.
    void power_lost(bool come_back);

    bool next(Request& request) override;
    SourceFeedback* feedback() override { return this; }
    void advance(Ps now) override { now_ = now; }
    void completed(std::uint64_t token, bool ok, Ps now) override;
    [[nodiscard]] bool ended() const override { return clients_.ended() && waiting_.empty(); }
    [[nodiscard]] std::optional<Ps> wakes_at() const override { return wakes_at_; }
    [[nodiscard]] std::vector<std::pair<std::string, double>> counters() const override { return {}; }

    /// Number of client requests of each kind.
    [[nodiscard]] const std::array<std::uint64_t, kAsks>& asked() const { return asked_; }
    /// Paced: answers that came late by more than kLate of wall time.
    [[nodiscard]] std::uint64_t late_answers() const { return late_answers_; }
    /// Paced: the largest lateness, in wall time.
    [[nodiscard]] Clients::Wall latest() const { return latest_; }

    static constexpr Clients::Wall kLate = std::chrono::milliseconds(1);

  private:
    /// One request of the host: all or part of a client's request.
    struct Step {
        std::uint32_t slot = 0;
        Operation operation = Operation::read;
        Ps arrival{0};
    };
    struct Under {  ///< a client's request that is under way
        std::uint32_t steps_left = 0;
        bool failed = false;
    };

    void take();
    void hand_over(std::uint32_t slot);
    void add_step(std::uint32_t slot, Operation operation);
    void end_step(std::uint32_t slot, bool ok);
    void answer_block_status(std::uint32_t slot);
    void fill(const Step& step, Request& request);
    [[nodiscard]] Ps arrival();
    bool wait();
    bool wait_paced();
    [[nodiscard]] Ps simulated(Clients::Wall wall) const;

    Clients& clients_;
    const Timing timing_;
    const DiskFacts facts_;
    RequestLog* const log_;
    BlockStatus block_status_;
    Orders orders_;

    std::deque<Step> waiting_;
    std::array<Under, kSlots> under_way_{};
    std::uint32_t outstanding_ = 0;
    std::uint64_t next_number_ = 0;
    Ps now_{0};
    Ps last_arrival_{0};
    std::optional<Ps> wakes_at_;
    bool begun_ = false;
    bool cutting_ = false;         ///< power goes as soon as the simulation continues
    std::uint64_t writes_ = 0;     ///< writes completed since the last cut
    Clients::Wall origin_{0};      ///< paced: wall time of simulated time 0
    Clients::Wall idle_since_{0};  ///< afap with IdleMode::wall: when the drive became idle

    std::array<std::uint64_t, kAsks> asked_{};
    std::uint64_t late_answers_ = 0;
    Clients::Wall latest_{0};
};

}  // namespace solidtlm::testbench::disk
