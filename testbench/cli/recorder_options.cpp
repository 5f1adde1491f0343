// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/recorder_options.h"

#include "testbench/files/output_file.h"
#include "testbench/files/streamed_file.h"
#include "testbench/workload/units.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

/// The same file, as far as one can tell before it is written.
bool same_file(const fs::path& one, const fs::path& other) {
    std::error_code error;
    return fs::weakly_canonical(one, error) == fs::weakly_canonical(other, error);
}

void check_writable(const fs::path& path, std::vector<std::string>& errors) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
        return;  // a pipe or a device: opened once, when it is written
    }
    try {
        const StreamedFile probe(path);
    } catch (const OutputError& failure) {
        errors.emplace_back(failure.what());
    }
}

void parse_instant(const std::string& option, const std::optional<std::string>& text, hal::Ps& instant,
                   std::vector<std::string>& errors) {
    if (!text) {
        return;
    }
    if (const auto value = parse_duration(*text)) {
        instant = *value;
    } else {
        errors.push_back(option + ": found " + text.value() + "; allowed: " + std::string(kDurationExample));
    }
}

}  // namespace

void RecorderOptions::add_to(CLI::App& app) {
    constexpr const char* kGroup = "Recording";
    const auto add = [&app](Recording& recording, const char* what) {
        CLI::Option* file =
            app.add_option(recording.name, recording.file, what)->type_name("FILE")->group(kGroup);
        app.add_option(recording.name + "-from", recording.from,
                       "Simulated time at which it begins; power-on if not given")
            ->type_name("T")
            ->needs(file)
            ->group(kGroup);
        app.add_option(recording.name + "-to", recording.to,
                       "Simulated time at which it ends; the end of the run if not given")
            ->type_name("T")
            ->needs(file)
            ->group(kGroup);
    };
    add(vcd_, "Waveforms for GTKWave (VCD); a save file FILE with .gtkw goes with it");
    add(timeline_, "Timeline for ui.perfetto.dev (trace-event JSON)");
}

void RecorderOptions::check_file(const Recording& recording, fs::path& file,
                                 std::vector<std::string>& errors) {
    if (!recording.file) {
        return;
    }
    file = *recording.file;
    if (file.empty()) {
        errors.push_back(recording.name + ": found nothing; allowed: the name of a file");
    } else {
        check_writable(file, errors);
    }
}

void RecorderOptions::check_window(const Recording& recording, RecordWindow& window,
                                   std::vector<std::string>& errors) {
    const std::size_t before = errors.size();
    parse_instant(recording.name + "-from", recording.from, window.from, errors);
    parse_instant(recording.name + "-to", recording.to, window.to, errors);
    if (errors.size() == before && window.from >= window.to) {
        errors.push_back(recording.name + "-to: found " + recording.to.value_or("nothing") +
                         "; allowed: later than " + recording.name + "-from" +
                         (recording.from ? " " + *recording.from : ""));
    }
}

std::vector<std::string> RecorderOptions::check(RecorderSettings& settings) const {
    std::vector<std::string> errors;
    check_file(vcd_, settings.vcd, errors);
    check_file(timeline_, settings.timeline, errors);
    check_window(vcd_, settings.vcd_window, errors);
    check_window(timeline_, settings.timeline_window, errors);
    if (settings.vcd.empty()) {
        return errors;
    }
    const fs::path save = gtkwave_save_path(settings.vcd);
    if (same_file(settings.vcd, save)) {
        errors.push_back("--vcd: found " + settings.vcd.string() +
                         "; allowed: another ending than .gtkw, which is the save file's");
    }
    if (!settings.timeline.empty() &&
        (same_file(settings.vcd, settings.timeline) || same_file(save, settings.timeline))) {
        errors.push_back("--timeline: found " + settings.timeline.string() +
                         "; allowed: another file than those of --vcd");
    }
    return errors;
}

}  // namespace solidtlm::testbench
