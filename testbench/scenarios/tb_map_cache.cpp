// SPDX-License-Identifier: Apache-2.0
//
// Which part of a mapping table that does not fit should be brought in on a miss: cache policies x sizes x
// workloads, beside what Lee et al. 2013 publish.
#include <iostream>
#include <systemc>

#include "testbench/cli/command_line.h"
#include "testbench/simulation/log.h"
#include "testbench/simulation/outputs.h"
#include "testbench/studies/map_cache/study.h"

namespace {

using namespace solidtlm::testbench;

int study(const CommandLine& line, const map_cache::Options& options) {
    map_cache::StudyOutcome outcome = run_study(line, options);
    write_outputs(line, outcome.result);
    if (!line.quiet) {
        std::cout << outcome.text << std::flush;
    }
    for (const std::string& fault : outcome.faults) {
        report_error(std::cerr, fault);
    }
    return outcome.faults.empty() ? kExitSuccess : kExitFailure;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    map_cache::Options options;
    Program program;
    program.name = "tb_map_cache";
    program.summary =
        "Sweeps cache policies and sizes of a mapping table that does not fit into DRAM: hit ratio and mean "
        "penalty of a page request, and the claims of Lee et al. 2013 beside what comes out.";
    program.examples = {
        "--out out",
        "--workloads pc --timing full --out out",
        "--policies half_page,full_page,bsb --sizes 16k,64k --trace trace.spc --fit wrap",
        "--workloads financial --policies bsb,full_page,half_page --set "
        "firmware.map_cache.bsb_candidates=full,tafp_8,tafp_64",
    };
    program.notes = "docs/map-cache-study.md explains tables, figures and claims.";
    program.configuration_defaults = "preset = \"study_b\"\n";
    program.add_options = [&options](CLI::App& app) { options.add_to(app); };
    program.check = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging("warning");
        return study(line, options);
    });
}
