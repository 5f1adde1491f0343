// SPDX-License-Identifier: Apache-2.0
//
// Cached aged drives: a run that takes a drive from the cache gives the same result as the run that aged it.
#include "testbench/sim/save/age_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fw/testing/files.h"
#include "platform/configuration_keys.h"
#include "platform/plausible_value.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

class AgeCache : public ::testing::Test {
  protected:
    /// A run on an aged drive; returns its result without wall times.
    [[nodiscard]] std::string run(const std::vector<std::string>& keys, const std::string& spec) const {
        const PointJob job{"aged", [=, this] {
                               RunSpec settings = run_of(preset("tiny", keys));
                               settings.precondition = parse_preconditioning(spec);
                               settings.precondition->cache = folder_.path();
                               settings.precondition->cache_bytes = limit_;
                               RandomMix::Shares shares;
                               shares.requests = 300;
                               shares.fill = false;
                               RandomMix source(7, settings.configuration.firmware.exported_sectors, shares);
                               return simulate(settings, source, ClosedLoop(8));
                           }};
        const std::vector<PointOutcome> outcomes = run_points(std::vector{job}, PointPool{1, true});
        EXPECT_EQ(outcomes[0].outcome.faults, std::vector<std::string>{});
        EXPECT_GT(outcomes[0].outcome.result["verify"]["reads_checked"], 0);
        return without_wall_times(outcomes[0].outcome.result).dump();
    }
    [[nodiscard]] std::vector<fs::path> drives() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            if (entry.path().extension() == ".drive") {
                found.push_back(entry.path());
            }
        }
        return found;
    }

    TemporaryFolder folder_;
    std::uint64_t limit_ = kDefaultCacheBytes;
};

// Settings that no pair of options in firmware_state_test.cpp has.
TEST_F(AgeCache, ACachedDriveEqualsTheAgedOne) {
    const std::vector<std::vector<std::string>> all{
        {},
        {"nand.geometry.dies=4", "firmware.reliability.parity_dies=2", "firmware.allocation.order=PCWD",
         "ssd.over_provisioning=0.6", "content=bytes"},
        {"faults.bit_errors=true", "faults.cycles=500", "faults.age=30d", "nand.ecc.retries=4",
         "firmware.reliability.reclaim_bits=20", "firmware.reliability.patrol=1ms"},
        {"faults.program_failure=0.001", "faults.erase_failure=0.001", "nand.geometry.blocks=32"},
        {"firmware.recovery.checkpoint_interval=512KiB", "firmware.trim.persist=immediate"},
    };
    std::size_t kept = 0;
    for (const std::vector<std::string>& keys : all) {
        const bool trims = keys.size() > 1 && keys[1].starts_with("firmware.trim");
        const std::string spec = trims ? "random=1,trim=0.1" : "random=1";
        const std::string first = run(keys, spec);
        EXPECT_EQ(drives().size(), ++kept) << ::testing::PrintToString(keys);
        EXPECT_TRUE(run(keys, spec) == first) << ::testing::PrintToString(keys);
        EXPECT_EQ(drives().size(), kept) << ::testing::PrintToString(keys);
    }
}

TEST_F(AgeCache, DistinguishesDrivesThatAgeDifferently) {
    (void)run({}, "random=1");
    (void)run({"nand.timing.read=40us", "sata.turnaround_dwords=84", "dram.t_cas=20ns",
               "core.frequency_mhz=200", "nand.ecc.decode_latency=3us", "sata.model=Mine"},
              "random=1");
    EXPECT_EQ(drives().size(), 1U) << "ageing takes no simulated time";
    (void)run({}, "random=1,seed=5");
    (void)run({"seed=5"}, "random=1");
    (void)run({"firmware.gc.policy=fifo"}, "random=1");
    EXPECT_EQ(drives().size(), 4U);
    (void)run({"firmware.map_cache.policy=bsb", "firmware.map_cache.size=32768"}, "random=1");
    (void)run({"firmware.map_cache.policy=bsb", "firmware.map_cache.size=32768", "nand.timing.read=40us"},
              "random=1");
    EXPECT_EQ(drives().size(), 6U) << "a policy that weighs flash times";
}

