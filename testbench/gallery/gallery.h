// SPDX-License-Identifier: Apache-2.0
//
// Real drives beside the model. A drive is a folder: drive.toml says what is known, derived and guessed of
// its inside, and each other file what one source measured, on what host and under which conditions. The
// folders of drives/ and hosts/ are built into the executable. docs/real-drives.md explains the files and the
// tables.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/configuration.h"
#include "testbench/studies/kit/bursts.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::gallery {

constexpr double kPercent = 100.0;

/// A file of the gallery as it is built in.
struct BuiltIn {
    std::string_view path;  ///< "drives/samsung-pm883/drive", "hosts/ibm-m1015"
    std::string_view text;
};
[[nodiscard]] std::span<const BuiltIn> built_in();

/// Where a value comes from.
enum class Evidence : std::uint8_t { published, derived, guessed, fitted };
constexpr std::array<std::string_view, 4> kEvidenceNames{"published", "derived", "guessed", "fitted"};

/// A configuration key of a drive or a host.
struct Setting {
    std::string key;
    std::string is;  ///< as --set takes it
    Evidence evidence = Evidence::guessed;
    std::string why;                      ///< the source, the sum, or the reason
    std::vector<std::string> range = {};  ///< of a guessed or fitted value: what else it may be
    /// The figures that the value was fitted to or computed from, "DRIVE/CAMPAIGN/TEST/DEPTH/METRIC". They
    /// are no predictions.
    std::vector<std::string> figures = {};
    std::string mechanism = {};  ///< of the model; empty: always in force
};

/// One number that was published.
struct Published {
    std::string metric;  ///< one of kMetrics; idle_w, which no load changes, stands with any test
    double value = 0.0;
};
constexpr std::array<std::string_view, 12> kMetrics{
    "iops",    "mb_per_s", "before_mb_per_s", "behind_mb_per_s", "rested_mb_per_s", "cliff_gb",
    "mean_us", "p50_us",   "p99_us",          "p999_us",         "power_w",         "idle_w"};

struct Row {
    std::uint32_t depth = 32;  ///< requests outstanding
    std::vector<Published> figures;
};

/// Sequential writes whose speed was looked at while they went on, and again after a pause. The smaller the
/// model's drive, the sooner it is full, so times are scaled as the drive is.
struct Burst {
    double written = 0.0;  ///< of the exported capacity, from its beginning
    std::string lead;      ///< as --workload takes it: what came before; empty: nothing
    Ps lead_time{0};
    Ps pause{0};         ///< with `again`
    double again = 0.0;  ///< written after it; 0: nothing
};

/// A load, and what was measured of it at some depths.
struct Test {
    std::string name;
    std::string load;                    ///< as --workload takes it, without `count`
    std::string precondition;            ///< as --precondition takes it; empty: a new drive
    std::vector<Setting> settings = {};  ///< how the drive was built for it
    std::uint64_t requests = 20'000;     ///< measured
    std::uint64_t warm_up = 2'000;       ///< requests before those
    double writes = 0.0;                 ///< of the exported capacity, instead of `requests`; 0: none
    double warm_up_writes = 0.0;         ///< instead of `warm_up`, with `writes`
    std::optional<Burst> burst = {};     ///< instead of `requests` and `warm_up`
    std::vector<Row> rows;
};

/// Metrics of a burst, in the units of the real drive. `scale`: scale_of(). `rested_mb_per_s` is that of the
/// second burst. If the speed does not fall, `before_mb_per_s` and `behind_mb_per_s` are both that of the
/// whole burst.
[[nodiscard]] Json burst_metrics(const BurstSource& source, double scale);

/// What the published latencies begin with.
enum class LatencyFrom : std::uint8_t {
    arrival,
    submission,  ///< its end, as fio's completion latency
};

/// The one value of a host that is not a configuration key: which of the requests that wait for a slot of the
/// drive goes first. fifo, the default: the oldest; deadline: see elevator.h.
constexpr std::string_view kScheduler = "scheduler";

struct Host {
    std::string name;
    std::string title;
    std::vector<Setting> settings;  ///< and those of the campaign, which count more
};

/// Measurements of one source on one host.
struct Campaign {
    std::string name;
    Host host;
    std::string source;
    std::string conditions;
    std::string date;
    std::string software;
    std::string order;
    LatencyFrom latency_from = LatencyFrom::arrival;
    std::vector<Test> tests;
};

/// What the model lacks, and the figures that it would explain.
struct Missing {
    std::string mechanism;
    std::string evidence;
    std::vector<std::string> figures;  ///< patterns, "CAMPAIGN/TEST/DEPTH/METRIC"; none: could not be posed
};

struct Drive {
    std::string name;
    std::string title;
    std::string family;  ///< of drives that differ in little but over-provisioning; empty: none
    std::string preset;
    std::vector<Setting> settings;
    /// The model runs a smaller drive: these keys are divided by these numbers.
    std::vector<std::pair<std::string, std::uint32_t>> scale;
    std::vector<Campaign> campaigns;
    std::vector<Missing> missing;
};

