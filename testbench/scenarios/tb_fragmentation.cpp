// SPDX-License-Identifier: Apache-2.0
//
// Study A: what becomes of blocks that hybrid mapping writes in place while striping spreads every write over
// all of them.
#include <algorithm>
#include <string_view>
#include <systemc>

#include "testbench/cli/command_line.h"
#include "testbench/simulation/log.h"
#include "testbench/studies/fragmentation/study.h"

namespace {

using namespace solidtlm::testbench;

/// The configuration is loaded while the command line is parsed, so what it starts from must be known before.
bool names_a_device(int argc, char* argv[]) {
    return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
        return argument.starts_with("--preset") || argument.starts_with("--config");
    });
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    fragmentation::Options options;
    Program program;
    program.name = "tb_fragmentation";
    program.summary =
        "Writes the workloads of a study to page mapping and to every block-mapped layer, striped and not, "
        "with and without the rule that pages of a block are programmed in order: block utilisation, kinds "
        "of "
        "writes, merges, throughput.";
    program.examples = {
        "--out out",
        "--timing off --out out",
        "--layers page_map,fast --striping full --scale 0.25",
        "--timing off --trace desktop.trace.xz --fit wrap --format disksim",
        "--layers fast --precondition fill=1,random=0",
    };
    program.notes =
        "Without --preset and --config: the drive of Agrawal et al. 2008, as large as the workloads need "
        "(32 GiB).\ndocs/fragmentation.md explains tables and claims.";
    // Contents change nothing here and cost time.
    program.configuration_defaults = "content = \"none\"\n";
    if (!names_a_device(argc, argv)) {
        program.configuration_defaults +=
            "preset = \"agrawal\"\nssd.capacity = \"32GiB\"\nnand.geometry.blocks = 2410\n"
            "firmware.allocation.order = \"CWDP\"\n";
    }
    program.add_options = [&options](CLI::App& app) { options.add_to(app); };
    program.check = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging("warning");
        StudyOutcome outcome = run_study(line, options);
        return finish_study(line, outcome);
    });
}
