// SPDX-License-Identifier: Apache-2.0
//
// Simulated drives behind an AHCI host bus adapter, for programs that speak to its registers.
#include <iostream>
#include <systemc>

#include "testbench/ahci/adapter_program.h"
#include "testbench/ahci/qtest_board.h"
#include "testbench/simulation/dry_run.h"
#include "testbench/simulation/log.h"

namespace {

using namespace solidtlm::testbench;

constexpr std::uint64_t kPageBytes = 4096;

/// What this executable adds to the common command line.
struct AhciOptions {
    bool qtest = false;
    std::string abar = "0xFEBF0000";
    std::string log_level = "warning";
    QtestSettings settings;

    AhciOptions() {
        settings.ram_bytes = std::uint64_t{128} << 20U;
        settings.drives = {0};
        settings.adapter.ports = 6;
    }
    void add_to(OptionSet& options) {
        options.group("Host bus adapter");
        options.flag("--qtest", qtest, "Speak QEMU's qtest protocol on stdin and stdout (docs/ahci.md)");
        options.text("--abar", abar, "ADDRESS", "Where its registers are, a multiple of 4096")
            ->capture_default_str();
        options.value("--ram", settings.ram_bytes, kinds::size(kPageBytes, std::uint64_t{1} << 36U),
                      "Memory from address 0");
        options.value("--ports", settings.adapter.ports, kinds::integer(1, solidtlm::hw::ahci::kMostPorts),
                      "Ports that it has");
        options.dimension("--drives", settings.drives, kinds::integer(0, solidtlm::hw::ahci::kMostPorts - 1),
                          "Ports that have a drive");
        options.flag("--staggered-spin-up", settings.adapter.staggered_spin_up,
                     "Drives wait until a driver sets PxCMD.SUD");
        options.value("--irq", settings.irq, kinds::integer(0, 255), "Number of its interrupt");
        options.group("Options");
        add_log_level(options, log_level);
    }
    Errors check_options(const CommandLine& line) {
        Errors errors;
        if (!qtest && !line.show_config) {
            errors.emplace_back("found no way to speak to it; allowed: --qtest");
        }
        std::size_t end = 0;
        try {
            settings.abar = std::stoull(abar, &end, 0);
        } catch (const std::exception&) {
            end = 0;
        }
        if (end != abar.size() || settings.abar % kPageBytes != 0) {
            errors.push_back("--abar: found " + abar + "; allowed: a multiple of 4096");
        }
        for (const std::uint32_t port : settings.drives) {
            if (port >= settings.adapter.ports) {
                errors.push_back("--drives: found " + std::to_string(port) + "; the adapter has " +
                                 std::to_string(settings.adapter.ports) + " ports, from 0 on");
            }
        }
        return errors;
    }
};

int serve(const CommandLine& line, AhciOptions& options) {
    if (line.dry_run) {
        end_dry_run(line.configuration, "what comes on stdin");
    }
    // What a bad driver makes the adapter send is the driver's mistake, and no end of the run.
    sc_core::sc_report_handler::set_actions("/ssd/sata", sc_core::SC_ERROR, sc_core::SC_DISPLAY);
    options.settings.configuration = line.configuration;
    const QtestBoard board("board", options.settings, std::cin, std::cout);
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
    AhciOptions options;
    program.add_options = [&options](OptionSet& set) { options.add_to(set); };
    program.check_options = [&options](const CommandLine& line) { return options.check_options(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging(options.log_level);
        return serve(line, options);
    });
}
