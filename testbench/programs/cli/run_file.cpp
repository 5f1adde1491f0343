// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/run_file.h"

#include <algorithm>

#include "testbench/programs/cli/run_options.h"

namespace solidtlm::testbench {
namespace {

/// All options of a run.
class RunOptions {
  public:
    explicit RunOptions(RunSpec& run) : set(app_) {
        set.group("Run");
        add_ageing(set, run);
        add_requests(set, run);
        add_output_folder(set, run);
        add_one_run(set, run);
    }

  private:
    CLI::App app_;

  public:
    OptionSet set;
};

}  // namespace

std::string to_toml(const RunSpec& run) {
    RunSpec shown;
    const RunOptions options(shown);
    shown = run;
    const std::string entries = to_toml(options.set.entries(true));
    return platform::to_short_toml(run.configuration) + (entries.empty() ? "" : "\n") + entries;
}

RunSpec parse_run(std::string_view toml, std::string_view name) {
    RunSpec run;
    RunOptions options(run);
    const auto take = [&options](const platform::ForeignEntry& entry) { return options.set.take(entry); };
    run.configuration = platform::parse_configuration(toml, name, {}, {"run", take});
    std::ranges::sort(run.power_cuts.at);
    std::vector<platform::ConfigurationIssue> issues;
    for (std::string& error : options.set.located(options.set.check_needs())) {
        issues.push_back({std::string(name), 0, "run", std::move(error)});
    }
    if (!issues.empty()) {
        throw platform::ConfigurationError(std::move(issues));
    }
    return run;
}

}  // namespace solidtlm::testbench
