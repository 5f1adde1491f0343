// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/state_options.h"

#include <spdlog/fmt/fmt.h>

#include <string_view>

#include "testbench/files/output_file.h"

namespace solidtlm::testbench {

void StateOptions::add_to(OptionSet& options) {
    options.group("Saved drives");
    const CLI::Option* load =
        options.text("--load-state", load_, "FILE", "Begin with a drive that was saved");
    boot_option_ = options.value(
        "--boot", boot_, kinds::one_of({"instant", "timed"}),
        "Its firmware boots from flash whether it was saved or not: before simulated time begins, or as a "
        "power-on that takes its time");
    options.needs(boot_option_, load);
    const CLI::Option* save = options.text("--save-state", save_, "FILE", "Save the drive at the end");
    shutdown_option_ =
        options.value("--shutdown", shutdown_, kinds::one_of({"sleep", "clean", "cut"}),
                      "How it ends before it is saved: with STANDBY IMMEDIATE, and its firmware is saved, "
                      "too; or its flash alone, after STANDBY IMMEDIATE or a power cut after the last "
                      "command");
    options.needs(shutdown_option_, save);
}

Errors StateOptions::check_options(const CommandLine& line) const {
    Errors errors;
    if (!load_.empty() && line.precondition) {
        errors.emplace_back(
            "--precondition: found with --load-state; allowed: one of them, only a new drive "
            "is aged");
    }
    if (std::filesystem::is_directory(save_)) {
        errors.push_back("--save-state: found " + save_ + ", a folder; allowed: the name of a file");
    } else if (!save_.empty() && !line.show_config) {
        check_folder(folder_of(save_), line, errors);
    }
    return errors;
}

Errors StateOptions::check(const platform::Configuration& configuration) const {
    Errors errors;
    if (configuration.firmware.by_block()) {
        const auto refuse = [&](std::string_view option, std::string_view found, std::string_view allowed) {
            errors.push_back(
                fmt::format("{}: found {} with firmware.translation = \"{}\"; allowed: {}, because "
                            "block-mapped layers do "
                            "not find their state on flash again",
                            option, found, configuration.firmware.translation.name, allowed));
        };
        if (boot_option_->count() > 0) {
            refuse("--boot", boot_, "with page_map");
        }
        if (shutdown_ != "sleep") {
            refuse("--shutdown", shutdown_, "sleep, or with page_map");
        }
    }
    return errors;
}

void StateOptions::name_files(FileRoles& files) const {
    if (!load_.empty() && !same_file(load_, save_)) {  // the same one is replaced when the run has ended
        files.reads("--load-state", load_);
    }
    files.writes("--save-state", save_);
}

void StateOptions::apply(SimulationSettings& settings) const {
    settings.load_state = load_;
    if (!boot_.empty()) {
        settings.start = boot_ == "instant" ? platform::Start::boot_instant : platform::Start::boot_timed;
    }
    settings.save_state = save_;
    settings.shutdown = shutdown_ == "sleep"   ? Shutdown::sleep
                        : shutdown_ == "clean" ? Shutdown::clean
                                               : Shutdown::cut;
}

}  // namespace solidtlm::testbench
