// SPDX-License-Identifier: Apache-2.0
//
// Real drives beside the model. A drive is a folder: drive.toml lists what is known, derived and guessed
// about the drive's inside; each other file holds what one source measured, on which host and under which
// conditions. The folders of drives/ and hosts/ are built into the executable. docs/real-drives.md explains
// the files and the tables.
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

#include "fw/hal/check.h"
#include "platform/configuration.h"
#include "testbench/studies/kit/bursts.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::gallery {

constexpr double kPercent = 100.0;

/// A built-in file of the gallery.
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
    std::string is;  ///< value as --set takes it
    Evidence evidence = Evidence::guessed;
    std::string why;                      ///< the source, the calculation, or the reason
    std::vector<std::string> range = {};  ///< other possible values of a guessed or fitted value
    /// The figures that the value was fitted to or computed from, "DRIVE/CAMPAIGN/TEST/DEPTH/METRIC". They do
    /// not count as predictions.
    std::vector<std::string> figures = {};
    std::string mechanism = {};  ///< mechanism of the model that it belongs to; empty: always in force
};

/// One published number.
struct Published {
    /// one of kMetrics; idle_w, which does not depend on the load, may stand with any test
    std::string metric;
    double value = 0.0;
};
constexpr std::array<std::string_view, 12> kMetrics{
    "iops",    "mb_per_s", "before_mb_per_s", "behind_mb_per_s", "rested_mb_per_s", "cliff_gb",
    "mean_us", "p50_us",   "p99_us",          "p999_us",         "power_w",         "idle_w"};

struct Row {
    std::uint32_t depth = 32;  ///< requests outstanding
    std::vector<Published> figures;
};

/// Sequential writes whose speed was recorded over time, and again after a pause. The model's drive is
/// smaller and fills up sooner, so times are scaled with its size.
struct Burst {
    double written = 0.0;  ///< share of the exported capacity, from its beginning
    std::string lead;      ///< load before the burst, as --workload takes it; empty: none
    Ps lead_time{0};
    Ps pause{0};         ///< before `again`
    double again = 0.0;  ///< written after it; 0: nothing
};

/// One test of random writes of 4 KiB, as fio did it.
struct PastTest {
    std::uint32_t depth = 1;
    std::uint32_t jobs = 1;
    std::uint64_t writes = 0;  ///< of the real drive, all threads together
};

/// A load, and what was measured of it at some depths.
struct Test {
    std::string name;
    std::string load;                    ///< as --workload takes it, without `count`
    std::string precondition;            ///< as --precondition takes it; empty: a new drive
    std::vector<Setting> settings = {};  ///< how the drive was built for it
    /// All tests of the series in their order, each with the seeds of fio's randrepeat. A row is the one of
    /// its depth with one thread: those before it have aged the drive, and its writes are what is measured,
    /// from the first. Empty: rows stand for themselves.
    std::vector<PastTest> history = {};
    /// "DEPTH/METRIC": figures that the state of the drive was computed from. They are no predictions.
    std::vector<std::string> state_figures = {};
    std::uint64_t requests = 20'000;  ///< measured
    std::uint64_t warm_up = 2'000;    ///< requests before those
    double writes = 0.0;              ///< of the exported capacity, instead of `requests`; 0: none
    double warm_up_writes = 0.0;      ///< instead of `warm_up`, with `writes`
    std::optional<Burst> burst = {};  ///< instead of `requests` and `warm_up`
    std::vector<Row> rows;
};

/// The test of the history that a row of this depth is; its end: none.
[[nodiscard]] std::vector<PastTest>::const_iterator past_test_of(const Test& test, std::uint32_t depth);

/// How the model's drive differs from the real one, and what of it a burst depends on.
struct BurstScale {
    double size = 1.0;            ///< scale_of()
    double buffer = 1.0;          ///< divisor of the write buffer
    double buffer_bytes = 0.0;    ///< the model's write buffer
    double flash_mb_per_s = 0.0;  ///< what flash takes at the beginning, by data sheet
};

/// Metrics of a burst, in the units of the real drive. `rested_mb_per_s` is that of the second burst. If the
/// speed does not fall, there is no `cliff_gb` (null), and `before_mb_per_s` and `behind_mb_per_s` are both
/// that of the whole burst.
[[nodiscard]] Json burst_metrics(const BurstSource& source, const BurstScale& scale);

/// The event at which the published latencies begin.
enum class LatencyFrom : std::uint8_t {
    arrival,
    submission,  ///< the end of the submission, as fio's completion latency
};

