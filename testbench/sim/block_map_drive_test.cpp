// SPDX-License-Identifier: Apache-2.0
//
// The whole drive with block-mapped layers: verified, with reconciled counters, aged, and with the time of a
// striped write against its closed form.
#include <tuple>

#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

using Pointer = Json::json_pointer;

void expect_sound(const Json& result) {
    EXPECT_EQ(result.at(Pointer("/verify/mismatches")), 0);
    EXPECT_EQ(result.at(Pointer("/ledger/residual_ns")), 0);
    EXPECT_EQ(result.at(Pointer("/host/failed")), 0);
    EXPECT_TRUE(result.at(Pointer("/nand/violations")).empty());
}

/// The array must have done what the layer counted: one page for each page for the host and for merges. The
/// layer counts when an operation begins, the array when it has ended; the run stops with the last command,
/// even if programs or erases are under way.
void expect_reconciled(const Json& result, std::uint64_t nand_blocks_of_a_block) {
    const Json& map = result.at("block_map");
    const Json& nand = result.at(Pointer("/nand/by_cause"));
    const auto near = [](std::uint64_t begun, const Json& ended, std::uint64_t most) {
        EXPECT_LE(ended.get<std::uint64_t>(), begun);
        EXPECT_LE(begun - ended.get<std::uint64_t>(), most);
    };
    std::uint64_t written = 0;
    for (const char* kind : {"write_data", "update_pure", "update_wasted"}) {
        written += map.at("writes").at(kind).get<std::uint64_t>();
    }
    constexpr std::uint64_t kPlanes = 8;
    near(written, nand.at(Pointer("/host/programs")), 3 * kPlanes);  // two queued, one being gathered
    near(map.at("merge_reads"), nand.at(Pointer("/merge/reads")), 2 * kPlanes);
    near(map.at("merge_programs"), nand.at(Pointer("/merge/programs")), 2 * kPlanes);
    near(map.at("erases").get<std::uint64_t>() * nand_blocks_of_a_block, nand.at(Pointer("/merge/erases")),
         0);
}

/// A layer, and whether it is striped.
class BlockMapDrive : public ::testing::TestWithParam<std::tuple<const char*, bool>> {
  protected:
    [[nodiscard]] static bool striped() { return std::get<1>(GetParam()); }
    [[nodiscard]] static platform::Configuration tiny(std::vector<std::string> more) {
        more.push_back("firmware.translation=" + std::string(std::get<0>(GetParam())));
        more.push_back(std::string("firmware.allocation.striping=") + (striped() ? "full" : "none"));
        return preset("tiny", std::move(more));
    }
};

TEST_P(BlockMapDrive, VerifiesARandomMix) {
    const platform::Configuration configuration =
        tiny({"ssd.over_provisioning=0.6"});  // mtbs exports less than half
    RandomMix::Shares shares;
    shares.requests = 1200;
    RandomMix mix(7, configuration.firmware.exported_sectors, shares);
    const Json result = run_closed(configuration, mix);
    expect_sound(result);
    EXPECT_GT(result.at(Pointer("/verify/reads_checked")), 0);
    expect_reconciled(result, striped() ? 8 : 2);  // 4 dies of 2 planes
    EXPECT_GT(result.at(Pointer("/block_map/merges/full")), 0);
}

/// With every order of operations that controllers offer, and without the rule of ascending pages.
TEST_P(BlockMapDrive, VerifiesARandomMixOnAnyHardware) {
    const std::string layer = std::get<0>(GetParam());
    std::mt19937_64 random(static_cast<std::uint64_t>(layer.front()) * 512 + layer.size() * 2 +
                           (striped() ? 1 : 0));
    const auto pick = [&random](std::initializer_list<const char*> choices) {
        return std::string(choices.begin()[random() % choices.size()]);
    };
    const platform::Configuration configuration = tiny(
        {"ssd.over_provisioning=0.6", "firmware.allocation.order=" + pick({"PCWD", "CWDP", "WPCD", "PWCD"}),
         "firmware.allocation.programs_per_die=" + pick({"1", "2", "8"}),
         "firmware.gc.copy_back=" + pick({"true", "false"}),
         "firmware.gc.pipeline_depth=" + pick({"1", "2", "3"}),
         "firmware.write_buffer.policy=" + pick({"write_back", "write_through"}),
         "nand.rules.sequential_pages=" + pick({"true", "false"}),
         "nand.controller.arbitration=" + pick({"fcfs", "round_robin", "read_first"}),
         "nand.controller.reads_overtake=" + pick({"true", "false"}),
         "nand.controller.suspend_erase=" + pick({"true", "false"}),
         "nand.controller.suspend_program=" + pick({"true", "false"}), "content=" + pick({"tags", "bytes"})});
    RandomMix::Shares shares;
    shares.requests = 800;
    RandomMix mix(3, configuration.firmware.exported_sectors, shares);
    expect_sound(run_closed(configuration, mix));
}

