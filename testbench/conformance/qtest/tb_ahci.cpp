// SPDX-License-Identifier: Apache-2.0
//
// Simulated drives behind an AHCI host bus adapter, for programs that access its registers.
#include <iostream>
#include <systemc>

#include "testbench/conformance/qtest/ahci_qtest_board.h"
#include "testbench/conformance/qtest/qtest_program.h"
#include "testbench/programs/cli/adapter_program.h"

namespace {

using namespace solidtlm::testbench;
namespace platform = solidtlm::platform;

/// What this executable adds to the common command line.
struct AhciOptions {
    QtestOptions qtest{"--abar", "docs/ahci.md"};
    std::vector<std::uint32_t> drives{0};
    solidtlm::hw::AhciConfig adapter;

    AhciOptions() { adapter.ports = 6; }
    void add_to(OptionSet& options) {
        options.group("Host bus adapter");
        qtest.add_to(options);
        options.value("--ports", adapter.ports, kinds::integer(1, solidtlm::hw::ahci::kMostPorts),
                      "Ports that it has");
        options.dimension("--drives", drives, kinds::integer(0, solidtlm::hw::ahci::kMostPorts - 1),
                          "Ports that have a drive");
        options.flag("--staggered-spin-up", adapter.staggered_spin_up,
                     "Drives wait until a driver sets PxCMD.SUD");
        qtest.add_log_level_to(options);
    }
    Errors check_options(const CommandLine& line) {
        Errors errors = qtest.check(line);
        for (const std::uint32_t port : drives) {
            if (port >= adapter.ports) {
                errors.push_back("--drives: found " + std::to_string(port) + "; the adapter has " +
                                 std::to_string(adapter.ports) + " ports, from 0 on");
            }
        }
        return errors;
    }
};

int serve(const CommandLine& line, AhciOptions& options) {
    options.qtest.begin(line);
    // A frame that a faulty driver makes the adapter send is the driver's mistake and must not end the run.
    sc_core::sc_report_handler::set_actions("/ssd/sata", sc_core::SC_ERROR, sc_core::SC_DISPLAY);
    const AhciQtestBoard board("board", options.qtest.settings, options.adapter, options.drives, std::cin,
                               std::cout);
    sc_core::sc_start();
    return kExitSuccess;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    Program program;
    program.name = "tb_ahci";
    program.summary = "Simulated SATA SSDs behind an AHCI host bus adapter, driven register by register.";
    program.examples = {"--preset tiny --qtest", "--preset tiny --qtest --abar 0xE0000000 --drives 0,3"};
    drive_by_adapter(program, "driver");
    require(program, [](const platform::Configuration& configuration, Errors& errors) {
        if (configuration.has_nvme()) {
            errors.emplace_back("host.interface: found nvme; allowed: link, ahci (tb_nvme has NVMe)");
        }
    });
    AhciOptions options;
    program.add_options = [&options](OptionSet& set) { options.add_to(set); };
    program.check_options = [&options](const CommandLine& line) { return options.check_options(line); };
    return run_program(argc, argv, program,
                       [&options](const CommandLine& line) { return serve(line, options); });
}