/// The factor by which the model's drive is smaller: the product of the divisors of its geometry.
[[nodiscard]] double scale_of(const Drive& drive);

/// Names of the drives that are built in, in alphabetical order.
[[nodiscard]] std::vector<std::string> drive_names();
/// The built-in drive `name` or, if `name` contains a /, the drive in that folder. Throws InputError that
/// lists all mistakes.
[[nodiscard]] Drive read_drive(const std::string& name);

/// `id` matches `pattern` part by part (parts end at /); a part * matches any.
[[nodiscard]] bool matches(std::string_view id, std::string_view pattern);

/// What is run of the drives.
struct Choice {
    std::vector<std::string> only;      ///< patterns "DRIVE/CAMPAIGN/TEST/DEPTH"; empty: all
    std::vector<std::string> without;   ///< mechanisms that are left out
    std::vector<std::string> settings;  ///< on top of everything
    bool guesses = false;               ///< with every end of each guessed range, one at a time
    std::filesystem::path age_cache;
    std::uint64_t age_cache_bytes = kDefaultCacheBytes;
};

/// Every mechanism that some setting of a built-in drive or host belongs to, each once.
[[nodiscard]] std::vector<std::string> all_mechanisms();

/// The drive as it was measured: its values, those of the host and of the test, scaled. `guess`: "key=value"
/// in place of the value. Throws platform::ConfigurationError.
[[nodiscard]] platform::Configuration configuration_of(const Drive& drive, const Campaign& campaign,
                                                       const Test& test, const Choice& choice,
                                                       const std::string& guess = {});

/// A job for each row of each test. Throws platform::ConfigurationError and InputError with all that is
/// wrong.
[[nodiscard]] std::vector<StudyJob> jobs_of(const std::vector<Drive>& drives, const Choice& choice);

/// A published figure beside the model's.
struct Compared {
    const Measured* point = nullptr;
    std::string metric;
    double published = 0.0;
    double model = 0.0;
    bool fitted = false;

    /// Of the published value.
    [[nodiscard]] double error() const { return model / published - 1.0; }
    /// "CAMPAIGN/TEST/DEPTH/METRIC"
    [[nodiscard]] std::string id() const;
};
/// Of points without a guess.
[[nodiscard]] std::vector<Compared> compared(const Selected& points);

/// Mean absolute errors of some figures.
struct MeanError {
    std::size_t figures = 0;
    double error = 0.0;  ///< 0 without figures
};
[[nodiscard]] MeanError mean_error(std::span<const Compared> figures, const std::vector<std::string>& metrics,
                                   bool fitted);

/// Metrics whose errors are averaged together.
struct Group {
    const char* heading;
    std::vector<std::string> metrics;
};
/// Rates, sizes of SLC caches, mean and median latency, p99, p99.9, power.
[[nodiscard]] const std::vector<Group>& groups();
/// Those that have one of the figures.
[[nodiscard]] std::vector<Group> groups_of_figures(std::span<const Compared> figures);

/// How far the model's figures move while guesses move in their ranges, one at a time.
struct Spread {
    double least = 0.0;
    double most = 0.0;

    /// True if some guess can produce the published figure, which is then no evidence. A guess that moves the
    /// figure by less than 10 % of the published value does not count.
    [[nodiscard]] bool no_evidence(double published) const {
        constexpr double kNarrow = 0.1;
        return least <= published && published <= most && most - least > kNarrow * published;
    }
};
class Spreads {
  public:
    explicit Spreads(Points points);
    [[nodiscard]] bool empty() const { return guessed_.empty(); }
    /// None: no guess was moved.
    [[nodiscard]] std::optional<Spread> of(const Compared& figure) const;

  private:
    std::map<std::string, Selected> guessed_;  // points with a guess, by drive, campaign, test and depth
};

[[nodiscard]] std::string tables(Points points, const std::vector<Drive>& drives, bool details,
                                 const TextStyle& style);
/// Names of families, as they come first.
[[nodiscard]] std::vector<std::string> families_of(const std::vector<Drive>& drives);
/// Of families: what published rates say of write amplification, beside the model's, which follows from
/// over-provisioning alone. Empty without such points.
[[nodiscard]] std::string amplification_table(Points points, const std::vector<Drive>& drives,
                                              const TextStyle& style);
/// Published and model over depth, over over-provisioning and over the amount written.
[[nodiscard]] std::vector<Figure> figures_of(Points points, const std::vector<Drive>& drives);

/// MB/s of writes over GB written since the run began, as pairs, of `series` of a result. Warm-up included.
[[nodiscard]] Json rate_over_written(const Json& series);

}  // namespace solidtlm::testbench::gallery
