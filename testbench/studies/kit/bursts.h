// SPDX-License-Identifier: Apache-2.0
//
// How fast a drive accepts writes over the amount written: two bursts with a pause between them, and the
// point at which the speed of a burst falls.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

constexpr double kMb = 1e6;

/// Two sequential bursts, with a pause from the end of the first, which writes, to the beginning of the
/// second.
struct Bursts {
    std::uint32_t request_bytes = 0;  ///< a multiple of hal::kSectorBytes
    std::uint64_t first_bytes = 0;    ///< a multiple of request_bytes, at least one
    std::uint64_t second_bytes = 0;   ///< a multiple of request_bytes; may be 0
    Ps pause{0};
    std::uint64_t region_bytes = 0;  ///< addresses from 0, used cyclically; a multiple of request_bytes
    Operation second = Operation::write;
};

/// Bytes whose requests have ended, and seconds since the burst began.
struct BurstProgress {
    double bytes = 0.0;
    double seconds = 0.0;
};

/// Speed of the whole burst; 0 if no write has ended.
[[nodiscard]] double mb_per_s(const std::vector<BurstProgress>& burst);

/// The requests of two bursts. Records the progress of each.
class BurstSource : public RequestSource, public SourceFeedback {
  public:
    explicit BurstSource(const Bursts& bursts) : bursts_(bursts) {}
    /// Requests of `lead` come first, for `lead_time`. REQUIRES: `lead` has no feedback.
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
    std::unique_ptr<RequestSource> lead_;  // null: there is no lead, or it is over
    Ps lead_time_{0};
    Ps now_{0};
    std::uint64_t made_ = 0;                  // bytes of bursts requested
    std::uint64_t done_ = 0;                  // bytes of bursts completed
    std::array<std::optional<Ps>, 2> begin_;  // of each burst; the second's is known when the first has ended
    std::array<std::vector<BurstProgress>, 2> progress_;
};

/// Where the speed of a burst changes, approximated by two straight lines that meet.
struct Knee {
    double bytes = 0.0;  ///< bytes written up to this point
    double before_mb_per_s = 0.0;
    double after_mb_per_s = 0.0;

    [[nodiscard]] bool falls() const { return after_mb_per_s < before_mb_per_s; }
};
/// The point of `burst` that is farthest from the straight line between its ends. Nothing: no point is
/// farther from it than `least`, a share of the burst's time, so the speed is constant.
[[nodiscard]] std::optional<Knee> knee_of(const std::vector<BurstProgress>& burst, double least = 0.02);

/// The part of Knee::bytes that is there because the drive has a write buffer of `buffer_bytes`. If flash,
/// which takes `flash_mb_per_s` before the knee, is slower than the host, the buffer has filled long before
/// and holds its size. Otherwise it was empty; while it fills, flash takes from it at the speed behind the
/// knee: buffer_bytes / (1 - behind / before). REQUIRES: the speed falls, or flash is slower than before.
[[nodiscard]] double buffered_bytes(double buffer_bytes, double flash_mb_per_s, const Knee& knee);

/// Knee::bytes of a drive whose flash and SLC cache are `scale` times as large, and whose write buffer is
/// `buffer_scale` times as large. `buffered`: buffered_bytes() of the small one.
[[nodiscard]] double scaled_knee(const Knee& knee, double buffered, double scale, double buffer_scale = 1.0);

}  // namespace solidtlm::testbench
