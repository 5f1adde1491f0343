// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/options.h"

#include <fmt/format.h>

#include <optional>

#include "testbench/studies/parts/options.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr std::uint64_t kMostLogBlocks = 1U << 20U;

}  // namespace

void Options::add_to(CLI::App& app) {
    add_list(app, "--layers", sweep.layers, "Translation layers")->check(one_of(layer_names()));
    add_list(app, "--striping", sweep.striping, "full, none")->check(one_of({"full", "none"}));
    add_list(app, "--rules", sweep.rules, "Pages of a block in ascending order: on, off")
        ->check(one_of({"on", "off"}));
    add_list(app, "--workloads", workloads,
             "iozone, pc_application; both if neither these nor --workload nor --trace are given")
        ->check(one_of({kIozone, kPcApplication}));
    app.add_option("--timing", timing,
                   "full: on the whole drive; off: page writes, merges and erases counted")
        ->check(one_of({"full", "off"}))
        ->capture_default_str()
        ->group(kSweepGroup);
    app.add_option("--scale", sweep.scale, "Of drive, log and the study's workloads, for a faster look")
        ->capture_default_str()
        ->group(kSweepGroup);
    app.add_option("--log-blocks", sweep.log_blocks, "NAND blocks of the log, in the whole drive")
        ->check(whole_number(1, kMostLogBlocks))
        ->capture_default_str()
        ->group(kSweepGroup);
    add_list(app, "--log-sweep", log_sweep,
             "Sizes of the log for the figure of what the rule costs; counted, FAST with full striping")
        ->check(whole_number(1, kMostLogBlocks));
    add_list(app, "--drive-sweep", drive_sweep,
             "Parts of the drive for the figure of what its size changes; counted, likewise, PC application");
}

std::vector<std::string> Options::check(const CommandLine& line) {
    std::vector<std::string> errors;
    if (line.warm_up != 0) {
        errors.emplace_back("--warm-up: the study measures everything from the first request on");
    }
    for (const double part : drive_sweep) {
        if (!(part > 0.0 && part <= 1.0)) {
            errors.push_back(
                fmt::format("--drive-sweep: found {}; allowed: numbers above 0, at most 1", part));
        }
    }
    if (!(sweep.scale > 0.0 && sweep.scale <= 1.0)) {  // NaN fails, too
        errors.push_back(fmt::format("--scale: found {}; allowed: a number above 0, at most 1", sweep.scale));
    }
    check_once("--layers", sweep.layers, errors);
    check_once("--striping", sweep.striping, errors);
    check_once("--rules", sweep.rules, errors);
    check_once("--workloads", workloads, errors);
    check_once("--log-sweep", log_sweep, errors);
    const std::optional<Preconditioning>& ageing = line.precondition;
    if (ageing && !timed() && (ageing->random != 0.0 || ageing->fill == 0.0)) {
        errors.emplace_back(
            "--precondition: without time a drive is filled, no more; allowed: fill=X,random=0, or --timing "
            "full");
    }
    if (!errors.empty()) {
        return errors;
    }
    if (workloads.empty() && line.workload.empty() && line.traces.empty()) {
        workloads = {kIozone, kPcApplication};
    }
    depth = line.queue_depth.value_or(line.configuration.sata.queue_depth);
    try {
        systems = systems_of(sweep, line.configuration);
    } catch (const platform::ConfigurationError& error) {
        for (const platform::ConfigurationIssue& issue : error.issues()) {
            errors.push_back(issue.text());
        }
    }
    loads = loads_of(workloads, line, sweep.scale);
    return errors;
}

}  // namespace solidtlm::testbench::fragmentation
