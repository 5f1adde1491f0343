// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/state_options.h"

#include "testbench/files/output_file.h"

namespace solidtlm::testbench {
void StateOptions::add_to(OptionSet& options) {
    options.group("Saved drives");
    options.text("--load-state", load_, "FILE", "Begin with a drive that was saved");
    boot_option_ = options.value(
        "--boot", boot_, kinds::one_of({"instant", "timed"}),
        "How it boots from its flash: before simulated time begins, or as a power-on that takes "
        "its time");
    options.text("--save-state", save_, "FILE", "Save the drive at the end");
    shutdown_option_ =
        options.value("--shutdown", shutdown_, kinds::one_of({"clean", "cut"}),
                      "How it ends before it is saved: with STANDBY IMMEDIATE, or with a power "
                      "cut after the last command");
}

Errors StateOptions::check(const CommandLine& line) const {
    Errors errors;
    if (any() && line.configuration.firmware.by_block()) {
        errors.emplace_back(
            "found a saved drive with a block-mapped firmware.translation; allowed: page_map, the others do "
            "not find their state on flash again");
    }
    if (!load_.empty() && line.precondition) {
        errors.emplace_back(
            "--precondition: found with --load-state; allowed: one of them, only a new drive "
            "is aged");
    }
    if (boot_option_->count() > 0 && load_.empty()) {
        errors.emplace_back("--boot: found without --load-state; allowed: with it");
    }
    if (shutdown_option_->count() > 0 && save_.empty()) {
        errors.emplace_back("--shutdown: found without --save-state; allowed: with it");
    }
    return errors;
}

void StateOptions::apply(SimulationSettings& settings) const {
    settings.load_state = load_;
    settings.boot_instantly = boot_ == "instant";
    settings.save_state = save_;
    settings.clean_shutdown = shutdown_ == "clean";
    if (!save_.empty()) {
        prepare_output_folder(folder_of(save_));
    }
}

}  // namespace solidtlm::testbench
