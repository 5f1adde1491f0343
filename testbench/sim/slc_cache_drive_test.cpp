// SPDX-License-Identifier: Apache-2.0
//
// The speed of a drive with an SLC cache against closed forms: one die, whose bus takes 102.4 us per page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench::slc_cache {
namespace {

constexpr double kPageBytes = 4096.0;
constexpr double kCommandUs = 7 * 0.025;  // command and address cycles; the prefix DAh is extra
constexpr double kBusUs = 102.4 + kCommandUs;
constexpr double kSlcReadUs = 20.0;
constexpr double kSlcProgramUs = 100.0;
constexpr double kProgramUs = 300.0;  // mean of the three pages of a word line
constexpr double kWordLine = 3.0;     // pages
constexpr double kWordLineUs = 900.0;
constexpr double kEraseUs = 1500.0;
constexpr double kSlcPages = 22.0;
constexpr double kCacheBytes = 100 * kSlcPages * kPageBytes;
constexpr double kTolerance = 0.005;

platform::Configuration drive(const std::vector<std::string>& settings) {
    std::vector<std::string> all{"nand.geometry.channels=1",
                                 "nand.geometry.dies=1",
                                 "nand.geometry.dies_per_way=1",
                                 "nand.geometry.planes=1",
                                 "nand.geometry.pages=66",
                                 "nand.cell=tlc",
                                 "nand.timing.program=200us,300us,400us",
                                 "nand.slc.read=20us",
                                 "nand.slc.program=100us",
                                 "firmware.slc_cache.mode=static",
                                 fmt::format("firmware.slc_cache.size={:.0f}", kCacheBytes),
                                 "firmware.write_buffer.policy=write_back",
                                 "firmware.write_buffer.size=256KiB",
                                 "firmware.gc.background_threshold=3",
                                 "content=none"};
    all.insert(all.end(), settings.begin(), settings.end());
    return preset("agrawal", all);
}

/// Runs in a process of its own.
Json run_apart(const platform::Configuration& configuration, const std::string& workload) {
    const auto run = [&] {
        const auto source = make_workload(parse_workload(workload, configuration.firmware.exported_sectors));
        return simulate(run_of(configuration), *source, ClosedLoop(32));
    };
    const std::vector<PointOutcome> points =
        run_points(std::vector<PointJob>{{workload, run}}, PointPool{1, true});
    EXPECT_EQ(points.front().outcome.faults, std::vector<std::string>());
    return points.front().outcome.result;
}

double counted(const Json& result, const char* name) {
    return result["firmware"][name];
}

/// What was written. Data that is still in the write buffer at the end does not count.
struct Written {
    double units;
    double us_per_page;
    double programs_per_page;
    Json result;
};

/// Writes an empty drive page by page, or in requests of `sizes`.
Written write(const platform::Configuration& configuration, double bytes, const std::string& sizes = "4k") {
    Written written;
    written.result =
        run_apart(configuration, fmt::format("sequential,read=0,size={},bytes={:.0f}", sizes, bytes));
    written.units = counted(written.result, "ftl.written_units");
    const double sent = written.result["host"]["write"]["bytes"].get<double>() / kPageBytes;
    const double of_host = sent / written.units;
    EXPECT_NEAR(sent - written.units, 64.0, kWordLine) << "256 KiB";
    written.us_per_page = kPageBytes / written.result["host"]["write"]["mb_per_s"].get<double>() * of_host;
    written.programs_per_page = written.result["write_amplification"].get<double>() * of_host;
    return written;
}

class SlcCacheDriveIn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Modes, SlcCacheDriveIn, testing::Values("static", "dynamic"));

// Writes run at the speed of SLC mode until the cache is full, then at the mean speed of a word line's pages.
TEST_P(SlcCacheDriveIn, WritesFastUntilItsCacheIsFull) {
    const platform::Configuration configuration = drive(
        {"firmware.slc_cache.fold_when_idle=false", "firmware.slc_cache.mode=" + std::string(GetParam())});
    const double fast = kBusUs + kSlcProgramUs;
    const double slow = kBusUs + kProgramUs;
    for (const double share : {0.5, 1.0}) {
        const Written written = write(configuration, share * kCacheBytes);
        EXPECT_NEAR(written.us_per_page, fast, fast * kTolerance) << share;
        EXPECT_EQ(counted(written.result, "slc_cache.bypassed_units"), 0.0);
    }
    for (const double times : {2.0, 5.0}) {
        const Written written = write(configuration, times * kCacheBytes);
        const double cached = kCacheBytes / kPageBytes;
        const double expected = (cached * fast + (written.units - cached) * slow) / written.units;
        EXPECT_NEAR(written.us_per_page, expected, expected * kTolerance) << times;
        EXPECT_EQ(counted(written.result, "slc_cache.written_units") * kPageBytes, kCacheBytes);
        EXPECT_DOUBLE_EQ(written.programs_per_page, 1.0);
    }
}