// Each key is set to another value: if the cache gives both drives the same name, they must be equal byte for
// byte.
TEST_F(AgeCache, DrivesWithOneNameAreEqual) {
    const auto aged = [](const std::vector<std::string>& keys) {
        const platform::Configuration configuration = preset("tiny", keys);
        TemporaryFolder folder;
        const PointJob job{"aged", [&] {
                               RunSpec settings = run_of(configuration);
                               settings.precondition = parse_preconditioning("random=1,trim=0.1");
                               settings.precondition->cache = folder.path();
                               RandomMix::Shares shares;
                               shares.requests = 1;
                               shares.fill = false;
                               RandomMix source(7, configuration.firmware.exported_sectors, shares);
                               return simulate(settings, source, ClosedLoop(1));
                           }};
        (void)run_points(std::vector{job}, PointPool{1, true});
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::directory_iterator(folder.path())) {
            files[entry.path().filename()] = read_file(entry.path());
        }
        return files;
    };
    const auto usual = aged({});
    ASSERT_EQ(usual.size(), 2U);
    const platform::Configuration tiny = preset("tiny", {});
    std::mt19937_64 random(1);
    std::map<std::string, std::size_t> same;  // by the first part of the key
    std::size_t others = 0;
    for (const platform::ConfigurationKey& key : platform::keys()) {
        if (!platform::can_draw(key)) {
            continue;
        }
        const std::string name(key.name);
        const std::string setting = name + "=" + platform::plausible_value(key, random);
        try {
            const platform::Configuration other = preset("tiny", {setting});
            if (other.raw_bytes() > 2 * tiny.raw_bytes() ||
                other.dram.size_bytes > 2 * tiny.dram.size_bytes) {
                continue;  // takes long, and gives another drive in any case
            }
        } catch (const platform::ConfigurationError&) {
            continue;  // not allowed with the other keys
        }
        const auto files = aged({setting});
        if (!files.empty() && files.begin()->first == usual.begin()->first) {
            ++same[name.substr(0, name.find('.'))];
            EXPECT_TRUE(files == usual) << setting;
        } else {
            ++others;
        }
    }
    for (const char* group : {"core", "dram", "energy", "firmware", "hash", "host", "nand", "sata"}) {
        EXPECT_GT(same[group], 0U) << group;
    }
    EXPECT_GT(others, 20U) << "keys that ageing sees";
}

TEST_F(AgeCache, TheLeastRecentlyUsedDriveIsRemoved) {
    (void)run({}, "random=1");
    std::uint64_t one = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
        one += entry.file_size();
    }
    const fs::path first = drives().at(0);
    (void)run({"seed=5"}, "random=1");
    const std::vector<fs::path> two = drives();
    ASSERT_EQ(two.size(), 2U);
    const fs::path second = two[0] == first ? two[1] : two[0];
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(first, now - std::chrono::hours(2));
    fs::last_write_time(second, now - std::chrono::hours(1));
    (void)run({}, "random=1");  // makes the first one the most recently used
    limit_ = one * 5 / 2;
    (void)run({"seed=6"}, "random=1");
    EXPECT_EQ(drives().size(), 2U);
    EXPECT_TRUE(fs::exists(first));
    EXPECT_FALSE(fs::exists(second));
    EXPECT_FALSE(fs::exists(fs::path(second).replace_extension(".json")));
    limit_ = 1;
    (void)run({"seed=7"}, "random=1");
    EXPECT_TRUE(fs::is_empty(folder_.path())) << "there is no room for a single drive";
}

TEST_F(AgeCache, AgesADamagedDriveAgain) {
    const std::string first = run({}, "random=1");
    const fs::path drive = drives().at(0);
    const std::string kept = read_file(drive);
    fs::resize_file(drive, kept.size() / 2);
    EXPECT_TRUE(run({}, "random=1") == first);
    EXPECT_TRUE(read_file(drive) == kept);
    fs::resize_file(fs::path(drive).replace_extension(".json"), 3);
    EXPECT_TRUE(run({}, "random=1") == first);
    std::ofstream(fs::path(drive).replace_extension(".json")) << "{}";
    EXPECT_TRUE(run({}, "random=1") == first);
}

}  // namespace
}  // namespace solidtlm::testbench
