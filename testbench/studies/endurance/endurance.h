// SPDX-License-Identifier: Apache-2.0
//
// The life of a drive from new to read-only: how much can be written to it, and how write amplification,
// latency, retries, errors and bad blocks develop while it wears out, depending on what it does about data
// that becomes hard to read. docs/endurance.md explains the results.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/configuration.h"
#include "testbench/show/latency_histogram.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/load/random.h"
#include "testbench/sim/simulation.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::endurance {

/// The drive's measures against data becoming hard to read.
struct Care {
    std::string_view name;
    bool reclaim = false;  ///< sets firmware.reliability.reclaim_bits
    bool patrol = false;   ///< sets firmware.reliability.patrol
    bool parity = false;   ///< sets firmware.reliability.parity_dies
};
inline constexpr std::array kCares{
    Care{"none", false, false, false},        Care{"reclaim", true, false, false},
    Care{"refresh", true, true, false},       Care{"parity", false, false, true},
    Care{"refresh_parity", true, true, true},
};
[[nodiscard]] std::vector<std::string> care_names();

/// Every combination of care, hot and drive is one life.
struct LifeOptions {
    std::vector<std::string> care{"none", "reclaim", "refresh"};
    std::vector<double> hot{1.0, 0.2};
    std::uint32_t drives = 1;  ///< faults.seed and seed increase by one per drive
    double reads = 0.5;
    double drive_writes_per_day = 0.25;
    Ps day{std::chrono::milliseconds(400)};
    std::optional<std::uint32_t> reclaim_bits = {};  ///< none: three quarters of nand.ecc.correctable_bits
    Ps patrol{std::chrono::milliseconds(8)};
    std::optional<std::uint32_t> parity_dies = {};  ///< none: one die per channel
    double window = 10.0;                           ///< length of a window in drive writes
    double most_writes = 0.0;  ///< limit in drive writes; 0: until the drive is read-only
    std::uint32_t depth = 4;   ///< requests outstanding
};

/// Mean number of cycles after which a block fails: the mean of its lifetime by faults.cycles, or
/// nand.rules.endurance_cycles if that is smaller. Early failures are assumed to last no longer than others.
/// Nothing: blocks do not wear out.
[[nodiscard]] std::optional<double> mean_block_cycles(const platform::Configuration& configuration);
/// Whether a drive that is written continuously fails at some point.
[[nodiscard]] bool wears_out(const platform::Configuration& configuration);

// What a host does with a drive during its life. Every request is one mapping unit.

/// The load of a life. Writes are counted in units; `units` of them are one drive write.
struct LifeLoad {
    std::uint64_t units = 0;            ///< exported units, at least 1
    std::uint32_t unit_bytes = 4096;    ///< a multiple of 512
    double reads = 0.5;                 ///< share of reads among the requests of a day, below 1
    double hot = 1.0;                   ///< writes go to this share of the units, from the first one on
    double drive_writes_per_day = 1.0;  ///< above 0
    Ps day{1};                          ///< simulated time that represents a day
    std::uint64_t most_units = 0;  ///< the life ends after this many written units; 0: when a write fails

    /// Requests per day, at least 1.
    [[nodiscard]] std::uint64_t requests_per_day() const;
    /// Number of units that are written after the fill, at least 1.
    [[nodiscard]] std::uint64_t hot_units() const;
};

/// Fills the drive sequentially. Then each day begins with a burst of reads anywhere and writes in the hot
/// part; the rest of the day is idle. A burst that takes longer than a day replaces the bursts of the days it
/// takes. The life is over when a write has failed (a read-only drive fails all of them), or when
/// `most_units` were written. Then everything is read once, sequentially.
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

    /// True once the write that ended the life has ended.
    [[nodiscard]] bool life_is_over() const {
        return read_only_ || (load_.most_units > 0 && written_ >= load_.most_units);
    }
    /// Whether a write has failed.
    [[nodiscard]] bool read_only() const { return read_only_; }

  private:
    bool make(Request& request, Operation operation, std::uint64_t unit) const;

    LifeLoad load_;
    Random random_;
    Ps now_{0};
    Ps next_day_;
    std::uint64_t next_unit_ = 0;   // for the fill, then for reading back
    std::uint64_t burst_left_ = 0;  // requests left in the burst
    std::uint64_t written_ = 0;     // units written without an error
    bool read_only_ = false;
    bool reading_back_ = false;
};

// What is recorded regularly during the drive's life.

/// Facts about a drive that are needed to compute figures from its counters.
struct DriveFacts {
    std::uint64_t exported_bytes = 0;
    std::uint64_t page_bytes = 0;
    std::uint64_t blocks = 0;         ///< on all planes
    std::uint64_t codeword_bits = 0;  ///< data and parity
    Ps day{1};                        ///< simulated time that represents a day
};
[[nodiscard]] DriveFacts facts_of(const platform::Configuration& configuration, Ps day);

