// SPDX-License-Identifier: Apache-2.0
//
// What a TRIM costs: in the drive by the shape of its ranges, on a file system by the way in which it is
// sent, to others while it runs, and what it saves in write amplification.
#include <systemc>

#include "testbench/cli/command_line.h"
#include "testbench/run/log.h"
#include "testbench/studies/trim/study.h"

int sc_main(int argc, char* argv[]) {
    using namespace solidtlm::testbench;
    trim::Options options;
    Program program;
    program.name = "tb_trim";
    program.summary =
        "Measures what TRIM costs a simulated SATA SSD by the shape of its ranges, by the way a file system "
        "sends "
        "it, and what it saves in write amplification.";
    program.examples = {
        "--out out",
        "--parts ranges --drives jasmine --mappings page",
        "--parts ranges --sizes 16k --counts 1,64 --drives given --preset enterprise",
        "--parts filesystem --discards per_extent,batched",
    };
    program.notes = "docs/trim.md explains the tables and the verdicts.";
    // Contents change nothing here and cost time.
    program.configuration_defaults = "content = \"none\"\n";
    program.add_options = [&options](CLI::App& app) { options.add_to(app); };
    program.check = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging("warning");
        StudyOutcome outcome = run_study(line, options);
        return finish_study(line, outcome);
    });
}
