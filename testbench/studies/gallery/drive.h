// SPDX-License-Identifier: Apache-2.0
//
// A real drive. It is a folder: drive.toml lists what is known, derived and guessed about the drive's inside;
// each other file holds what one source measured, on which host and under which conditions. The folders of
// drives/ and hosts/ are built in. docs/real-drives.md explains the files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/configuration.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench::gallery {

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
/// The number by which the model divides the value of `key`.
[[nodiscard]] std::uint32_t divisor_of(const Drive& drive, std::string_view key);

/// Names of the drives that are built in, in alphabetical order.
[[nodiscard]] std::vector<std::string> drive_names();
/// The built-in drive `name` or, if `name` contains a /, the drive in that folder. Throws InputError that
/// lists all mistakes.
[[nodiscard]] Drive read_drive(const std::string& name);

/// `id` matches `pattern` part by part (parts end at /); a part * matches any.
[[nodiscard]] bool matches(std::string_view id, std::string_view pattern);

/// How a model differs from what the drive's files say.
struct Changes {
    std::vector<std::string> without = {};   ///< mechanisms that are switched off
    std::vector<std::string> settings = {};  ///< override everything else
    std::string guess = {};                  ///< "key=value" that replaces one value; empty: none

    [[nodiscard]] bool in_force(const Setting& setting) const;
};

/// All mechanisms that settings of built-in drives or hosts belong to, each once.
[[nodiscard]] std::vector<std::string> all_mechanisms();

/// The drive as it was measured: its values and those of the host and the test, scaled. Throws
/// platform::ConfigurationError.
[[nodiscard]] platform::Configuration configuration_of(const Drive& drive, const Campaign& campaign,
                                                       const Test& test, const Changes& changes = {});

/// Metrics of a row that a value in force was fitted to or computed from. `row`:
/// "DRIVE/CAMPAIGN/TEST/DEPTH".
[[nodiscard]] std::vector<std::string> fitted_metrics(const std::string& row, const Drive& drive,
                                                      const Campaign& campaign, const Test& test,
                                                      const Changes& changes = {});

}  // namespace solidtlm::testbench::gallery
