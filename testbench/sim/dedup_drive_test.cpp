// SPDX-License-Identifier: Apache-2.0
//
// The whole drive with deduplication: the result's counters agree with the host's writes and with the hash
// unit, also over power cuts and after ageing.
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

using Pointer = Json::json_pointer;

/// Writes of 4 KiB, with pauses; four in ten repeat earlier contents.
constexpr const char* kLoad = "random,read=0.2,size=4KiB,duplicates=0.4,count=3000,rate=2000";

std::uint64_t count(const Json& section, const char* where) {
    return section.at(Pointer(where)).get<std::uint64_t>();
}

SimulationOutcome run(const std::string& system, const std::string& load,
                      const std::function<void(RunSpec&)>& change = {}) {
    RunSpec settings;
    settings.configuration =
        preset("tiny", {"dram.size=32MiB", "ssd.over_provisioning=0.5", "firmware.dedup.system=" + system,
                        "firmware.write_buffer.policy=write_through", "firmware.idle_threshold=50us"});
    if (change) {
        change(settings);
    }
    const auto source = make_workload(parse_workload(load, settings.configuration.firmware.exported_sectors));
    SimulationOutcome outcome = simulate(settings, *source, OpenLoop());
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    return outcome;
}

/// Compares steps that were begun with steps that had ended when the run stopped: at most one was under way.
void expect_near(std::uint64_t begun, std::uint64_t ended) {
    EXPECT_LE(begun > ended ? begun - ended : ended - begun, 1U) << begun << " and " << ended;
}

class DedupDrive : public ::testing::TestWithParam<const char*> {};

TEST_P(DedupDrive, TheResultAgreesWithTheHostAndTheHashUnit) {
    const std::string system = GetParam();
    const Json result = run(system, kLoad).result;
    const Json& dedup = result.at("dedup");
    EXPECT_EQ(dedup.at("system"), system);
    EXPECT_EQ(result.at(Pointer("/verify/mismatches")), 0);
    const std::uint64_t written = count(result, "/host/write/count");
    const bool by_crc = system == "offline_separated" || system == "offline_crc32";
    const auto expect_about = [](std::uint64_t hashed, std::uint64_t pages) {
        EXPECT_GE(hashed, pages);
        EXPECT_LE(hashed, pages + pages / 100) << "some waited for an equal one and were hashed again";
    };
    expect_about(count(dedup, "/crcs"), by_crc ? written : 0);
    if (system == "online") {
        expect_about(count(dedup, "/fingerprints"), written);
        EXPECT_EQ(count(dedup, "/idle_periods"), 0U);
    } else {
        EXPECT_GT(count(dedup, "/idle_periods"), 0U);
        EXPECT_GT(count(dedup, "/checked"), 0U);
    }
    expect_near(count(dedup, "/crcs"), count(dedup, "/hash_unit/crc32_jobs"));
    expect_near(count(dedup, "/fingerprints"), count(dedup, "/hash_unit/md5_jobs"));
    const double least = 13.0 * static_cast<double>(count(dedup, "/crcs")) +
                         100.0 * static_cast<double>(count(dedup, "/fingerprints"));
    const Json& time = dedup.at("time_us");
    EXPECT_GE(time.at("crc").get<double>() + time.at("fingerprint").get<double>(), least);
    EXPECT_GE(dedup.at(Pointer("/hash_unit/busy_us")).get<double>(), least);
    EXPECT_GT(count(dedup, "/duplicates"), 0U);
    EXPECT_EQ(count(dedup, "/saved_pages"), count(dedup, "/references") - count(dedup, "/shared_pages"));
}

TEST_P(DedupDrive, TheCurvesAddUpToTheCounters) {
    const Json result = run(GetParam(), kLoad).result;
    const Json& series = result.at(Pointer("/series/dedup"));
    const auto sum = [&series](const char* name) {
        std::uint64_t total = 0;
        for (const Json& value : series.at(name)) {
            total += value.get<std::uint64_t>();
        }
        return total;
    };
    EXPECT_EQ(series.at("waiting").size() + 1, result.at(Pointer("/series/time_us")).size());
    EXPECT_EQ(sum("duplicates"), count(result, "/dedup/duplicates"));
    EXPECT_EQ(sum("checked"), count(result, "/dedup/checked"));
    EXPECT_EQ(series.at("saved_pages").back(), result.at(Pointer("/dedup/saved_pages")));
}

