// SPDX-License-Identifier: Apache-2.0
//
// The time that deduplication adds to a write or saves, one command at a time on an idle drive, against
// closed forms.
#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

/// Writes of 4 KiB to consecutive places; contents are 1, 2, 3, ... or always equal.
class Writes : public RequestSource {
  public:
    Writes(std::uint64_t count, bool equal) : count_(count), equal_(equal) {}
    bool next(Request& request) override {
        request.clear();
        if (done_ == count_) {
            return false;
        }
        request.operation = Operation::write;
        request.lba = Lba{done_ * 8};
        request.sectors = 8;
        request.content.push_back(equal_ ? 1 : ++done_);
        done_ += equal_ ? 1 : 0;
        return true;
    }

  private:
    std::uint64_t count_;
    bool equal_;
    std::uint64_t done_ = 0;
};

constexpr std::uint64_t kWrites = 100;

SimulationOutcome write(const std::string& system, bool equal) {
    RunSpec settings;
    settings.configuration =
        preset("study_c", {"firmware.dedup.system=" + system, "firmware.idle_threshold=1s"});
    Writes source(kWrites, equal);
    return simulate(settings, source, ClosedLoop(1));
}

/// Runs the configurations one after the other; results are in the same order.
std::vector<Json> write_each(const std::vector<std::string>& systems, bool equal) {
    std::vector<PointJob> jobs;
    jobs.reserve(systems.size());
    for (const std::string& system : systems) {
        jobs.push_back({system, [system, equal] { return write(system, equal); }});
    }
    std::vector<Json> results;
    results.reserve(jobs.size());
    for (PointOutcome& point : run_points(jobs, PointPool{1, true})) {
        EXPECT_TRUE(point.outcome.faults.empty()) << point.outcome.faults.front();
        results.push_back(std::move(point.outcome.result));
    }
    return results;
}

double mean_us(const Json& result) {
    return result["host"]["write"]["latency_us"]["mean"].get<double>();
}

// The hash unit reads 4 KiB from DRAM: DDR3-1600 x16 delivers 3.2 GB/s, 1.28 us, after at most tRP + tRCD +
// CL = 41.25 ns. In study_c, firmware takes no cycles except for its accesses to tables, which are at most
// three bursts in a row.
constexpr double kLeastRead = 1.28;
constexpr double kMostRead = 1.28 + 0.042 + 3 * 0.1;

TEST(DedupTiming, AUniquePageTakesItsHashLonger) {
    const std::vector<std::string> systems{"none", "offline", "online", "offline_separated", "offline_crc32"};
    const std::vector<double> hashes{0.0, 0.0, 100.0, 13.0, 13.0};
    const std::vector<Json> results = write_each(systems, false);
    const double plain = mean_us(results.at(0));
    EXPECT_NEAR(mean_us(results.at(1)), plain, 0.001) << "offline";
    for (std::size_t i = 2; i < systems.size(); ++i) {
        EXPECT_GE(mean_us(results.at(i)) - plain, hashes[i] + kLeastRead) << systems[i];
        EXPECT_LE(mean_us(results.at(i)) - plain, hashes[i] + kMostRead) << systems[i];
    }
}

// Preset agrawal: a byte takes 25 ns on the bus, a program 200 us in the array.
TEST(DedupTiming, ADuplicateIsSparedTheProgram) {
    const std::vector<Json> results = write_each({"none", "online"}, true);
    const Json& plain = results.at(0);
    const Json& online = results.at(1);
    EXPECT_EQ(online["dedup"]["duplicates"], kWrites - 1);
    EXPECT_EQ(online["nand"]["by_cause"]["host"]["programs"], 1);
    const double program = 200.0 + 4096 * 0.025;
    const double spared = mean_us(plain) - (mean_us(online) - 100.0);
    const double share = static_cast<double>(kWrites - 1) / static_cast<double>(kWrites);
    // The program's commands, addresses and status on the bus, less the hash unit's read: a few microseconds.
    EXPECT_NEAR(spared, share * program, 4.0);
}

}  // namespace
}  // namespace solidtlm::testbench
