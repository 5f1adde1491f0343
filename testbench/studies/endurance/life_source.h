// SPDX-License-Identifier: Apache-2.0
//
// What a host does with a drive as long as it lives. Every request is a mapping unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbench/host/request.h"
#include "testbench/workload/random.h"

namespace solidtlm::testbench::endurance {

/// The load of a life. Writes of a drive are counted in units; `units` of them are a drive write.
struct LifeLoad {
    std::uint64_t units = 0;            ///< that are exported, at least 1
    std::uint32_t unit_bytes = 4096;    ///< a multiple of 512
    double reads = 0.5;                 ///< share of the requests of a day, below 1
    double hot = 1.0;                   ///< writes go to this share of the units, the first ones
    double drive_writes_per_day = 1.0;  ///< above 0
    Ps day{1};                          ///< simulated time that stands for a day
    std::uint64_t most_units = 0;       ///< the life ends when so many were written; 0: when a write fails

    /// Requests of a day, at least 1.
    [[nodiscard]] std::uint64_t requests_per_day() const;
    /// Units that are written after the fill, at least 1.
    [[nodiscard]] std::uint64_t hot_units() const;
};

/// Fills the drive in the order of addresses. Then each day begins with a burst of reads, anywhere, and
/// writes, in the hot part; what is left of the day is idle, and days during which a burst goes on bring
/// none. The life is over when a write has failed, which a drive does once it is read-only, or when
/// `most_units` were written. Then everything is read once, in the order of addresses.
class LifeSource : public RequestSource, public SourceFeedback {
  public:
    LifeSource(const LifeLoad& load, std::uint64_t seed) : load_(load), random_(seed), next_day_(load.day) {}

    bool next(Request& request) override;
    [[nodiscard]] SourceFeedback* feedback() override { return this; }

    void advance(Ps now) override { now_ = now; }
    void completed(std::uint64_t token, bool ok, Ps now) override;
    [[nodiscard]] bool ended() const override { return reading_back_ && next_unit_ == load_.units; }
    [[nodiscard]] std::optional<Ps> wakes_at() const override;
    [[nodiscard]] std::vector<std::pair<std::string, double>> counters() const override { return {}; }

    /// From the end of the write that ended it on.
    [[nodiscard]] bool life_is_over() const {
        return read_only_ || (load_.most_units > 0 && written_ >= load_.most_units);
    }
    /// A write has failed.
    [[nodiscard]] bool read_only() const { return read_only_; }

  private:
    bool make(Request& request, Operation operation, std::uint64_t unit) const;

    LifeLoad load_;
    Random random_;
    Ps now_{0};
    Ps next_day_;
    std::uint64_t next_unit_ = 0;   // of the fill, and then of reading back
    std::uint64_t burst_left_ = 0;  // requests
    std::uint64_t written_ = 0;     // units, without an error
    bool read_only_ = false;
    bool reading_back_ = false;
};

}  // namespace solidtlm::testbench::endurance
