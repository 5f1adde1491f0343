// SPDX-License-Identifier: Apache-2.0
//
// A study: a grid of runs, the measurements of each, and the text, figures and verdicts on all of them. A
// study declares these parts; run_study() parses its command line, runs, prints and writes.
// docs/architecture/studies.md explains how to add one.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/programs/cli/command_line.h"
#include "testbench/show/figure.h"
#include "testbench/show/terminal.h"
#include "testbench/sim/child_runs.h"
#include "testbench/studies/kit/measured.h"

namespace solidtlm::testbench {

/// One run, in a process of its own.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct StudyJob {
    std::string name;  ///< name in messages
    Json parameters;   ///< Point::parameters
    std::function<SimulationOutcome()> run;
    /// Reads from the result what is measured: Measured::derived and `more`, which begins with what the run
    /// noted. Empty: that is all. A run without a result is no point.
    std::function<void(const Json& result, Measured& point)> measure;
    bool in_result = true;                        ///< false: a point for tables, figures and claims alone
    std::shared_ptr<DriveToRun> drive = nullptr;  ///< PointJob::drive
    /// Further points, without a result of their own, that the run has measured one after another. May take
    /// from `point`, which is that of the run. Empty: none.
    std::function<std::vector<Measured>(Measured& point)> parts = {};
};

/// The jobs in the form that run_points() takes.
[[nodiscard]] std::vector<PointJob> point_jobs(std::span<const StudyJob> jobs);

/// What comes of it. REQUIRES: the run has a result. Takes what the run noted.
[[nodiscard]] Measured measured_by(const StudyJob& job, SimulationOutcome& outcome);

struct StudyPlan {
    std::string opening;              ///< printed before anything runs, unless quiet
    std::vector<StudyJob> jobs = {};  ///< points come in this order
    /// jobs that run after the others have ended, with their points at the end
    std::vector<StudyJob> later = {};
};

/// Conclusions from all points.
struct Conclusions {
    /// Claims that were not measured are left out.
    std::vector<Claim> claims;
    /// Nothing: the result has no list of figures, not even an empty one.
    std::optional<std::vector<Figure>> figures;
    /// Text for the terminal, without the claims, which follow it. Nothing: the summary of the result.
    std::optional<std::string> tables;
};

class Study {
  public:
    virtual ~Study() = default;

    /// Name, help and configuration defaults. `arguments` is the command line: the configuration is loaded
    /// during parsing, so its base must be known before.
    [[nodiscard]] virtual Program program(std::span<char* const> arguments) const = 0;
    virtual void add_options(OptionSet& options) = 0;
    /// Completes the options and reports mistakes in them.
    virtual void check(const CommandLine& line, Errors& errors) = 0;
    /// Makes the plan. Throws ConfigurationError or InputError. Jobs may refer to the study.
    [[nodiscard]] virtual StudyPlan plan(const CommandLine& line) = 0;

    /// Adds values to points that can only be computed from all of them.
    virtual void complete(std::span<Measured> /*points*/) const {}
    [[nodiscard]] virtual Conclusions conclude(Points points, const TextStyle& style) const = 0;
};

/// Defined once per executable, by its study.
[[nodiscard]] std::unique_ptr<Study> make_study();

/// The main() of a study; returns the exit code.
[[nodiscard]] int run_study(int argc, char* argv[], Study& study);

[[nodiscard]] inline bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// Reports a trace that is given twice.
void check_traces_once(const CommandLine& line, Errors& errors);

/// Program::unused of a study that makes its requests itself; the options `also` stay usable.
[[nodiscard]] Unused no_requests(const std::string& program, const platform::Names& also = {});
/// Program::unused of a study that keeps its queue full.
[[nodiscard]] Unused no_arrivals(const std::string& program);

/// The striping orders.
[[nodiscard]] Kind<std::string> permutation_of_cwdp();

/// "N points, J at a time", the usual StudyPlan::opening.
[[nodiscard]] std::string usual_opening(const std::vector<StudyJob>& jobs, const CommandLine& line);

}  // namespace solidtlm::testbench