/// 16 requests of a page for each one of 16 pages, which goes past the cache.
constexpr const char* kShortAndLong = "4k:16/64k:1";

// Short writes run at the speed of SLC mode and long ones at that of normal mode, in any order, and all are
// programmed once. The cache has room for more.
TEST_P(SlcCacheDriveIn, WritesWhatIsLongPastItsCache) {
    const platform::Configuration configuration =
        drive({"firmware.slc_cache.fold_when_idle=false", "firmware.slc_cache.largest_write=4KiB",
               "firmware.slc_cache.mode=" + std::string(GetParam())});
    const Written written = write(configuration, 1.6 * kCacheBytes, kShortAndLong);
    const double of_short = counted(written.result, "slc_cache.written_units");
    const double of_long = counted(written.result, "slc_cache.long_units");
    EXPECT_GT(of_short, 0.3 * written.units);
    EXPECT_GT(of_long, 0.3 * written.units);
    EXPECT_EQ(counted(written.result, "slc_cache.bypassed_units"), of_long);
    const double expected =
        (of_short * (kBusUs + kSlcProgramUs) + of_long * (kBusUs + kProgramUs)) / written.units;
    EXPECT_NEAR(written.us_per_page, expected, expected * kTolerance);
    EXPECT_DOUBLE_EQ(written.programs_per_page, 1.0);
}

// The cache takes a hundredth of the free superblocks, less those that are kept free: it ends there, far
// below `size`.
TEST(SlcCacheDrive, TakesItsShareOfFreeSuperblocks) {
    const platform::Configuration configuration =
        drive({"firmware.slc_cache.fold_when_idle=false", "firmware.slc_cache.mode=dynamic",
               "firmware.slc_cache.size=1GiB", "firmware.slc_cache.share=0.01"});
    const std::uint32_t kept = configuration.firmware.gc.foreground_threshold;
    const std::uint32_t superblocks = (configuration.firmware.flash.blocks - kept) / 100;
    ASSERT_GT(superblocks, 10U);
    const Written written = write(configuration, 3.0 * superblocks * kSlcPages * kPageBytes);
    EXPECT_EQ(counted(written.result, "slc_cache.written_units"), superblocks * kSlcPages);
    EXPECT_DOUBLE_EQ(written.programs_per_page, 1.0);
}

// Each page is programmed in SLC mode, read and programmed again, and every 22 pages need an erase; the die
// does one thing after the other. A copy inside the die reads the page's metadata first, and then takes only
// command and address cycles of the bus.
class FoldingDrive : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(CopyBack, FoldingDrive, testing::Bool());

TEST_P(FoldingDrive, TakesTheTimeOfEveryStepWhereTheHostWaitsForIt) {
    const bool copy_back = GetParam();
    const platform::Configuration configuration =
        drive({"firmware.slc_cache.full=fold", "firmware.slc_cache.fold_when_idle=false",
               fmt::format("firmware.slc_cache.copy_back={}", copy_back)});
    const Written written = write(configuration, 20 * kCacheBytes);
    const double folded = counted(written.result, "slc_cache.folded_units");
    const double page = kBusUs + kSlcProgramUs;
    const double moved = copy_back
                             ? kCommandUs + kSlcReadUs + kCommandUs + kSlcReadUs + kCommandUs + kProgramUs
                             : kBusUs + kSlcReadUs + kBusUs + kProgramUs;
    const double folding = moved + kEraseUs / kSlcPages;
    const double expected = page + folding * folded / written.units;
    EXPECT_NEAR(written.us_per_page, expected, expected * kTolerance);
    EXPECT_EQ(counted(written.result, "slc_cache.bypassed_units"), 0.0);
    EXPECT_GE(folded, written.units - kCacheBytes / kPageBytes);
    EXPECT_EQ(counted(written.result, "gc.moved_units"), folded);
    EXPECT_EQ(counted(written.result, "gc.copied_back_superpages"), copy_back ? folded : 0.0);
    EXPECT_DOUBLE_EQ(written.programs_per_page, 1.0 + folded / written.units)
        << "once through the cache: 1 + 1";
    EXPECT_GT(folded / written.units, 0.95);
}

