// SPDX-License-Identifier: Apache-2.0
//
// A simulated drive in a QEMU guest that is started with it.
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <systemc>

#include "testbench/doors/guest/guest_board.h"
#include "testbench/programs/cli/adapter_program.h"
#include "testbench/sim/dry_run.h"
#include "testbench/sim/log.h"
#include "testbench/sim/process/child.h"

namespace {

using namespace solidtlm::testbench;

struct GuestOptions {
    std::string command;
    std::string image;
    std::string log_level = "warning";

    void add_to(OptionSet& options) {
        options.group("Guest");
        options.text("--run", command, "COMMAND", "Start this, with the number of QEMU's socket in $pci_fd");
        options.text("--image", image, "FILE", "What is on the drive, from sector 0 on");
        options.group("Options");
        add_log_level(options, log_level);
    }

    Errors check_options(const CommandLine& line) const {
        Errors errors;
        std::error_code error;
        const auto bytes = image.empty() ? 0 : std::filesystem::file_size(image, error);
        if (error) {
            errors.push_back("--image: cannot read " + image + ": " + error.message());
        } else if (bytes > line.configuration.exported_bytes()) {
            errors.push_back("--image: found " + std::to_string(bytes) + " bytes; allowed: at most " +
                             std::to_string(line.configuration.exported_bytes()) + ", the size of the drive");
        }
        if (command.empty() && !line.show_config && !line.dry_run) {
            errors.emplace_back("--run: found nothing; allowed: a command, which starts the guest");
        }
        return errors;
    }
};

std::vector<std::byte> contents_of(const std::string& file) {
    if (file.empty()) {
        return {};
    }
    std::vector<std::byte> contents(std::filesystem::file_size(file));
    std::ifstream in(file, std::ios::binary);
    in.read(reinterpret_cast<char*>(contents.data()), static_cast<std::streamsize>(contents.size()));
    return contents;
}

int serve(const CommandLine& line, const GuestOptions& options) {
    if (line.dry_run) {
        end_dry_run(line.configuration, "what the guest asks for");
    }
    sc_core::sc_report_handler::set_actions("/ssd/sata", sc_core::SC_ERROR, sc_core::SC_DISPLAY);
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        std::cerr << "error: no socket: " << std::strerror(errno) << '\n';
        return kExitFailure;
    }
    Descriptor theirs(ends[1]);
    const GuestBoard board("board", line.configuration, contents_of(options.image), Descriptor(ends[0]));
    Child command;
    command.start({"/bin/sh", "-c", options.command}, {theirs.get()},
                  {"pci_fd=" + std::to_string(theirs.get())});
    theirs.reset();
    sc_core::sc_start();
    if (!board.fault().empty()) {
        std::cerr << "error: " << board.fault() << '\n';
        return kExitFailure;
    }
    const std::string end = command.wait();
    if (!command.succeeded()) {
        std::cerr << "error: the command of --run has ended with " << end << '\n';
        return kExitFailure;
    }
    return kExitSuccess;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
    Program program;
    program.name = "tb_guest";
    program.summary =
        "A simulated SSD, SATA behind an AHCI host bus adapter or NVMe, in a QEMU guest (docs/guest.md).";
    program.examples = {"--preset tiny --run 'qemu-system-x86_64 -device x-pci-proxy-dev,fd=$pci_fd'"};
    drive_by_adapter(program, "guest");
    GuestOptions options;
    program.add_options = [&options](OptionSet& set) { options.add_to(set); };
    program.check_options = [&options](const CommandLine& line) { return options.check_options(line); };
    return run_program(argc, argv, program, [&options](const CommandLine& line) {
        start_logging(options.log_level);
        return serve(line, options);
    });
}
