// SPDX-License-Identifier: Apache-2.0
//
// Real drives beside the model: runs of each drive as it was measured, and their figures beside the published
// ones. docs/real-drives.md explains the tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fw/hal/check.h"
#include "testbench/studies/gallery/drive.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::gallery {

constexpr double kPercent = 100.0;

/// Which tests are run, and how.
struct Choice {
    std::vector<std::string> only;  ///< patterns "DRIVE/CAMPAIGN/TEST/DEPTH"; empty: all
    Changes changes = {};           ///< without a guess
    bool guesses = false;           ///< also run both ends of each guessed range, one guess at a time
    std::filesystem::path age_cache;
    std::uint64_t age_cache_bytes = kDefaultCacheBytes;
};

/// One job per row of each test. Throws platform::ConfigurationError and InputError with all mistakes.
[[nodiscard]] std::vector<StudyJob> jobs_of(const std::vector<Drive>& drives, const Choice& choice);

/// A published figure beside the model's.
struct Compared {
    const Measured* point = nullptr;
    std::string metric;
    double published = 0.0;
    std::optional<double> model;  ///< none: the model's drive has no such figure
    bool fitted = false;
    bool outside = false;  ///< link or host decide it in the model, not the drive

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

/// Errors of predicted figures: model / published - 1.
struct Accuracy {
    std::size_t figures = 0;
    double mean = 0.0;    ///< of absolute values; 0 without figures, like the others
    double median = 0.0;  ///< of absolute values
    double bias = 0.0;    ///< mean with sign; above 0: the model is too high
    double within = 0.0;  ///< share of figures that are off by at most 10 %
};
[[nodiscard]] Accuracy accuracy_of(const std::vector<double>& errors);

constexpr const char* kByDrive = "drive";
/// What decides the figures of a run: "drive", "link", "processor" or "adapter" of the host, each if it was
/// nearly always busy; otherwise "path" if a command spends most of its time in link and host.
[[nodiscard]] std::string limit_of(const Json& result);
/// Whether the link is what limits writes that run at this speed, by how long it was busy for all of them.
[[nodiscard]] bool link_decides(const Json& result, double mb_per_s);

/// The null model: the rate at `depth` that follows from two published rates of the same test, with one
/// request outstanding and with 32: min(depth x rate(1), rate(32)). Nothing: the test has no such two rates,
/// or this is one of them.
[[nodiscard]] std::optional<double> roofline(const Compared& figure, std::span<const Compared> figures);

/// Median, bias and share within 10 % of predicted figures, where the drive decides, and the null model
/// beside the model.
[[nodiscard]] std::string accuracy_table(const std::string& title, std::span<const Compared> figures,
                                         const TextStyle& style);

/// Number of values in force that a drive's own figures determine.
struct OwnValues {
    std::size_t fitted = 0;
    std::size_t derived = 0;  ///< a sum gives the value, or the state of the drive before a test
};
[[nodiscard]] OwnValues own_values(const Drive& drive);
[[nodiscard]] std::string own_values_table(const std::vector<Drive>& drives, const TextStyle& style);

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
