// SPDX-License-Identifier: Apache-2.0
//
// Small reads from one die whose planes read independently, against closed forms: as long as the array limits
// them, each plane reads on its own; then the bus is the limit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "testbench/sim/test_support.h"

namespace solidtlm::testbench::plane_reads {
namespace {

constexpr double kPageBytes = 4096.0;
constexpr double kByteUs = 0.025;                                            // preset agrawal: one bus cycle
constexpr double kBusUs = 7 * kByteUs + 7 * kByteUs + kPageBytes * kByteUs;  // 00h-5A-30h, 06h-5A-E0h, data
constexpr double kTolerance = 0.01;

struct Way {
    bool independent;
    int planes;
    int read_us;

    /// Pages are on the planes in turn. Each plane takes tR and its share of the bus; the planes work in
    /// parallel.
    [[nodiscard]] double us_per_page() const {
        return independent ? std::max(kBusUs, (read_us + kBusUs) / planes) : read_us + kBusUs - 7 * kByteUs;
    }
};

void PrintTo(const Way& way, std::ostream* out) {
    *out << (way.independent ? "independent, " : "together, ") << way.planes << " planes, tR " << way.read_us;
}

platform::Configuration drive(const Way& way, std::vector<std::string> settings = {}) {
    settings.insert(settings.end(),
                    {"nand.geometry.channels=1", "nand.geometry.dies=1", "nand.geometry.dies_per_way=1",
                     "nand.controller.arbitration=read_first", "firmware.allocation.order=PCWD",
                     "firmware.write_buffer.policy=write_back", "firmware.write_buffer.size=256KiB",
                     "firmware.gc.background_threshold=2", fmt::format("nand.geometry.planes={}", way.planes),
                     fmt::format("nand.timing.read={}us", way.read_us),
                     fmt::format("nand.planes.read={}", way.independent ? "independent" : "together")});
    return preset("agrawal", settings);
}

class ReadSpeed : public testing::TestWithParam<Way> {};

TEST_P(ReadSpeed, IsLimitedByThePlanesOrTheBus) {
    const Way& way = GetParam();
    FillThenRead source(20'000);  // 64 pages, cyclically; filling takes a hundredth of the time
    const Json result = run_closed(drive(way), source, 32);
    const double us = kPageBytes / result["host"]["read"]["mb_per_s"].get<double>();
    EXPECT_NEAR(us, way.us_per_page(), way.us_per_page() * kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Ways, ReadSpeed,
                         testing::Values(Way{false, 4, 400}, Way{true, 2, 400}, Way{true, 4, 400},
                                         Way{true, 2, 1000}, Way{true, 4, 1000}, Way{true, 8, 1000},
                                         Way{true, 4, 25}));

// All options at once, with a verifier, on a drive that collects: no operation is refused, and every
// picosecond is in a ledger.
TEST(PlaneReadsDrive, SuspendsAndRetriesUnderAMixedLoad) {
    const Json result = run_workload(
        drive(Way{true, 4, 60},
              {"nand.geometry.blocks=40", "nand.geometry.pages=16", "nand.controller.reads_overtake=true",
               "nand.controller.suspend_program=true", "nand.controller.suspend_erase=true",
               "nand.timing.suspend=5us", "nand.timing.set_features=1us", "nand.ecc.codeword_size=1024",
               "nand.ecc.parity_size=28", "nand.ecc.correctable_bits=16", "nand.ecc.retries=4",
               "nand.ecc.retry_factor=0.5", "faults.bit_errors=true", "faults.rber.eps=0.0015",
               "content=tags", "ssd.over_provisioning=0.4"}),
        "random,read=0.6,size=4k,count=20000");
    const Json& metrics = result["hardware"];
    EXPECT_GT(metrics["flash.suspends"], 0);
    EXPECT_GT(metrics["flash.retries.reads"], 0);
    EXPECT_GT(result["nand"]["erases"], 0);
    EXPECT_EQ(result["host"]["failed"], 0);
}

}  // namespace
}  // namespace solidtlm::testbench::plane_reads