/// Counters of a drive since it was new.
struct LifeCounts {
    std::uint64_t host_bytes = 0;  ///< bytes of write commands that succeeded
    std::uint64_t programs = 0;    ///< pages programmed
    std::uint64_t erases = 0;      ///< blocks erased
    std::uint64_t page_reads = 0;  ///< page reads of the array, for the host or not
    std::uint64_t retried = 0;     ///< reads that ECC could not correct at the first attempt
    std::uint64_t codewords = 0;   ///< codewords decoded, counting each retry
    std::uint64_t raw_errors = 0;  ///< wrong bits in these codewords
    std::uint64_t retired = 0;     ///< superblocks that went bad
    /// superblocks moved because they were hard to read or a program had failed
    std::uint64_t moved_weak = 0;
    std::uint64_t patrolled = 0;     ///< superpages read by patrol
    std::uint64_t failed_reads = 0;  ///< failed read commands
};
/// Without host_bytes and failed_reads, which the host counts.
[[nodiscard]] LifeCounts counts_of(const DeviceTelemetry& telemetry);

/// Part of a life.
struct LifeWindow {
    LifeCounts before;
    LifeCounts after;
    Ps end{0};
    LatencyHistogram reads;  ///< latencies of successful reads
    LatencyHistogram writes;
};
/// Numbers by name, null if there is none (docs/endurance.md). Cumulative numbers cover the whole life up to
/// the end of the window; write_amplification, rber, retried_per_1000, failed_reads and latencies cover the
/// window.
[[nodiscard]] Json sample_of(const LifeWindow& window, const DriveFacts& facts);
/// As sample_of(), without latencies, for the whole life.
[[nodiscard]] Json life_of(const LifeCounts& counts, Ps end, const DriveFacts& facts);

/// Takes a sample after every `window_bytes` written, and when the life is over.
class LifeRecorder : public RunWatcher {
  public:
    /// `source` must outlive the recorder.
    LifeRecorder(const LifeSource& source, const DriveFacts& facts, std::uint64_t window_bytes)
        : source_(source), facts_(facts), window_bytes_(window_bytes) {}

    void begin(std::function<DeviceTelemetry()> collect) override { collect_ = std::move(collect); }
    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override {}

    /// {"samples": [...], "whole": {...}, "read_only": bool, "lost_in_read_back": commands}
    [[nodiscard]] Json to_json() const;

  private:
    void close_window(Ps at);

    const LifeSource& source_;
    DriveFacts facts_;
    std::uint64_t window_bytes_;
    std::function<DeviceTelemetry()> collect_;
    LifeWindow window_;
    std::uint64_t host_bytes_ = 0;
    std::uint64_t failed_reads_ = 0;
    std::uint64_t lost_in_read_back_ = 0;
    bool over_ = false;
    Json samples_ = Json::array();
};

// The study.

struct LifePoint {
    Json parameters;  ///< care, hot, drive
    platform::Configuration configuration;
    LifeLoad load;
    std::uint64_t window_bytes = 0;
    std::uint32_t depth = 1;

    /// The job that runs the life.
    [[nodiscard]] StudyJob job() const;
};
/// All lives; drives with the same care and share of hot addresses are adjacent. Throws
/// platform::ConfigurationError.
[[nodiscard]] std::vector<LifePoint> points_of(const LifeOptions& options,
                                               const platform::Configuration& base);

/// Fills in Point::derived; `more` receives samples, and the drive's superblocks. `life`: from
/// LifeRecorder::to_json().
void measure(Json& life, const platform::Configuration& configuration, Measured& point);

/// Rate at which superblocks go bad (per superblock and 100 cycles) over the drive's mean cycles: middle of a
/// bin of `bin_cycles`, and rate. All lives are combined; bins that no drive reached are left out. A window
/// counts for the bin of its middle.
[[nodiscard]] std::vector<std::pair<double, double>> bathtub(const Selected& lives, double bin_cycles);
/// Width of a bin in cycles: a twentieth of the longest life.
[[nodiscard]] double bin_cycles_of(const Selected& lives);
/// Share of the lives in which a superblock went bad within `days`, from 0 to 1.
[[nodiscard]] double share_with_bad_superblocks(const Selected& lives, double days);
constexpr double kFourYears = 4 * 365.25;  ///< period of the field study, in days

/// Groups of lives with the same care and share of hot addresses.
[[nodiscard]] std::vector<Selected> fleets(Points points);
/// A name such as "refresh, hot 0.2".
[[nodiscard]] std::string fleet_name(const Measured& point);
/// The samples of the first drive of each fleet as points, with the parameters of their life.
[[nodiscard]] std::vector<Measured> samples_of(Points points);
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::endurance
