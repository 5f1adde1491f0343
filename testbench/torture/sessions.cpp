// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/sessions.h"

#include <fmt/format.h>
#include <sys/time.h>

#include <filesystem>
#include <span>
#include <utility>

#include "testbench/sim/child_runs.h"
#include "testbench/sim/files/output_file.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

/// The folder of the file that takes the drive from one session to the next.
class DriveFolder {
  public:
    DriveFolder() : path_(temporary_name(fs::temp_directory_path())) { fs::create_directory(path_); }
    ~DriveFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    DriveFolder(const DriveFolder&) = delete;
    DriveFolder& operator=(const DriveFolder&) = delete;

    [[nodiscard]] fs::path file() const { return path_ / "drive"; }

  private:
    fs::path path_;
};

/// Session `number` of the case.
PreparedCase session(const PreparedCase& prepared, std::size_t number, const fs::path& file) {
    PreparedCase one = prepared;
    one.load.seed += number;
    one.reads_back = number == prepared.sessions.size();
    if (number > 0) {
        const SessionEnd& before = prepared.sessions[number - 1];
        one.run.load_state = file;
        if (before.boots_timed) {
            one.run.boot = platform::Start::boot_timed;
        }
        one.run.precondition.reset();
        if (one.mix) {
            one.mix->shares.fill = false;
        }
    }
    if (number < prepared.sessions.size()) {
        one.run.save_state = file;
        one.run.shutdown = prepared.sessions[number].shutdown;
    }
    return one;
}

/// In a process of its own, which has as much processor time as is left for this one.
PointOutcome in_child(const PreparedCase& one,
                      const std::function<SimulationOutcome(const PreparedCase&)>& run) {
    itimerval left{};
    getitimer(ITIMER_PROF, &left);
    const PointJob job{"session", [&] {
                           setitimer(ITIMER_PROF, &left, nullptr);
                           return run(one);
                       }};
    PointPool pool{1, true};
    pool.pass_on_messages = false;
    return std::move(run_points(std::span(&job, 1), pool).front());
}

}  // namespace

SimulationOutcome run_sessions(const PreparedCase& prepared,
                               const std::function<SimulationOutcome(const PreparedCase&)>& run) {
    const DriveFolder folder;
    PointOutcome ended;
    for (std::size_t number = 0; number <= prepared.sessions.size(); ++number) {
        ended = in_child(session(prepared, number, folder.file()), run);
        std::vector<std::string>& faults = ended.outcome.faults;
        if (!ended.messages.empty()) {
            faults.insert(faults.begin(), ended.messages);
        }
        if (!faults.empty()) {
            faults.push_back(fmt::format("in session {} of {}", number + 1, prepared.sessions.size() + 1));
            break;
        }
    }
    return std::move(ended.outcome);
}

}  // namespace solidtlm::testbench
