// SPDX-License-Identifier: Apache-2.0
//
// A drive aged in zero simulated time continues with the write amplification of its aged state, and ageing in
// simulated time reaches the same value. These tests take long streams to a steady state; the code they run
// is also covered by the other tests of ageing.
#include <gtest/gtest.h>

#include "testbench/sim/ageing_test_support.h"
#include "testbench/sim/child_runs.h"

namespace solidtlm::testbench {
namespace {

/// Four dies of 64 superblocks of 256 units. The host may run ahead of garbage collection by one or two
/// superblocks; on a drive of this size that hardly matters.
platform::Configuration four_dies() {
    return preset("default", {"content=none", "nand.geometry.channels=2", "nand.geometry.dies=2",
                              "nand.geometry.blocks=64", "nand.geometry.pages=32",
                              "ssd.over_provisioning=0.12", "firmware.write_buffer.size=\"1MiB\""});
}

/// The timed run continues at the write amplification that ageing has reached: both are steady states of the
/// same device under the same load. Of a parallel unit's 64 superblocks, 1 to 3 are free at a time, depending
/// on how host and garbage collection alternate on a die. By the closed form (Desnoyers, S_f 0.12 less the
/// free ones), one superblock changes write amplification by 12 %; 5 % is less than half of that.
TEST(AgedWriteAmplification, ContinuesInTheTimedRun) {
    const platform::Configuration configuration = four_dies();
    const auto source = make_workload(
        parse_workload("random,read=0,count=120000,seed=11", configuration.firmware.exported_sectors));
    const SimulationOutcome outcome = aged_run(configuration, "fill=1,random=5", *source);
    EXPECT_TRUE(outcome.faults.empty());
    const double aged = outcome.result["precondition"]["write_amplification"];
    const double timed = outcome.result["write_amplification"];
    EXPECT_NEAR(timed / aged, 1.0, 0.05);
}

/// The same requests in simulated time on a new drive: a sequential fill, then random writes.
class FillThenRandom : public RequestSource {
  public:
    FillThenRandom(std::uint64_t sectors, std::unique_ptr<RequestSource> random)
        : sectors_(sectors), random_(std::move(random)) {}
    bool next(Request& request) override {
        if (next_ == sectors_) {
            return random_->next(request);
        }
        request.clear();
        request.operation = Operation::write;
        request.lba = Lba{next_};
        request.sectors = std::min<std::uint64_t>(256, sectors_ - next_);
        next_ += request.sectors;
        return true;
    }

  private:
    std::uint64_t sectors_;
    std::uint64_t next_ = 0;
    std::unique_ptr<RequestSource> random_;
};

/// The same requests program as many pages; the tolerance is that of ContinuesInTheTimedRun.
TEST(AgedWriteAmplification, EqualsThatOfSimulatedTime) {
    const platform::Configuration configuration = four_dies();
    const std::uint64_t sectors = configuration.firmware.exported_sectors;
    const auto aged = [&] {
        const auto nothing = make_workload(parse_workload("random,count=1", sectors));
        return aged_run(configuration, "fill=1,random=4,seed=21", *nothing);
    };
    const auto timed = [&] {
        FillThenRandom source(
            sectors, make_workload(parse_workload("random,read=0,seed=" + std::to_string(workload_seed(21)) +
                                                      ",bytes=" + std::to_string(sectors * 512 * 4),
                                                  sectors)));
        return SimulationOutcome{run_closed(configuration, source), {}};
    };
    const std::vector<PointJob> jobs{{"aged", aged}, {"timed", timed}};
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    ASSERT_TRUE(outcomes[0].outcome.faults.empty() && outcomes[1].outcome.faults.empty());
    const Json& ageing = outcomes[0].outcome.result["precondition"];
    const Json& nand = outcomes[1].outcome.result["nand"];
    ASSERT_EQ(nand["host_written_bytes"], ageing["host_bytes"]) << "the same requests";
    EXPECT_NEAR(ageing["programs"].get<double>() / nand["programs"].get<double>(), 1.0, 0.05);
}

}  // namespace
}  // namespace solidtlm::testbench
