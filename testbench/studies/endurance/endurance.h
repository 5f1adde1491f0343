// SPDX-License-Identifier: Apache-2.0
//
// The life of a drive from new to read-only: what it can be written, and how write amplification, latency,
// retries, errors and bad blocks go while it wears out, by what it does about data that becomes hard to read.
// docs/endurance.md explains what comes out.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/configuration.h"
#include "testbench/studies/endurance/life_recorder.h"
#include "testbench/studies/endurance/life_source.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::endurance {

/// What a drive does about data that becomes hard to read.
struct Care {
    std::string_view name;
    bool reclaim = false;  ///< firmware.reliability.reclaim_bits
    bool patrol = false;   ///< firmware.reliability.patrol
    bool parity = false;   ///< firmware.reliability.parity_dies
};
inline constexpr std::array kCares{
    Care{"none", false, false, false},        Care{"reclaim", true, false, false},
    Care{"refresh", true, true, false},       Care{"parity", false, false, true},
    Care{"refresh_parity", true, true, true},
};
[[nodiscard]] std::vector<std::string> care_names();

/// Every combination of care, hot and drive is a life.
struct LifeOptions {
    std::vector<std::string> care{"none", "reclaim", "refresh"};
    std::vector<double> hot{1.0, 0.2};
    std::uint32_t drives = 1;  ///< faults.seed and seed are one more for each
    double reads = 0.5;
    double drive_writes_per_day = 0.25;
    Ps day{std::chrono::milliseconds(400)};
    std::optional<std::uint32_t> reclaim_bits = {};  ///< none: three quarters of nand.ecc.correctable_bits
    Ps patrol{std::chrono::milliseconds(8)};
    std::optional<std::uint32_t> parity_dies = {};  ///< none: one die of each channel
    double window = 10.0;                           ///< drive writes
    double most_writes = 0.0;                       ///< drive writes; 0: until the drive is read-only
    std::uint32_t depth = 4;                        ///< requests outstanding
};

/// Cycles after which a block fails on average, behind faults.cycles: the mean of its lifetime, or
/// nand.rules.endurance_cycles where that comes first. Early failures are taken to last no longer than
/// others. None: blocks do not wear out.
[[nodiscard]] std::optional<double> mean_block_cycles(const platform::Configuration& configuration);
/// A drive that is written for ever ends at some time.
[[nodiscard]] bool wears_out(const platform::Configuration& configuration);

struct LifePoint {
    Json parameters;  ///< care, hot, drive
    platform::Configuration configuration;
    LifeLoad load;
    std::uint64_t window_bytes = 0;
    std::uint32_t depth = 1;

    /// Lives a life.
    [[nodiscard]] StudyJob job() const;
};
/// Drives of one care and share of hot addresses together. Throws platform::ConfigurationError.
[[nodiscard]] std::vector<LifePoint> points_of(const LifeOptions& options,
                                               const platform::Configuration& base);

/// Point::derived; `more` has samples, and superblocks of the drive. `life` as LifeRecorder::to_json().
void measure(Json& life, const platform::Configuration& configuration, Measured& point);

/// Superblocks that went bad, of one superblock in 100 cycles, over mean cycles of the drive: middle of a bin
/// of `bin_cycles` and rate. All lives together; bins that no drive reached are left out. A window counts
/// where its middle lies.
[[nodiscard]] std::vector<std::pair<double, double>> bathtub(const Selected& lives, double bin_cycles);
/// Cycles of a bin: a twentieth of the longest life.
[[nodiscard]] double bin_cycles_of(const Selected& lives);
/// Share of the lives in which a superblock went bad within so many days; 0 to 1.
[[nodiscard]] double share_with_bad_superblocks(const Selected& lives, double days);
constexpr double kFourYears = 4 * 365.25;  ///< days, the time over which the field study looked

/// Lives of the same care and share of hot addresses.
[[nodiscard]] std::vector<Selected> fleets(Points points);
/// "refresh, hot 0.2".
[[nodiscard]] std::string fleet_name(const Measured& point);
/// The samples of the first drive of each fleet as points, with the parameters of their life.
[[nodiscard]] std::vector<Measured> samples_of(Points points);
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::endurance
