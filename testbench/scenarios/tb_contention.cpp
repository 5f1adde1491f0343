// SPDX-License-Identifier: Apache-2.0
//
// Channels x dies x striping order x size of the map cache: where requests lose their time, host and map
// traffic told apart, and what stops helping where.
#include <systemc>

#include "testbench/cli/command_line.h"
#include "testbench/run/log.h"
#include "testbench/studies/contention/study.h"

int sc_main(int argc, char* argv[]) {
    using namespace solidtlm::testbench;
    contention::Options options;
    Program program;
    program.name = "tb_contention";
    program.summary =
        "Sweeps channels and the map cache of a simulated SATA SSD: throughput, where the time of requests "
        "and "
        "of their misses goes, and from where on more channels or a larger cache stop helping, and why.";
    program.examples = {
        "--out out",
        "--depths 8 --channels 1,4,16 --caches 64k,1m,whole --orders PCWD",
        "--policies dftl,bsb --workload zipf,read=0.7,size=16k,align=16k --warm-up 20000",
        "--set ssd.capacity=1GiB --workload random,read=0.7,size=4k --caches 256k,4m",
    };
    program.notes =
        "The default sweep has 240 points. The drive exports 256 MiB unless ssd.capacity says otherwise, and "
        "is\n"
        "filled before each point.\ndocs/contention.md explains the tables.";
    program.configuration_defaults = "[ssd]\ncapacity = \"256MiB\"\n";
    program.add_options = [&options](CLI::App& app) { options.add_to(app); };
    program.check = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging("warning");
        StudyOutcome outcome = run_sweep(line, options);
        return finish_study(line, outcome);
    });
}
