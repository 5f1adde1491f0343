// SPDX-License-Identifier: Apache-2.0
//
// Throughput of the whole drive against closed forms.
#include <gtest/gtest.h>

#include "testbench/simulation/test_support.h"

namespace solidtlm::testbench {
namespace {

/// The part of Agrawal et al. 2008: 25 us to read a page of 4 KiB, 200 us to program it, 100 us on the bus.
constexpr double kPageBytes = 4096.0;
constexpr double kReadUs = 25.0;
constexpr double kProgramUs = 200.0;
constexpr double kBusUs = 100.0;
constexpr double kTolerance = 0.03;

platform::Configuration agrawal(int dies, const std::string& arbitration) {
    return preset("agrawal", {"nand.geometry.channels=1", "nand.geometry.dies=" + std::to_string(dies),
                              "nand.geometry.dies_per_way=1", "nand.geometry.planes=1",
                              "firmware.write_buffer.policy=write_back", "firmware.write_buffer.size=256KiB",
                              "firmware.gc.background_threshold=2", "content=none",
                              "nand.controller.arbitration=" + arbitration});
}

/// Writes 64 pages, which takes less than a hundredth of the time, and reads them over and over.
class FillThenRead : public RequestSource {
  public:
    bool next(Request& request) override {
        request.clear();
        if (made_ == 40'000) {
            return false;
        }
        request.operation = made_ < kFill    ? Operation::write
                            : made_ == kFill ? Operation::flush
                                             : Operation::read;
        request.lba = Lba{made_ % kFill * 8};
        request.sectors = made_ == kFill ? 0 : 8;
        ++made_;
        return true;
    }

  private:
    static constexpr std::uint64_t kFill = 64;
    std::uint64_t made_ = 0;
};

double read_mb_per_s(int dies, const std::string& arbitration = "fcfs") {
    const platform::Configuration configuration = agrawal(dies, arbitration);
    FillThenRead source;
    return run_closed(configuration, source, 32)["host"]["read"]["mb_per_s"];
}

double write_mb_per_s(int dies) {
    return run_workload(agrawal(dies, "fcfs"),
                        "sequential,read=0,size=4k,bytes=60MB")["host"]["write"]["mb_per_s"];
}

TEST(Agrawal, OneDieReadsAtArrayPlusBusTime) {
    const double expected = kPageBytes / (kReadUs + kBusUs);  // 32.8 MB/s
    EXPECT_NEAR(read_mb_per_s(1), expected, expected * kTolerance);
}

TEST(Agrawal, OneDieWritesAtBusPlusArrayTime) {
    const double expected = kPageBytes / (kBusUs + kProgramUs);  // 13.7 MB/s
    EXPECT_NEAR(write_mb_per_s(1), expected, expected * kTolerance);
}

TEST(Agrawal, TwoDiesOnOneBusWriteAtMostTwiceAsFast) {
    const double most = 2.0 * kPageBytes / (kBusUs + kProgramUs);  // 27.3 MB/s
    const double measured = write_mb_per_s(2);
    EXPECT_LE(measured, most);
    EXPECT_GE(measured, most * (1.0 - kTolerance));
}

TEST(Agrawal, TheBusBoundsManyDies) {
    const double bound = kPageBytes / kBusUs;  // 41.0 MB/s
    const double measured = read_mb_per_s(8, "read_first");
    EXPECT_LE(measured, bound);
    EXPECT_NEAR(measured, bound, bound * kTolerance);
}

// First come first served, the next read command of every die waits behind the data of all others, so that
// the bus idles for one tR a round.
TEST(Agrawal, FirstComeFirstServedLosesOneArrayTimeARound) {
    constexpr double kDies = 8.0;
    constexpr double kPhaseUs = (kPageBytes + 7.0) * 0.025;  // 5 address, 2 command cycles and the data
    const double expected = kDies * kPageBytes / (kDies * kPhaseUs + kReadUs);
    EXPECT_NEAR(read_mb_per_s(8), expected, expected * 0.005);
}

/// Never-written sectors need no flash: what is left is the link.
Json link_only(const std::string& generation, const std::string& spec, const std::string& turnaround = "95") {
    return run_workload(preset("default", {"sata.generation=" + generation, "content=none",
                                           "sata.turnaround_dwords=" + turnaround}),
                        spec);
}

TEST(Link, SequentialReadsAtSixGigabits) {
    const double measured =
        link_only("gen3", "sequential,read=1,size=128k,count=4000")["host"]["read"]["mb_per_s"];
    EXPECT_GE(measured, 555.0);
    EXPECT_LE(measured, 565.0);
}

TEST(Link, RandomReadsAtSixGigabits) {
    const double measured = link_only("gen3", "random,read=1,size=4k,count=50000")["host"]["read"]["iops"];
    EXPECT_LE(measured, 100'000.0);
    EXPECT_GE(measured, 95'000.0);  // published drives: about 98 k
}

TEST(Link, SequentialReadsAtThreeGigabits) {
    const double measured =
        link_only("gen2", "sequential,read=1,size=128k,count=4000", "90")["host"]["read"]["mb_per_s"];
    EXPECT_GE(measured, 275.0);
    EXPECT_LE(measured, 285.0);
}

TEST(Link, SequentialWritesAtSixGigabits) {
    const double measured =
        run_workload(preset("default", {"content=none"}),
                     "sequential,read=0,size=128k,bytes=1GB")["host"]["write"]["mb_per_s"];
    EXPECT_NEAR(measured, 538.0, 8.0);
}

}  // namespace
}  // namespace solidtlm::testbench
