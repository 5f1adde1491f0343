// SPDX-License-Identifier: Apache-2.0
//
// The firmware's state is saved with its drive: a run that continues with it gives the same result as the run
// that saved it, with any options.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "fw/testing/files.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/option_pairs_test_support.h"
#include "testbench/sim/save/drive_file.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

/// A drive for every legal pair of options, including all translation layers, map caches, deduplication
/// systems and collection policies.
class FirmwareState : public ::testing::Test {
  protected:
    FirmwareState() : array_(paired_rows(1)) {}

    /// Calls `run(settings)` for each drive.
    template <class Run>
    std::vector<PointOutcome> run_all(Run run) const {
        std::vector<PointJob> jobs;
        for (std::size_t i = 0; i < array_.rows().size(); ++i) {
            jobs.push_back({name_of(array_.rows()[i]), [this, i, run] {
                                RunSpec settings = run_of(drive_of(array_.rows()[i], i));
                                return run(i, settings);
                            }});
        }
        std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
        for (std::size_t i = 0; i < array_.rows().size(); ++i) {
            EXPECT_EQ(outcomes[i].outcome.faults, std::vector<std::string>()) << jobs[i].name;
        }
        return outcomes;
    }
    /// When each drive was aged: the file with the ageing's results is written once, while the drive's file
    /// is touched with each use.
    [[nodiscard]] std::map<fs::path, fs::file_time_type> when_aged() const {
        std::map<fs::path, fs::file_time_type> times;
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            if (entry.path().extension() == ".json") {
                times[entry.path()] = entry.last_write_time();
            }
        }
        return times;
    }
    static SimulationOutcome run_mix(const RunSpec& settings, std::uint64_t seed, bool fill) {
        RandomMix::Shares shares;
        shares.requests = 300;
        shares.fill = fill;
        RepetitiveMix source(seed, settings.configuration.firmware.exported_sectors, shares);
        return simulate(settings, source, ClosedLoop(1 + static_cast<std::uint32_t>(seed % 32)));
    }

    const CoveringArray array_;
    TemporaryFolder folder_;
};

TEST_F(FirmwareState, ACachedDriveBehavesLikeTheAgedOne) {
    const auto aged = [this](bool keep) {
        return run_all([this, keep](std::size_t i, RunSpec& settings) {
            settings.precondition = parse_preconditioning("fill=1,random=0.5,trim=0.05");
            settings.precondition->cache = keep ? folder_.path() : fs::path();
            return run_mix(settings, i, false);
        });
    };
    const std::vector<PointOutcome> alone = aged(false);
    const std::vector<PointOutcome> kept = aged(true);
    const auto drives = when_aged();
    const std::vector<PointOutcome> taken = aged(true);
    EXPECT_EQ(drives.size(), array_.rows().size());
    EXPECT_EQ(when_aged(), drives) << "no drive was aged again";
    for (std::size_t i = 0; i < array_.rows().size(); ++i) {
        const std::string expected = without_wall_times(alone[i].outcome.result).dump();
        EXPECT_GT(alone[i].outcome.result["verify"]["reads_checked"], 10);
        EXPECT_TRUE(without_wall_times(kept[i].outcome.result).dump() == expected)
            << name_of(array_.rows()[i]);
        EXPECT_TRUE(without_wall_times(taken[i].outcome.result).dump() == expected)
            << name_of(array_.rows()[i]);
    }
}

TEST_F(FirmwareState, KeepsAllItsData) {
    for (const bool first : {true, false}) {
        run_all([this, first](std::size_t i, RunSpec& settings) {
            settings.save_state = folder_ / std::to_string(i);
            settings.load_state = first ? fs::path() : settings.save_state;
            return run_mix(settings, 100 + i, first);
        });
    }
    run_all([this](std::size_t i, const RunSpec& settings) {
        platform::Ssd ssd("ssd", settings.configuration);
        VerifierConfig config;
        config.content = settings.configuration.content;
        config.sectors = settings.configuration.firmware.exported_sectors;
        config.power_cuts = true;
        Verifier verifier(config);
        load_drive(folder_ / std::to_string(i), ssd, verifier, platform::Start::as_saved, {});
        const fs::path again = folder_ / ("again" + std::to_string(i));
        save_drive(again, ssd, verifier);
        SimulationOutcome outcome;
        if (read_file(again) != read_file(folder_ / std::to_string(i))) {
            outcome.faults.emplace_back("what was loaded is not what was saved");
        }
        return outcome;
    });
}

}  // namespace
}  // namespace solidtlm::testbench
