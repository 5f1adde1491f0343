// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/recording.h"

#include <spdlog/spdlog.h>

#include "testbench/sim/files/output_file.h"
#include "testbench/watch/gtkwave_save.h"
#include "testbench/watch/timeline_recorder.h"
#include "testbench/watch/vcd_recorder.h"

namespace solidtlm::testbench {

struct Recording::Vcd {
    Vcd(const RecorderSettings& settings, const platform::Configuration& configuration)
        : file(settings.vcd), recorder(configuration, settings.vcd_window, file) {}
    StreamedFile file;
    VcdRecorder recorder;
};

struct Recording::Timeline {
    Timeline(const RecorderSettings& settings, const platform::Configuration& configuration)
        : file(settings.timeline), recorder(configuration, settings.timeline_window, file) {}
    StreamedFile file;
    TimelineRecorder recorder;
};

namespace {

/// Opens the file of a recorder; null if the path is empty.
template <class Record>
std::unique_ptr<Record> begun(const std::filesystem::path& path) {
    return path.empty() ? nullptr : std::make_unique<Record>(path);
}

void warn_if_missed(const std::filesystem::path& file, bool reached, hal::Ps end) {
    if (!reached) {
        spdlog::warn("{} shows nothing: the run ended at {} us, before the window begins", file.string(),
                     std::chrono::duration<double, std::micro>(end).count());
    }
}

}  // namespace

Recording::Recording(const RecorderSettings& settings, const platform::Configuration& configuration)
    : settings_(settings),
      vcd_(settings.vcd.empty() ? nullptr : std::make_unique<Vcd>(settings, configuration)),
      timeline_(settings.timeline.empty() ? nullptr : std::make_unique<Timeline>(settings, configuration)),
      commands_(begun<CommandTable>(settings.commands)),
      decisions_(begun<DecisionTable>(settings.decisions)),
      fio_log_(begun<FioLog>(settings.fio_log)) {}

Recording::~Recording() = default;

void Recording::attach(platform::Ssd& ssd, ObserverChain& observers) {
    if (vcd_ != nullptr) {
        probes_.add(vcd_->recorder);
    }
    if (timeline_ != nullptr) {
        probes_.add(timeline_->recorder);
        observers.add(timeline_->recorder);
    }
    if (commands_ != nullptr) {
        observers.add(*commands_);
    }
    if (fio_log_ != nullptr) {
        observers.add(*fio_log_);
    }
    if (decisions_ != nullptr) {
        probes_.add(*decisions_);
    }
    if (vcd_ != nullptr || timeline_ != nullptr || decisions_ != nullptr || watched_) {
        ssd.set_probe(&probes_);
    }
}

std::vector<std::string> Recording::finish(hal::Ps at) {
    std::vector<std::string> failures;
    const auto attempt = [&failures](const auto& step) {
        try {
            step();
        } catch (const OutputError& error) {
            failures.emplace_back(error.what());
        }
    };
    if (vcd_ != nullptr) {
        const hal::Ps end = vcd_->recorder.finish(at);
        warn_if_missed(settings_.vcd, vcd_->recorder.window_reached(), at);
        attempt([&] {
            vcd_->file.finish();
            if (!std::filesystem::is_regular_file(settings_.vcd)) {
                return;  // a pipe: its reader cannot use a save file
            }
            write_file_atomically(gtkwave_save_path(settings_.vcd),
                                  gtkwave_save(settings_.vcd, vcd_->recorder.signals(),
                                               RecordWindow{settings_.vcd_window.from, end}));
        });
    }
    if (timeline_ != nullptr) {
        timeline_->recorder.finish(at);
        warn_if_missed(settings_.timeline, timeline_->recorder.window_reached(), at);
        attempt([&] { timeline_->file.finish(); });
    }
    const auto finish = [&attempt](const auto& record) {
        if (record != nullptr) {
            attempt([&] { record->finish(); });
        }
    };
    finish(commands_);
    finish(decisions_);
    finish(fio_log_);
    return failures;
}

}  // namespace solidtlm::testbench