// As above, of short writes; long ones neither wait for folding nor are they folded.
TEST_P(FoldingDrive, ProgramsLongWritesOnceAndShortOnesTwice) {
    const bool copy_back = GetParam();
    const platform::Configuration configuration = drive(
        {"firmware.slc_cache.full=fold", "firmware.slc_cache.fold_when_idle=false",
         "firmware.slc_cache.largest_write=4KiB", fmt::format("firmware.slc_cache.copy_back={}", copy_back)});
    const Written written = write(configuration, 20 * kCacheBytes, kShortAndLong);
    const double of_short = counted(written.result, "slc_cache.written_units");
    const double of_long = counted(written.result, "slc_cache.long_units");
    const double folded = counted(written.result, "slc_cache.folded_units");
    EXPECT_EQ(of_short + of_long, written.units);
    EXPECT_GT(of_long, 0.4 * written.units);
    EXPECT_GE(folded, of_short - kCacheBytes / kPageBytes);
    EXPECT_DOUBLE_EQ(written.programs_per_page, 1.0 + folded / written.units);
    const double moved = copy_back
                             ? kCommandUs + kSlcReadUs + kCommandUs + kSlcReadUs + kCommandUs + kProgramUs
                             : kBusUs + kSlcReadUs + kBusUs + kProgramUs;
    const double expected = (of_short * (kBusUs + kSlcProgramUs) + of_long * (kBusUs + kProgramUs) +
                             folded * (moved + kEraseUs / kSlcPages)) /
                            written.units;
    EXPECT_NEAR(written.us_per_page, expected, expected * kTolerance);
}

// A TLC word line is programmed at once, in 900 us after its three pages have crossed the bus. The cache is
// filled page by page, so before it is full nothing differs; past it, each page takes a third of its word
// line.
TEST_P(SlcCacheDriveIn, WritesWordLinesPastItsCache) {
    const platform::Configuration configuration = drive(
        {"firmware.slc_cache.fold_when_idle=false", "firmware.slc_cache.mode=" + std::string(GetParam()),
         "nand.programming=one_shot", fmt::format("nand.timing.program={}us", kWordLineUs)});
    const double fast = kBusUs + kSlcProgramUs;
    const double slow = kBusUs + kWordLineUs / kWordLine;
    const Written full = write(configuration, kCacheBytes);
    EXPECT_NEAR(full.us_per_page, fast, fast * kTolerance);
    EXPECT_EQ(counted(full.result, "slc_cache.bypassed_units"), 0.0);
    const Written past = write(configuration, 3 * kCacheBytes);
    const double cached = kCacheBytes / kPageBytes;
    const double expected = (cached * fast + (past.units - cached) * slow) / past.units;
    EXPECT_NEAR(past.us_per_page, expected, expected * kTolerance);
    EXPECT_EQ(counted(past.result, "slc_cache.written_units"), cached);
    EXPECT_EQ(counted(past.result, "ftl.padded_units"), 0.0);
    EXPECT_DOUBLE_EQ(past.programs_per_page, 1.0);
}

// Three pages are programmed in SLC mode and read one after the other, and programmed again at once.
// Everything goes through the cache once, so it is programmed 1 + 1 times.
TEST(SlcCacheDrive, TakesTheTimeOfEveryStepOfFoldingToWordLines) {
    const platform::Configuration configuration =
        drive({"firmware.slc_cache.full=fold", "firmware.slc_cache.fold_when_idle=false",
               "nand.programming=one_shot", fmt::format("nand.timing.program={}us", kWordLineUs)});
    const Written written = write(configuration, 20 * kCacheBytes);
    const double folded = counted(written.result, "slc_cache.folded_units");
    const double page = kBusUs + kSlcProgramUs;
    const double folding = kBusUs + kSlcReadUs + kBusUs + kWordLineUs / kWordLine + kEraseUs / kSlcPages;
    const double expected = page + folding * folded / written.units;
    EXPECT_NEAR(written.us_per_page, expected, expected * kTolerance);
    EXPECT_EQ(counted(written.result, "slc_cache.bypassed_units"), 0.0);
    EXPECT_EQ(counted(written.result, "gc.moved_units"), folded);
    EXPECT_EQ(counted(written.result, "gc.padded_units"), 0.0);
    EXPECT_DOUBLE_EQ(written.programs_per_page, 1.0 + folded / written.units);
    EXPECT_GT(folded / written.units, 0.95);
}

}  // namespace
}  // namespace solidtlm::testbench::slc_cache
