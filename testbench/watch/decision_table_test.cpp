// SPDX-License-Identifier: Apache-2.0
//
// Decisions of small drives, worked out by hand, and agreement with the counters of a result.
#include "testbench/watch/decision_table.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>

#include "fw/testing/files.h"
#include "testbench/watch/record_test_support.h"

namespace solidtlm::testbench {
namespace {

/// The lines of a run without their times, which are checked to be ascending.
std::vector<std::string> decisions_of(const platform::Configuration& configuration,
                                      std::vector<Request> requests) {
    const RecordFolder folder;
    RecorderSettings record;
    record.decisions = folder / "d.csv";
    ListedSource source(std::move(requests));
    run_recorded(configuration, source, record, 1);
    std::istringstream text(read_file(record.decisions));
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, "at_ps,decision,why,area,unit,block,page,count,erases,free");
    std::vector<std::string> lines;
    std::int64_t last = 0;
    while (std::getline(text, line)) {
        const std::size_t comma = line.find(',');
        const std::int64_t at = std::stoll(line.substr(0, comma));
        EXPECT_GE(at, last);
        last = at;
        lines.push_back(line.substr(comma + 1));
    }
    return lines;
}

/// One die with 16 superblocks of 16 superpages of 4 units.
platform::Configuration one_die(std::vector<std::string> settings = {}) {
    settings.insert(settings.end(), {"nand.geometry.channels=1", "nand.geometry.dies=1"});
    return preset("tiny", std::move(settings));
}

constexpr std::uint64_t kUnit = 8;  // sectors
constexpr std::uint64_t kSuperpage = 4 * kUnit;
constexpr std::uint64_t kSuperblock = 16 * kSuperpage;

using Lines = std::vector<std::string>;

TEST(DecisionTable, FieldsThatDoNotApplyAreEmpty) {
    const RecordFolder folder;
    DecisionTable table(folder / "d.csv");
    table.decided({.deed = hal::Deed::ready, .reason = hal::Reason::power_on, .at = Ps{7}});
    table.decided({hal::Deed::collect, hal::Reason::wear, hal::Area::map, Ps{8}, 1, 2, 3, 4, 5, 0});
    table.finish();
    EXPECT_EQ(read_file(folder / "d.csv"),
              "at_ps,decision,why,area,unit,block,page,count,erases,free\n"
              "7,ready,power_on,data,,,,,,\n8,collect,wear,map,1,2,3,4,5,0\n");
}

TEST(DecisionTable, DestagesFullSuperpagesAndDataThatAFlushWaitsFor) {
    EXPECT_EQ(decisions_of(one_die(), {request_of(Operation::write, 0, 2 * kSuperpage),
                                       request_of(Operation::write, 2 * kSuperpage, kUnit),
                                       request_of(Operation::flush, 0, 0),
                                       request_of(Operation::write, 5 * kSuperpage, kUnit)}),
              (Lines{"destage,full,data,0,0,0,4,0,15", "destage,full,data,0,0,1,4,0,15",
                     "destage,flush,data,0,0,2,1,0,15"}))
        << "the last data stays in the buffer";
}

/// The host writes the same superblock again and again. When the 14th superblock is opened, two are free, one
/// fewer than firmware.gc.background_threshold; the first superblock holds no valid data.
TEST(DecisionTable, CollectsWhenFreeSuperblocksAreShort) {
    std::vector<Request> requests;
    Lines expected;
    for (std::uint64_t superblock = 0; superblock < 14; ++superblock) {
        for (std::uint64_t page = 0; page < 16; ++page) {
            requests.push_back(request_of(Operation::write, page * kSuperpage, kSuperpage));
            expected.push_back("destage,full,data,0," + std::to_string(superblock) + "," +
                               std::to_string(page) + ",4,0," + std::to_string(15 - superblock));
        }
    }
    requests.push_back(request_of(Operation::flush, 0, 0));
    Lines found = decisions_of(one_die(), requests);
    const auto collects = [](const std::string& line) { return !line.starts_with("destage"); };
    Lines collected;
    std::ranges::copy_if(found, std::back_inserter(collected), collects);
    EXPECT_EQ(collected, (Lines{"collect,space,data,0,0,,0,0,2", "erase,emptied,data,0,0,,,0,2"}));
    const auto first = std::ranges::find_if(found, collects);
    EXPECT_GE(first - found.begin(), 13 * 16);
    std::erase_if(found, collects);
    for (std::size_t i = 0; i < expected.size() && i < found.size(); ++i) {
        if (i > 13 * 16 + 1) {  // the erase has ended, and the first superblock is free again
            expected[i].replace(expected[i].rfind(',') + 1, std::string::npos,
                                found[i].substr(found[i].rfind(',') + 1));
            EXPECT_TRUE(expected[i].ends_with(",2") || expected[i].ends_with(",3")) << i;
        }
    }
    EXPECT_EQ(found, expected);
}

/// Half of each victim's 64 units are still valid.
TEST(DecisionTable, ShowsTheValidUnitsOfAVictim) {
    std::vector<Request> requests;
    for (std::uint64_t superblock = 0; superblock < 9; ++superblock) {  // superblocks 0 to 8 hold all units
        requests.push_back(request_of(Operation::write, superblock * kSuperblock, kSuperblock));
    }
    // superblocks 9 to 13 hold half of them each
    for (std::uint64_t superblock = 0; superblock < 9; ++superblock) {
        requests.push_back(request_of(Operation::write, superblock * kSuperblock, kSuperblock / 2));
    }
    requests.push_back(request_of(Operation::flush, 0, 0));
    Lines found = decisions_of(one_die(), requests);
    std::erase_if(found, [](const std::string& line) { return line.starts_with("destage"); });
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front(), "collect,space,data,0,0,,32,0,2");
}

