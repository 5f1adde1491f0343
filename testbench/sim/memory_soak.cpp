// SPDX-License-Identifier: Apache-2.0
//
// Ten million writes to the 64 GiB default drive: memory must not grow.
#include <gtest/gtest.h>

#include "testbench/sim/resident_memory.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

TEST(MemorySoak, TenMillionWritesTakeNoMemory) {
    const platform::Configuration configuration = preset("default", {"content=none"});
    MemoryProbe source(
        make_workload(parse_workload("random,read=0,count=10M", configuration.firmware.exported_sectors)),
        {1'000'000, 9'999'999});
    RunSpec settings = run_of(configuration);
    settings.precondition = parse_preconditioning("random=0.1");
    const ClosedLoop pacing(32);
    const SimulationOutcome outcome = simulate(settings, source, pacing);
    EXPECT_TRUE(outcome.faults.empty());
    ASSERT_EQ(source.bytes.size(), 2U);
    EXPECT_LT(source.bytes[1], source.bytes[0] + 2 * hal::kMiB);
    // The map takes 4 bytes per unit (62 MiB), everything else at most 150 MB.
    EXPECT_LT(source.bytes[1], configuration.firmware.exported_sectors / 8 * 4 + 150'000'000);
}

}  // namespace
}  // namespace solidtlm::testbench
