// SPDX-License-Identifier: Apache-2.0
//
// A simulated NVMe drive, for programs that access its registers.
#include <iostream>
#include <systemc>

#include "testbench/conformance/qtest/nvme_qtest_board.h"
#include "testbench/conformance/qtest/qtest_program.h"
#include "testbench/programs/cli/adapter_program.h"

namespace {

using namespace solidtlm::testbench;
namespace platform = solidtlm::platform;

int serve(const CommandLine& line, QtestOptions& options) {
    options.begin(line);
    const NvmeQtestBoard board("board", options.settings, std::cin, std::cout);
    sc_core::sc_start();
    return kExitSuccess;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    Program program;
    program.name = "tb_nvme";
    program.summary = "A simulated NVMe SSD, driven register by register.";
    program.examples = {"--preset tiny --qtest", "--preset nvme --qtest --bar 0xE0000000"};
    drive_by_adapter(program, "driver");
    program.configuration_defaults += "[host]\ninterface = \"nvme\"\n";
    require(program, [](const platform::Configuration& configuration, Errors& errors) {
        if (!configuration.has_nvme()) {
            errors.emplace_back("host.interface: found link or ahci; allowed: nvme");
        }
    });
    QtestOptions options("--bar", "docs/nvme.md");
    program.add_options = [&options](OptionSet& set) {
        set.group("Controller");
        options.add_to(set);
        options.add_log_level_to(set);
    };
    program.check_options = [&options](const CommandLine& line) { return options.check(line); };
    return run_program(argc, argv, program,
                       [&options](const CommandLine& line) { return serve(line, options); });
}
