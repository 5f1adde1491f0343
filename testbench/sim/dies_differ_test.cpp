// SPDX-License-Identifier: Apache-2.0
//
// Drives whose dies differ (nand.geometry.die_blocks).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "fw/needs.h"
#include "testbench/sim/age/preconditioning.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

/// A full drive that is overwritten, in a process of its own.
Json overwrite(const std::vector<std::string>& settings, Ps cut_every = Ps{0}) {
    const auto run = [&] {
        RunSpec spec = run_of(preset("tiny", settings), 8);
        spec.precondition = parse_preconditioning("fill=1,random=1");
        spec.power_cuts.every = cut_every;
        const auto source =
            make_workload(parse_workload("random,read=0.4,size=4k:2/16k:1,trim=0.02,flush=100,count=4000",
                                         spec.configuration.firmware.exported_sectors));
        RunHooks hooks;
        hooks.check_protocol = true;
        return simulate(spec, *source, ClosedLoop(8), hooks);
    };
    const std::vector<PointOutcome> points =
        run_points(std::vector<PointJob>{{"overwrite", run}}, PointPool{1, true});
    EXPECT_EQ(points.front().outcome.faults, std::vector<std::string>());
    return points.front().outcome.result;
}

// A number without a die costs nothing: not a picosecond, not a joule, not a block.
TEST(DiesThatDiffer, ADieThatIsAbsentLeavesTheDriveThatItWouldBeWithoutItsNumber) {
    for (const std::string& order : {std::string("PCWD"), std::string("CWDP")}) {
        const std::vector<std::string> common{"nand.geometry.channels=2", "nand.geometry.dies_per_way=1",
                                              "firmware.allocation.order=" + order};
        std::vector<std::string> without = common;
        without.emplace_back("nand.geometry.dies=1");
        std::vector<std::string> absent = common;
        absent.insert(absent.end(), {"nand.geometry.dies=3", "nand.geometry.die_blocks=0,16,0"});
        const Json a = overwrite(without);
        const Json b = overwrite(absent);
        for (const char* part : {"host", "nand", "firmware", "ledger", "energy", "utilization", "verify"}) {
            ASSERT_TRUE(a.contains(part)) << part;
            const Json differences = Json::diff(a[part], b[part]);
            EXPECT_TRUE(differences.empty()) << order << " " << part << ": " << differences;
        }
        EXPECT_EQ(a["config"]["derived"], b["config"]["derived"]);
    }
}

// Two channels: 16 + 8 and 0 + 12 blocks per plane, of 16 pages of 8 KiB on 2 planes. Each parallel unit
// keeps 3 superblocks; the rest may be exported.
TEST(DiesThatDiffer, ExportTheSumOfWhatTheyHaveAndServeIt) {
    const std::vector<std::string> settings{"nand.geometry.channels=2", "nand.geometry.dies=2",
                                            "nand.geometry.die_blocks=16, 8, 0, 12", "nand.geometry.pages=16",
                                            "ssd.over_provisioning=0.25"};
    const platform::Configuration configuration = preset("tiny", settings);
    const std::uint64_t superblock = 2ULL * 16 * 8192;
    EXPECT_EQ(configuration.raw_bytes(), (16 + 8 + 12) * superblock);
    EXPECT_EQ(configuration.nand.geometry.total_dies(), 3U);
    EXPECT_EQ(fw::max_exported_units(configuration.firmware) * 4096, (13 + 5 + 9) * superblock);
    EXPECT_EQ(configuration.exported_bytes(), (13 + 5 + 9) * superblock) << "all of it: 27 of 36";
    for (const Ps cut_every : {Ps{0}, Ps{std::chrono::milliseconds(30)}}) {
        const Json result = overwrite(settings, cut_every);
        EXPECT_EQ(result["verify"]["mismatches"], 0);
        EXPECT_EQ(result["utilization"]["dies"].size(), 3U);
        EXPECT_GT(result["firmware"]["gc.victims"], 50);
    }
}

TEST(DiesThatDiffer, WorkWithFactoryBadBlocksAMapOnFlashAndARecoveryLog) {
    const Json result =
        overwrite({"nand.geometry.channels=2", "nand.geometry.dies=2", "nand.geometry.blocks=32",
                   "nand.geometry.die_blocks=32, 24, 0, 20", "ssd.over_provisioning=0.6",
                   "nand.bad_blocks.factory_fraction=0.05", "firmware.map_cache.policy=dftl",
                   "firmware.map_cache.size=4KiB", "firmware.trim.persist=journal"},
                  std::chrono::milliseconds(30));
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    EXPECT_GT(result["map_cache"]["misses"], 100);
}

}  // namespace
}  // namespace solidtlm::testbench
