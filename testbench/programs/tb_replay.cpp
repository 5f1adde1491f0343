// SPDX-License-Identifier: Apache-2.0
//
// The main executable: runs a trace or a generated workload through the whole drive and shows where the time
// went.
#include <iostream>
#include <systemc>

#include "testbench/programs/cli/command_line.h"
#include "testbench/programs/cli/file_roles.h"
#include "testbench/programs/cli/saved_result.h"
#include "testbench/programs/device_comparison.h"
#include "testbench/show/summary.h"
#include "testbench/show/trace_section.h"
#include "testbench/sim/dry_run.h"
#include "testbench/sim/host_settings.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/sim/load/workload.h"
#include "testbench/sim/log.h"
#include "testbench/sim/outputs.h"
#include "testbench/sim/process/interruption.h"
#include "testbench/sim/request_source.h"
#include "testbench/sim/simulation.h"

namespace {

using namespace solidtlm::testbench;
using solidtlm::platform::ConfigurationError;
using solidtlm::platform::ConfigurationIssue;

int replay(const CommandLine& line) {
    Interruption::report_sudden_ends();
    std::vector<TraceAccount> accounts;
    const std::unique_ptr<RequestSource> source = make_request_source(line, &accounts);
    const std::unique_ptr<Pacing> pacing = make_pacing(line);
    const Json traces = trace_section(accounts);
    if (line.dry_run) {
        std::cout << (line.quiet ? "" : trace_lines(traces, style_for(1)));
        const auto requests = source->size();
        end_dry_run(line.configuration, requests ? std::to_string(*requests) + " requests" : "the workload");
    }
    SimulationOutcome outcome =
        simulate(with_start_for(line, *source), *source, *pacing, {.scenario = kReplay, .quiet = line.quiet});
    if (!traces.empty()) {
        outcome.result["traces"] = traces;
    }
    write_outputs(line, line.asked, outcome.result);
    if (!line.quiet) {
        std::cout << summarize(outcome.result, style_for(1));
        if (line.compared) {
            std::cout << beside(*line.compared, outcome.result, style_for(1));
        }
        std::cout << std::flush;
    }
    for (const std::string& fault : outcome.faults) {
        report_error(std::cerr, fault);
    }
    const bool same = !line.rerun || same_again(*line.rerun, outcome.result, line.quiet);
    return outcome.faults.empty() && same ? kExitSuccess : kExitFailure;
}

/// What this executable adds to the common command line.
struct Options {
    std::string log_level = "warning";
    ComparisonRequest comparison;
    std::vector<ComparedDevice> devices;

    void add_to(OptionSet& options);
    Errors check_options(const CommandLine& line);
    Errors check(const CommandLine& line);
    [[nodiscard]] Errors check_comparison(const CommandLine& line) const;
};

void Options::add_to(OptionSet& options) {
    options.explain("--workload", workload_help());
    options.explain("--workload postmark and filebench_delete", fs::fs_workload_help());
    options.group("Options");
    options.text("--compare", comparison.files, "FILE",
                 "The same requests on several devices, each a TOML file on top of the device options; "
                 "one file: against the device options alone");
    options.texts(
        "--compare-set", comparison.settings, "'KEY=VALUE; ...'",
        "As --compare, with a device that differs in these keys; repeatable, one device per option");
    add_log_level(options, log_level);
}

Errors Options::check_comparison(const CommandLine& line) const {
    Errors errors;
    const auto refuse = [&errors](bool found, const std::string& options) {
        if (found) {
            errors.push_back(options + ": found with --compare or --compare-set; allowed: with one drive");
        }
    };
    if (comparison.wanted()) {
        refuse(!line.load_state.empty() || !line.save_state.empty(), "--load-state, --save-state");
        refuse(line.power_cuts.any(), "--power-cut-at, --power-cut-every");
        refuse(line.record.any(), "--vcd, --timeline, --commands, --decisions, --fio-log");
        refuse(line.compared != nullptr, "--compare-result");
    }
    for (const std::string& text : comparison.settings) {
        if (text.find_first_not_of("; \t") == std::string::npos) {
            errors.emplace_back("--compare-set: found nothing; allowed: KEY=VALUE; ...");
        }
    }
    return errors;
}

Errors Options::check_options(const CommandLine& line) {
    Errors errors = check_comparison(line);
    const auto add = [&errors](Errors more) { std::ranges::move(more, std::back_inserter(errors)); };
    if (line.traces.empty() && line.workload.empty()) {
        return errors;
    }
    const Errors requests = check_requests(line);
    add(requests);
    if (requests.empty() || !line.pacing.empty()) {  // otherwise the requests decide the pacing
        add(check_pacing(line));
    }
    if (std::string error = requests.empty() ? speed_error(line) : ""; !error.empty()) {
        errors.push_back(std::move(error));
    }
    return errors;
}

std::string lacks(const CommandLine& line) {
    return !line.traces.empty() || !line.workload.empty() || line.show_config
               ? ""
               : "nothing to run: give a trace (--trace FILE) or a workload (--workload SPEC), here or in a "
                 "run file; --help has examples";
}

Errors Options::check(const CommandLine& line) {
    Errors errors;
    if (comparison.wanted()) {
        try {
            devices = compared_devices(line, comparison);
        } catch (const ConfigurationError& error) {
            for (const ConfigurationIssue& issue : error.issues()) {
                errors.push_back(issue.text());
            }
        }
    }
    return errors;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    Program program;
    program.name = kReplay;
    program.summary =
        "Replays block traces, or a generated workload, on a simulated SATA or NVMe SSD and shows where "
        "the time went.";
    program.examples = {
        "--trace traces/sample.nbd.xz --out out",
        "--trace traces/ahci_ext4.cmds.xz --pacing recorded_depth",
        "--workload random,read=0.7,size=4k,count=100000 --queue-depth 32",
        "--preset enterprise --workload sequential,read=0,size=128k,bytes=1GiB",
        "--workload postmark,files=2000,transactions=20k,memory=16MiB,discard=batched",
        "--workload random,read=0.7,count=50000 --precondition --compare-set nand.geometry.channels=16",
        "--workload random,read=0.3,count=50000 --power-cut-every 50ms --set firmware.trim.persist=journal",
        "--workload random,read=0.5,count=1000 --precondition --save-state aged.drive",
        "--load-state aged.drive --workload random,read=0.7,count=50000",
        "--trace traces/sample.nbd.xz --compare A.toml B.toml --out out",
        "run.toml --workload random,read=0.7,count=50000 --queue-depth 8 --out out",
    };
    Options options;
    program.one_run = true;
    program.add_options = [&options](OptionSet& set) { options.add_to(set); };
    program.name_files = [&options](FileRoles& files) {
        for (const std::string& file : options.comparison.files) {
            files.reads("--compare", file);
        }
    };
    program.check_options = [&options](const CommandLine& line) { return options.check_options(line); };
    program.lacks = lacks;
    program.check = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging(options.log_level);
        return options.devices.empty() ? replay(line) : compare_devices(line, options.devices);
    });
}