/// The only value of a host that is not a configuration key: which of the requests waiting for a slot of the
/// drive goes first. fifo, the default: the oldest; deadline: see elevator.h.
constexpr std::string_view kScheduler = "scheduler";

struct Host {
    std::string name;
    std::string title;
    std::vector<Setting> settings;  ///< of the host, overridden by those of the campaign
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

/// A mechanism that the model lacks, and the figures that it would explain.
struct Missing {
    std::string mechanism;
    std::string evidence;
    /// patterns "CAMPAIGN/TEST/DEPTH/METRIC"; none: the model cannot run such a test
    std::vector<std::string> figures;
};

struct Drive {
    std::string name;
    std::string title;
    std::string family;  ///< name shared by drives that differ mainly in over-provisioning; empty: none
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

/// Which tests are run, and how.
struct Choice {
    std::vector<std::string> only;      ///< patterns "DRIVE/CAMPAIGN/TEST/DEPTH"; empty: all
    std::vector<std::string> without;   ///< mechanisms that are switched off
    std::vector<std::string> settings;  ///< override everything else
    bool guesses = false;               ///< also run both ends of each guessed range, one guess at a time
    std::filesystem::path age_cache;
    std::uint64_t age_cache_bytes = kDefaultCacheBytes;
};

/// All mechanisms that settings of built-in drives or hosts belong to, each once.
[[nodiscard]] std::vector<std::string> all_mechanisms();

/// The drive as it was measured: its values and those of the host and the test, scaled. `guess`: "key=value"
/// that replaces one value. Throws platform::ConfigurationError.
[[nodiscard]] platform::Configuration configuration_of(const Drive& drive, const Campaign& campaign,
                                                       const Test& test, const Choice& choice,
                                                       const std::string& guess = {});

/// One job per row of each test. Throws platform::ConfigurationError and InputError with all mistakes.
[[nodiscard]] std::vector<StudyJob> jobs_of(const std::vector<Drive>& drives, const Choice& choice);

/// A published figure beside the model's.
struct Compared {
    const Measured* point = nullptr;
    std::string metric;
    double published = 0.0;
    std::optional<double> model;  ///< none: the model's drive has no such figure
    bool fitted = false;

    /// Relative to the published value. REQUIRES: there is a model's figure.
    [[nodiscard]] double error() const {
        SOLIDTLM_CHECK(model.has_value(), "the model has this figure");
        return *model / published - 1.0;
    }
    /// "CAMPAIGN/TEST/DEPTH/METRIC"
    [[nodiscard]] std::string id() const;
};
/// Comparisons for all points without a guess.
[[nodiscard]] std::vector<Compared> compared(const Selected& points);

/// Mean absolute errors of some figures, of those that the model has.
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
/// The groups that contain one of the figures.
[[nodiscard]] std::vector<Group> groups_of_figures(std::span<const Compared> figures);

/// How far the model's figures move while each guess moves within its range, one at a time.
struct Spread {
    double least = 0.0;
    double most = 0.0;

    /// True if some guess can produce the published figure, which is then no evidence for the model. A guess
    /// that moves the figure by less than 10 % of the published value does not count.
    [[nodiscard]] bool no_evidence(double published) const {
        constexpr double kNarrow = 0.1;
        return least <= published && published <= most && most - least > kNarrow * published;
    }
};
class Spreads {
  public:
    explicit Spreads(Points points);
    [[nodiscard]] bool empty() const { return guessed_.empty(); }
    /// Nothing: no guess was varied.
    [[nodiscard]] std::optional<Spread> of(const Compared& figure) const;

  private:
    std::map<std::string, Selected> guessed_;  // points with a guess, by drive, campaign, test and depth
};

[[nodiscard]] std::string tables(Points points, const std::vector<Drive>& drives, bool details,
                                 const TextStyle& style);
/// Names of families, in order of first appearance.
[[nodiscard]] std::vector<std::string> families_of(const std::vector<Drive>& drives);
/// For each family: write amplification computed from published rates beside the model's, which follows from
/// over-provisioning alone. Empty if there are no such points.
[[nodiscard]] std::string amplification_table(Points points, const std::vector<Drive>& drives,
                                              const TextStyle& style);
/// Published and model values over depth, over over-provisioning and over the amount written.
[[nodiscard]] std::vector<Figure> figures_of(Points points, const std::vector<Drive>& drives);

/// Write rate in MB/s over GB written since the run began, as pairs, from `series` of a result. Warm-up is
/// included.
[[nodiscard]] Json rate_over_written(const Json& series);

}  // namespace solidtlm::testbench::gallery
