// SPDX-License-Identifier: Apache-2.0
//
// The drives of option_pairs_test in step with the kernel and ahead of it: neither running ahead nor
// recorders change a result.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "fw/testing/files.h"
#include "testbench/sim/option_pairs_test_support.h"

namespace solidtlm::testbench {

/// A folder for the recordings of a run, which the destructor removes.
class RecordingFolder {
  public:
    explicit RecordingFolder(const std::string& name)
        : path_(std::filesystem::temp_directory_path() / ("solidtlm_" + std::to_string(getpid()) + name)) {
        std::filesystem::create_directories(path_);
    }
    RecordingFolder(const RecordingFolder&) = delete;
    RecordingFolder& operator=(const RecordingFolder&) = delete;
    ~RecordingFolder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] RecorderSettings settings() const {
        RecorderSettings settings;
        settings.vcd = path_ / "run.vcd";
        settings.timeline = path_ / "run.json";
        return settings;
    }

  private:
    std::filesystem::path path_;
};

/// The parts of the result that must not differ, and the recordings.
inline SimulationOutcome observed(SimulationOutcome outcome, const RecorderSettings& record = {}) {
    Json result = without_wall_times(std::move(outcome.result));
    result["config"].erase("run_ahead");
    outcome.result = {{"result", std::move(result)}};
    if (!record.vcd.empty()) {
        outcome.result["vcd"] = std::hash<std::string>()(read_file(record.vcd));
        outcome.result["timeline"] = std::hash<std::string>()(read_file(record.timeline));
    }
    return outcome;
}

/// Runs each row in step and ahead with recorders, and ahead without; the last one also without protocol
/// checkers, so that calls take the place of payloads.
inline void compare_rows(std::uint64_t seed, std::size_t cuts) {
    static constexpr std::array<Ps, 4> kQuanta{Ps{1'000'000'000}, Ps{1}, Ps{777'777}, Ps{50'000'000}};
    constexpr std::size_t kRuns = 3;
    const CoveringArray array = paired_rows(seed);
    std::vector<PointJob> jobs;
    for (std::size_t i = 0; i < array.rows().size(); ++i) {
        const Row& row = array.rows()[i];
        const std::uint64_t row_seed = seed * 1000 + i;
        const Ps quantum = kQuanta[i % kQuanta.size()];
        for (const Ps ahead : {Ps{0}, quantum}) {
            jobs.push_back({name_of(row), [&row, row_seed, cuts, ahead] {
                                const RecordingFolder folder("_run_ahead");
                                const RecorderSettings record = folder.settings();
                                return observed(run_row(row, row_seed, cuts, ahead, record), record);
                            }});
        }
        jobs.push_back({name_of(row), [&row, row_seed, cuts, quantum] {
                            return observed(run_row(row, row_seed, cuts, quantum, {}, false));
                        }});
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (std::size_t i = 0; i < outcomes.size(); i += kRuns) {
        const Json& in_step = outcomes[i].outcome.result;
        const Json& ahead = outcomes[i + 1].outcome.result;
        const Json& unrecorded = outcomes[i + 2].outcome.result;
        EXPECT_EQ(outcomes[i].outcome.faults, std::vector<std::string>()) << jobs[i].name;
        ASSERT_TRUE(in_step.contains("vcd") && ahead.contains("vcd") && unrecorded.contains("result"));
        EXPECT_EQ(Json::diff(in_step, ahead), Json::array()) << jobs[i].name;
        EXPECT_EQ(Json::diff(in_step["result"], unrecorded["result"]), Json::array()) << jobs[i].name;
    }
}

}  // namespace solidtlm::testbench
