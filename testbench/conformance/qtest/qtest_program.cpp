// SPDX-License-Identifier: Apache-2.0
#include "testbench/conformance/qtest/qtest_program.h"

#include <exception>

#include "testbench/sim/dry_run.h"
#include "testbench/sim/log.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

}  // namespace

void QtestOptions::add_to(OptionSet& options) {
    options.flag("--qtest", qtest_, "Speak QEMU's qtest protocol on stdin and stdout (" + page_ + ")");
    options.text(where_, registers_, "ADDRESS", "Where its registers are, a multiple of 4096")
        ->capture_default_str();
    options.value("--ram", settings.ram_bytes, kinds::size(kPageBytes, std::uint64_t{1} << 36U),
                  "Memory from address 0");
    options.value("--irq", settings.irq, kinds::integer(0, 255), "Number of its interrupt");
}

void QtestOptions::add_log_level_to(OptionSet& options) {
    options.group("Options");
    add_log_level(options, log_level_);
}

Errors QtestOptions::check(const CommandLine& line) {
    Errors errors;
    if (!qtest_ && !line.show_config) {
        errors.emplace_back("found no way to speak to it; allowed: --qtest");
    }
    std::size_t end = 0;
    try {
        settings.registers = std::stoull(registers_, &end, 0);
    } catch (const std::exception&) {
        end = 0;
    }
    if (end != registers_.size() || settings.registers % kPageBytes != 0) {
        errors.push_back(where_ + ": found " + registers_ + "; allowed: a multiple of 4096");
    }
    return errors;
}

void QtestOptions::begin(const CommandLine& line) {
    start_logging(log_level_);
    if (line.dry_run) {
        end_dry_run(line.configuration, "what comes on stdin");
    }
    settings.configuration = line.configuration;
}

void require(Program& program, const std::function<void(const platform::Configuration&, Errors&)>& check) {
    program.check = [before = program.check, check](const CommandLine& line) {
        Errors errors = before(line);
        check(line.configuration, errors);
        return errors;
    };
}

}  // namespace solidtlm::testbench
