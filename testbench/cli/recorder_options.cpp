// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/recorder_options.h"

#include "platform/units.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

void check_window(const CLI::Option& option, const RecordWindow& window, Errors& errors) {
    if (window.from >= window.to) {
        errors.push_back(option.get_name() + "-to: found " + platform::format_duration(window.to) +
                         "; allowed: later than " + option.get_name() + "-from, " +
                         platform::format_duration(window.from));
    }
}

CLI::Option* add_recording(OptionSet& options, const std::string& name, fs::path& file, RecordWindow& window,
                           const std::string& what) {
    CLI::Option* option = options.text(name, file, "FILE", what);
    options.needs(options.unset(name + "-from", window.from, kinds::duration(),
                                "Simulated time at which it begins; power-on if not given"),
                  option);
    options.needs(options.unset(name + "-to", window.to, kinds::duration(),
                                "Simulated time at which it ends; the end of the run if not given"),
                  option);
    return option;
}

}  // namespace

void RecorderOptions::add_to(OptionSet& options, RecorderSettings& settings) {
    options.group("Recording");
    vcd_ = add_recording(options, "--vcd", settings.vcd, settings.vcd_window,
                         "Waveforms for GTKWave (VCD); a save file FILE with .gtkw goes with it");
    timeline_ = add_recording(options, "--timeline", settings.timeline, settings.timeline_window,
                              "Timeline for ui.perfetto.dev (trace-event JSON)");
    commands_ = options.text("--commands", settings.commands, "FILE",
                             "Every command with its times and stages, a line each; compressed if FILE ends "
                             "with .csv.zst instead of .csv");
}

Errors RecorderOptions::check(const RecorderSettings& settings) const {
    Errors errors;
    for (const fs::path& file : {settings.vcd, settings.timeline, settings.commands}) {
        if (!file.empty()) {
            check_writable(file, errors);
        }
    }
    if (!settings.commands.empty() && !is_command_table(settings.commands)) {
        errors.push_back(commands_->get_name() + ": found " + settings.commands.string() +
                         "; allowed: " + kCommandTables);
    }
    check_window(*vcd_, settings.vcd_window, errors);
    check_window(*timeline_, settings.timeline_window, errors);
    if (!settings.vcd.empty() && same_file(settings.vcd, gtkwave_save_path(settings.vcd))) {
        errors.push_back("--vcd: found " + settings.vcd.string() +
                         "; allowed: another ending than .gtkw, which is the save file's");
    }
    return errors;
}

void RecorderOptions::name_files(const RecorderSettings& settings, FileRoles& files) const {
    files.writes(vcd_->get_name(), settings.vcd);
    if (!settings.vcd.empty()) {
        files.writes(vcd_->get_name(), gtkwave_save_path(settings.vcd));
    }
    files.writes(timeline_->get_name(), settings.timeline);
    files.writes(commands_->get_name(), settings.commands);
}

}  // namespace solidtlm::testbench
