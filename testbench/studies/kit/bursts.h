// SPDX-License-Identifier: Apache-2.0
//
// How fast a drive takes writes while it is written: two bursts with a pause between them, and where the
// speed of a burst falls.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/host/request.h"

namespace solidtlm::testbench {

constexpr double kMb = 1e6;

/// Two bursts of sequential writes, with a pause between the end of the first and the beginning of the
/// second.
struct Bursts {
    std::uint32_t request_bytes = 0;  ///< a multiple of hal::kSectorBytes
    std::uint64_t first_bytes = 0;    ///< a multiple of request_bytes, at least one
    std::uint64_t second_bytes = 0;   ///< a multiple of request_bytes; may be 0
    Ps pause{0};
    std::uint64_t region_bytes = 0;  ///< addresses from 0, again and again; a multiple of request_bytes
};

/// Bytes whose writes have ended, and the time since the burst began, in seconds.
struct BurstProgress {
    double bytes = 0.0;
    double seconds = 0.0;
};

/// Of the whole burst; 0 if nothing of it has ended.
[[nodiscard]] double mb_per_s(const std::vector<BurstProgress>& burst);

/// The requests of two bursts. Notes how each goes on.
class BurstSource : public RequestSource, public SourceFeedback {
  public:
    explicit BurstSource(const Bursts& bursts) : bursts_(bursts) {}
    /// Requests of `lead` come first, for `lead_time`. REQUIRES: it has no feedback.
    BurstSource(const Bursts& bursts, std::unique_ptr<RequestSource> lead, Ps lead_time);

    bool next(Request& request) override;
    [[nodiscard]] SourceFeedback* feedback() override { return this; }

    void advance(Ps now) override { now_ = now; }
    void completed(std::uint64_t token, bool ok, Ps now) override;
    [[nodiscard]] bool ended() const override { return made_ == bursts_.first_bytes + bursts_.second_bytes; }
    [[nodiscard]] std::optional<Ps> wakes_at() const override;
    [[nodiscard]] std::vector<std::pair<std::string, double>> counters() const override { return {}; }

    [[nodiscard]] const std::vector<BurstProgress>& first() const { return progress_[0]; }
    [[nodiscard]] const std::vector<BurstProgress>& second() const { return progress_[1]; }

  private:
    Bursts bursts_;
    std::unique_ptr<RequestSource> lead_;  // null: there is none, or it is over
    Ps lead_time_{0};
    Ps now_{0};
    std::uint64_t made_ = 0;                  // bytes of bursts
    std::uint64_t done_ = 0;                  // bytes of bursts
    std::array<std::optional<Ps>, 2> begin_;  // of each burst; the second's is known once the first has ended
    std::array<std::vector<BurstProgress>, 2> progress_;
};

/// Where the speed of a burst changes: two straight lines that meet.
struct Knee {
    double bytes = 0.0;  ///< written until then
    double before_mb_per_s = 0.0;
    double after_mb_per_s = 0.0;
};
/// The point of `burst` that lies furthest from the straight line between its ends. None: no point lies
/// further from it than `least`, a share of the burst's time; then the speed is one.
[[nodiscard]] std::optional<Knee> knee_of(const std::vector<BurstProgress>& burst, double least = 0.02);

}  // namespace solidtlm::testbench