TEST_P(DedupDrive, CountersAddUpOverPowerCuts) {
    const std::string system = GetParam();
    const Json result = run(system, kLoad, [](RunSpec& settings) {
                            using namespace std::chrono_literals;
                            settings.configuration.firmware.dedup.protection =
                                settings.configuration.firmware.dedup.online() ? fw::DedupProtection::journal
                                                                               : fw::DedupProtection::none;
                            settings.power_cuts.at = {Ps{400ms}, Ps{800ms}};
                        }).result;
    EXPECT_EQ(count(result, "/power/cuts"), 2U);
    const std::uint64_t written = count(result, "/host/write/count");
    const Json& dedup = result.at("dedup");
    if (system != "offline") {
        const std::uint64_t hashed =
            count(dedup, "/crcs") + (system == "online" ? count(dedup, "/fingerprints") : 0);
        EXPECT_GE(hashed, written) << "summed over all boots";
    } else {
        EXPECT_GT(count(dedup, "/checked"), written / 2) << "summed over all boots";
    }
}

TEST_P(DedupDrive, IdleWorkIsDoneWhenTheDriveHasBeenAged) {
    const std::string system = GetParam();
    const Json result = run(system, "random,read=1,size=4KiB,count=50", [](RunSpec& settings) {
                            settings.precondition = parse_preconditioning("fill=1,random=0.5");
                        }).result;
    const Json& dedup = result.at("dedup");
    EXPECT_EQ(count(dedup, "/waiting"), 0U);
    for (const char* counter : {"/crcs", "/fingerprints", "/checked", "/duplicates", "/idle_periods"}) {
        EXPECT_EQ(count(dedup, counter), 0U) << counter << ": the ageing's are not the run's";
    }
    EXPECT_GT(count(dedup, "/table_entries"), 0U) << "blocks written by ageing are known";
}

/// Real collisions: pairs of different pages with the same CRC-32 (testbench/sim/load/crc_collisions.h).
class CrcCollisions : public ::testing::TestWithParam<const char*> {};

TEST_P(CrcCollisions, AreComparedAndNotMerged) {
    const Json result =
        run("offline_crc32", "random,read=0.3,size=4KiB,duplicates=0.2,collisions=0.3,count=3000,rate=2000",
            [](RunSpec& settings) {
                settings.configuration =
                    preset("tiny", {"dram.size=32MiB", "ssd.over_provisioning=0.5",
                                    "firmware.dedup.system=offline_crc32", "firmware.idle_threshold=50us",
                                    std::string("content=") + GetParam()});
            })
            .result;
    EXPECT_GT(count(result, "/dedup/collisions"), 0U);
    EXPECT_GT(count(result, "/dedup/duplicates"), 0U);
    EXPECT_GT(count(result, "/verify/reads_checked"), 0U);
    EXPECT_EQ(count(result, "/verify/mismatches"), 0U);
}

INSTANTIATE_TEST_SUITE_P(Contents, CrcCollisions, ::testing::Values("tags", "bytes"),
                         [](const auto& content) { return std::string(content.param); });

INSTANTIATE_TEST_SUITE_P(Systems, DedupDrive,
                         ::testing::Values("online", "offline", "offline_separated", "offline_crc32"),
                         [](const auto& system) { return std::string(system.param); });

/// A page that is rewritten with its present contents stays valid in a superblock that collection has passed.
TEST(OnlineDedup, HasSpaceForEverWhereHotPagesAreRepeated) {
    const Json result =
        run("online", "zipf,read=0,size=4KiB,duplicates=0.5,count=60000,theta=1.1", [](RunSpec& settings) {
            settings.configuration =
                preset("tiny", {"dram.size=32MiB", "nand.geometry.channels=1", "nand.geometry.dies=1",
                                "nand.geometry.planes=1", "nand.geometry.blocks=43", "nand.geometry.pages=64",
                                "nand.geometry.page_size=4096", "ssd.over_provisioning=0.25",
                                "firmware.dedup.system=online", "firmware.dedup.table_size=4KiB",
                                "firmware.write_buffer.policy=write_through", "content=tags"});
        }).result;
    EXPECT_EQ(count(result, "/host/failed"), 0U);
    EXPECT_GT(count(result, "/firmware/gc.victims"), 0U);
    EXPECT_EQ(count(result, "/verify/mismatches"), 0U);
}

TEST(NoDedup, ResultsDoNotMentionIt) {
    const SimulationOutcome outcome = run("none", kLoad);
    EXPECT_FALSE(outcome.result.contains("dedup"));
    EXPECT_FALSE(outcome.result.at("series").contains("dedup"));
}

}  // namespace
}  // namespace solidtlm::testbench