// Short ranges are written and read repeatedly, so that a new version of a page arrives while the old one is
// being completed from flash. Reads overtake programs, so data that is being programmed must come from the
// buffer.
TEST_P(BlockMapDrive, ReadsNothingThatIsStillBeingProgrammed) {
    const platform::Configuration configuration =
        tiny({"ssd.over_provisioning=0.6", "nand.controller.reads_overtake=true"});
    expect_sound(run_workload(
        configuration,
        "random,read=0.7,fua=0.05,trim=0.05,flush=20,size=512:1/4k:1,align=512,range=0-64KiB,count=6000"));
}

/// A sequential fill has write amplification 1 and programs every page of every data block. It writes a whole
/// number of blocks: 6 of 1 MiB striped, 24 of 256 KiB otherwise; for mtbs, whose blocks hold half as much,
/// twice as many.
TEST_P(BlockMapDrive, FillsItsBlocksToTheLastPage) {
    const platform::Configuration configuration =
        tiny({"ssd.capacity=6MiB", "firmware.write_buffer.policy=write_through"});
    const Json result = run_workload(configuration, "sequential,read=0,size=64k,bytes=6MiB", 1);
    EXPECT_EQ(result.at("write_amplification"), 1.0);
    EXPECT_EQ(result.at(Pointer("/block_map/block_utilization")), 1.0);
    EXPECT_EQ(result.at(Pointer("/series/block_map/block_utilization_permille")).back(), 1000);
    EXPECT_EQ(result.at(Pointer("/block_map/erases")), 0);
}

/// The same firmware ages the drive on hardware that takes no simulated time, and then moves to the timed
/// hardware.
TEST_P(BlockMapDrive, IsVerifiedAfterAgeing) {
    RunSpec settings = run_of(tiny({"ssd.over_provisioning=0.6", "firmware.gc.copy_back=true"}));
    settings.precondition = parse_preconditioning("fill=1,random=1");
    RandomMix::Shares shares;
    shares.requests = 500;
    shares.fill = false;
    RandomMix mix(11, settings.configuration.firmware.exported_sectors, shares);
    const SimulationOutcome outcome = simulate(settings, mix, ClosedLoop(32));
    ASSERT_TRUE(outcome.faults.empty()) << outcome.faults.front();
    expect_sound(outcome.result);
    EXPECT_GT(outcome.result.at(Pointer("/precondition/erases")), 0);
}

INSTANTIATE_TEST_SUITE_P(Layers, BlockMapDrive,
                         ::testing::Combine(::testing::Values("fmax", "bast", "fast", "mtbs"),
                                            ::testing::Bool()),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)) +
                                    (std::get<1>(test.param) ? "_striped" : "_not_striped");
                         });

/// A write of 8 pages to an empty drive of 4 channels, each with one die of one plane.
PointJob write_of_8_pages(const std::string& striping) {
    return {
        striping, [striping] {
            const RunSpec settings = run_of(
                preset("agrawal", {"nand.geometry.channels=4", "nand.geometry.dies=1",
                                   "nand.geometry.dies_per_way=1", "nand.geometry.planes=1",
                                   "firmware.translation=fast", "firmware.allocation.striping=" + striping}),
                1);
            const auto source = make_workload(parse_workload(
                "sequential,read=0,size=32k,count=1", settings.configuration.firmware.exported_sectors));
            return simulate(settings, *source, ClosedLoop(1));
        }};
}

/// Claim A7 of study A. A page takes the bus for 4096 bytes of 25 ns and the array for 200 us, 302.4 us in
/// total. Striped over 4 dies, the pages take two rounds, otherwise eight. Command and status cycles add less
/// than 2 us per page; four pages that leave DRAM at once lengthen the first round by about as much.
TEST(BlockMapStriping, IsFasterByTheTimeOfSixPages) {
    const std::vector<PointJob> jobs{write_of_8_pages("full"), write_of_8_pages("none")};
    const std::vector<PointOutcome> outcomes = run_points(jobs, {1, true});
    const auto latency_us = [&outcomes](std::size_t job) {
        return outcomes[job].outcome.result.at(Pointer("/host/write/latency_us/mean")).get<double>();
    };
    const double striped = latency_us(0);
    const double not_striped = latency_us(1);
    const double page = 4096 * 0.025 + 200.0;
    EXPECT_NEAR(not_striped - striped, 6.0 * page, 0.01 * 6.0 * page);
    EXPECT_GT(striped, 2.0 * page);
    EXPECT_GT(not_striped / striped, 3.4) << "the time on the link is the same for both";
}

}  // namespace
}  // namespace solidtlm::testbench
