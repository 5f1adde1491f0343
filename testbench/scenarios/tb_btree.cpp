// SPDX-License-Identifier: Apache-2.0
//
// Which page size suits a B+-tree on flash: four block-mapped translation layers, counted as the study does,
// and timed on a drive.
#include <systemc>

#include "testbench/cli/command_line.h"
#include "testbench/run/log.h"
#include "testbench/studies/btree/study.h"

namespace {

using namespace solidtlm::testbench;

/// One small-block part; the tree needs a few MiB, and a mirror for every block at most as much again. The
/// study counts sectors as they are written, so nothing may be collected in a buffer.
constexpr const char* kDefaults = R"(preset = "small_block"
content = "bytes"
[ssd]
capacity = "8MiB"
[firmware.write_buffer]
policy = "write_through"
)";

}  // namespace

int sc_main(int argc, char* argv[]) {
    btree::Options options;
    Program program;
    program.name = "tb_btree";
    program.summary =
        "Inserts random integers into a B+-tree with pages of several sizes, on four block-mapped "
        "translation layers: "
        "sectors written and blocks erased beside those of the study, the time on a simulated drive, and "
        "what the "
        "study's numbers say about what it does not tell.";
    program.examples = {
        "--out out",
        "--no-sensitivity --buffer-pages 128 --log-blocks 32",
        "--no-drive --entry-bytes 16 --page-sizes 512,2048,4096,8192,16384",
        "--no-drive --set nand.rules.sequential_pages=true",
    };
    program.notes =
        "Everything takes about a minute on two idle cores; --no-drive or --no-sensitivity less.\n"
        "docs/btree.md explains the tables.";
    program.configuration_defaults = kDefaults;
    program.add_options = [&options](CLI::App& app) { options.add_to(app); };
    program.check = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging("warning");
        StudyOutcome outcome = run_study(line, options);
        return finish_study(line, outcome);
    });
}
