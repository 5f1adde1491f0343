// SPDX-License-Identifier: Apache-2.0
//
// What striping and bus contention make of throughput and latency: channels x dies x order x striping x
// allocation x pattern x operation, each point beside what data sheets allow.
#include <string_view>
#include <systemc>

#include "testbench/cli/command_line.h"
#include "testbench/run/log.h"
#include "testbench/studies/striping/study.h"

namespace {

using namespace solidtlm::testbench;

int study(const CommandLine& line, const striping::Options& options) {
    StudyOutcome outcome = options.study == "jasmine" ? run_jasmine(line, options) : run_sweep(line, options);
    return finish_study(line, outcome);
}

/// The configuration is loaded while the command line is parsed, so what it starts from must be known before.
bool wants_jasmine(int argc, char* argv[]) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--study=jasmine" ||
            (argument == "--study" && i + 1 < argc && argv[i + 1] == std::string_view("jasmine"))) {
            return true;
        }
    }
    return false;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    striping::Options options;
    Program program;
    program.name = "tb_striping";
    program.summary =
        "Sweeps channels, dies and striping of a simulated SATA SSD: throughput beside what its parts allow, "
        "and how much of each request's time is lost waiting for channels and dies.";
    program.examples = {
        "--out out",
        "--channels 2,4,8,16 --dies 4 --patterns random --operations read",
        "--preset agrawal --set dram.size=512MiB --orders PCWD --striping full --allocation dynamic "
        "--random-size 4k",
        "--study jasmine",
    };
    program.notes =
        "The default sweep has 640 points and takes one to two minutes on two idle cores.\n"
        "docs/striping.md explains the tables.";
    // Contents change nothing here and cost time.
    program.configuration_defaults = "content = \"none\"\n";
    if (wants_jasmine(argc, argv)) {
        program.configuration_defaults += "preset = \"jasmine\"\n";
    }
    program.add_options = [&options](CLI::App& app) { options.add_to(app); };
    program.check = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging("warning");
        return study(line, options);
    });
}
