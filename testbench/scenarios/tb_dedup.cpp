// SPDX-License-Identifier: Apache-2.0
//
// Deduplication in the drive: five systems on the same loads, what writes wait for, how long the search
// takes, what garbage collection is spared, and what a power loss costs.
#include <systemc>

#include "testbench/cli/command_line.h"
#include "testbench/run/log.h"
#include "testbench/studies/dedup/study.h"

int sc_main(int argc, char* argv[]) {
    using namespace solidtlm::testbench;
    dedup::Options options;
    Program program;
    program.name = "tb_dedup";
    program.summary =
        "Compares ways to deduplicate in a simulated SATA SSD: online with fingerprints, offline in idle "
        "time, and with CRC32 instead of fingerprints; and the claims of Park and Shin 2014 beside what "
        "comes out.";
    program.examples = {
        "--out out",
        "--parts systems --workloads webvm --systems online,offline_crc32",
        "--parts systems --trace my.nbd.xz --used 0.7 --out out",
        "--parts sensitivity --idles 1ms,10ms,100ms --systems offline,offline_crc32",
    };
    program.notes = "docs/dedup-study.md explains the tables and the verdicts.";
    // One plane a die, so that a drive as small as a load has blocks enough in each parallel unit.
    program.configuration_defaults = "preset = \"study_c\"\n[nand.geometry]\nplanes = 1\nblocks = 608\n";
    program.add_options = [&options](CLI::App& app) { options.add_to(app); };
    program.check = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging("warning");
        StudyOutcome outcome = run_study(line, options);
        return finish_study(line, outcome);
    });
}
