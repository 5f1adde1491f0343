// SPDX-License-Identifier: Apache-2.0
//
// Figure 2 of the study: one write of eight pages to four dies, with full striping and without (claim A7),
// beside what the times of bus and array allow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "testbench/simulation/child_runs.h"

namespace solidtlm::testbench::fragmentation {

constexpr std::uint32_t kSpeedUpDies = 4;
constexpr std::uint32_t kSpeedUpPages = 8;

struct SpeedUp {
    std::string layer;
    std::uint32_t channels = 1;  ///< that the four dies are spread over
    double none_us = 0.0;        ///< latency of the write
    double full_us = 0.0;
    double expected = 0.0;  ///< ratio by the closed form

    [[nodiscard]] double measured() const { return none_us / full_us; }
};

/// Flash time of the write, from the first page's transfer to the end of the last program: pages go to the
/// dies in turn (`dies` of them, evenly on `channels`), each die takes one page at a time, each channel
/// carries one, and whoever asked first is served first.
[[nodiscard]] double write_time_us(std::uint32_t pages, std::uint32_t dies, std::uint32_t channels,
                                   double transfer_us, double program_us);

/// The eight-page write on a drive of four dies with the times of `base`: the four on one, two and four
/// channels, not striped and striped, all with `layer`.
[[nodiscard]] std::vector<PointJob> speed_up_jobs(const platform::Configuration& base,
                                                  const std::string& layer);
/// What came out of the jobs. Faults are the caller's to report; a job without a result gives no speed-up.
[[nodiscard]] std::vector<SpeedUp> speed_ups_of(const platform::Configuration& base, const std::string& layer,
                                                std::span<const PointOutcome> outcomes);

}  // namespace solidtlm::testbench::fragmentation