TEST(DecisionTable, WritesAPageOfTheJournalForATrimThatMustLast) {
    Request trim = request_of(Operation::trim, 0, 0);
    trim.ranges = {{Lba{0}, kSuperpage}};
    const Lines found =
        decisions_of(one_die({"firmware.trim.persist=immediate"}),
                     {request_of(Operation::write, 0, kSuperpage), request_of(Operation::flush, 0, 0), trim});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_TRUE(found.front().starts_with("destage,full,data,0,0,0,4,0,")) << found.front();
    EXPECT_EQ(found.back(), "journal,flush,log,,,,1,,") << "one record";
}

using Case = std::vector<std::string>;

class DecisionsOfADrive : public ::testing::TestWithParam<Case> {};

/// For a whole run: there are as many lines as the firmware has counted.
TEST_P(DecisionsOfADrive, AgreeWithTheCounters) {
    const RecordFolder folder;
    RecorderSettings record;
    record.decisions = folder / "d.csv.zst";
    const platform::Configuration configuration = preset("tiny", GetParam());
    RandomMix source(7, configuration.firmware.exported_sectors, RandomMix::Shares{});
    const Json result = run_recorded(configuration, source, record, 16);
    std::map<std::string, std::int64_t> lines;
    std::int64_t destaged = 0;
    for (const Row& row : rows_of(decompressed(read_file(record.decisions)))) {
        ++lines[row.at("decision") + " " + row.at("area")];
        destaged += row.at("decision") == "destage" ? number(row, "count") : 0;
    }
    const Json& firmware = result.at("firmware");
    const auto counted = [&firmware](const char* name) { return firmware.value(name, std::int64_t{0}); };
    // The firmware counts at the end of an activity, so up to one per unit may be under way when the run
    // ends.
    const auto expect_begun = [&](const char* decision, std::int64_t ended) {
        EXPECT_GE(lines[decision], ended);
        EXPECT_LE(lines[decision], ended + configuration.nand.geometry.total_dies()) << decision;
    };
    EXPECT_GE(destaged, counted("ftl.written_units"));
    EXPECT_GT(lines["destage data"], 0);
    EXPECT_EQ(lines["retire data"], counted("ftl.retired_superblocks"));
    EXPECT_EQ(lines["journal log"], counted("log.journal_pages"));
    EXPECT_EQ(lines["checkpoint log"], counted("log.checkpoints"));
    if (configuration.firmware.by_block()) {
        std::int64_t merges = counted("merge.failed");
        for (const Json& count : result.at("block_map").at("merges")) {
            merges += count.get<std::int64_t>();
        }
        EXPECT_EQ(lines["merge data"], merges);
        EXPECT_GT(merges, 0);
        expect_begun("erase data", result.at("block_map").at("erases").get<std::int64_t>());
    } else {
        EXPECT_EQ(lines["collect data"], counted("gc.victims"));
        expect_begun("erase data", counted("gc.erased_superblocks"));
        EXPECT_GT(lines["collect data"], 0);
    }
    if (result.contains("map_cache")) {
        expect_begun("erase map", result.at("map_cache").at("flash").at("erases").get<std::int64_t>());
        EXPECT_GE(lines["collect map"], lines["erase map"]);
        EXPECT_GT(lines["erase map"], 0);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Drives, DecisionsOfADrive,
    ::testing::Values(Case{},
                      Case{"firmware.trim.persist=immediate", "firmware.recovery.checkpoint_interval=4MiB"},
                      Case{"firmware.map_cache.policy=dftl", "firmware.map_cache.size=2KiB"},
                      Case{"firmware.translation=fast"}, Case{"firmware.translation=bast"},
                      Case{"faults.program_failure=0.0005", "faults.erase_failure=0.002"}),
    [](const auto& of) {
        std::string name =
            of.param.empty() ? "default" : of.param.front().substr(0, of.param.front().find('='));
        std::ranges::replace(name, '.', '_');
        return name + std::to_string(of.index);
    });

}  // namespace
}  // namespace solidtlm::testbench
