// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/steady_state.h"

#include <gtest/gtest.h>

#include <vector>

namespace solidtlm::testbench {
namespace {

using Found = SteadyState::Verdict;

TEST(Drift, IsComputedByHand) {
    const Drift constant(std::vector<double>{7, 7, 7, 7, 7});
    EXPECT_EQ(constant.mean, 7.0);
    EXPECT_EQ(constant.excursion, 0.0);
    EXPECT_EQ(constant.slope, 0.0);
    EXPECT_TRUE(constant.steady());

    const Drift ramp(std::vector<double>{8, 9, 10, 11, 12});
    EXPECT_DOUBLE_EQ(ramp.mean, 10.0);
    EXPECT_DOUBLE_EQ(ramp.excursion, 0.4);
    EXPECT_DOUBLE_EQ(ramp.slope, 0.4) << "the line is the ramp";
    EXPECT_FALSE(ramp.steady());

    const Drift step(std::vector<double>{10, 10, 10, 10, 15});
    EXPECT_DOUBLE_EQ(step.mean, 11.0);
    EXPECT_DOUBLE_EQ(step.excursion, 5.0 / 11);
    EXPECT_DOUBLE_EQ(step.slope, 4.0 / 11) << "one a round: (-2 * 10 - 10 + 10 + 2 * 15) / 10";
    EXPECT_FALSE(step.steady());

    const Drift periodic(std::vector<double>{9.5, 10.5, 9.5, 10.5, 9.5});
    EXPECT_DOUBLE_EQ(periodic.mean, 9.9);
    EXPECT_DOUBLE_EQ(periodic.excursion, 1 / 9.9);
    EXPECT_NEAR(periodic.slope, 0.0, 1e-15);
    EXPECT_TRUE(periodic.steady());

    EXPECT_TRUE(Drift(std::vector<double>{0, 0, 0, 0, 0}).steady());
}

TEST(Drift, EitherLimitDecides) {
    EXPECT_TRUE(Drift(std::vector<double>{9.5, 9.75, 10, 10.25, 10.5}).steady()) << "slope 10 %";
    EXPECT_FALSE(Drift(std::vector<double>{9.375, 9.6875, 10, 10.3125, 10.625}).steady())
        << "slope 12.5 %, excursion 12.5 %";
    EXPECT_FALSE(Drift(std::vector<double>{12, 12, 10, 10, 10}).steady()) << "slope -22 %, excursion 18.5 %";
    EXPECT_TRUE(Drift(std::vector<double>{9, 11, 11, 11, 9.75}).steady()) << "excursion 19.3 %, slope 5.8 %";
    EXPECT_FALSE(Drift(std::vector<double>{9, 11, 9, 11, 9}).steady()) << "excursion 20.4 %, slope 0";
}

/// 100 commands of `latency_us` write 1,000 bytes; the share `erased` of the programmed bytes is erased.
RoundWork round_of(std::int64_t latency_us, std::uint64_t amplification, double erased = 1.0) {
    const std::uint64_t programmed = 1000 * amplification;
    return {100, WidePs{100} * latency_us * 1'000'000, 1000, programmed,
            static_cast<std::uint64_t>(erased * static_cast<double>(programmed))};
}

Found verdict_of(const std::vector<RoundWork>& rounds) {
    return SteadyState(rounds).verdict();
}

TEST(SteadyState, NeedsWriteAmplificationAndLatency) {
    EXPECT_EQ(verdict_of(std::vector(5, round_of(50, 4))), Found::steady);
    std::vector<RoundWork> rounds(5, round_of(50, 4));
    rounds[4] = round_of(70, 4);
    EXPECT_EQ(verdict_of(rounds), Found::drifting);
    rounds[4] = round_of(50, 6);
    EXPECT_EQ(verdict_of(rounds), Found::drifting);
    rounds[4].written_bytes = 0;
    EXPECT_EQ(verdict_of(rounds), Found::drifting) << "one part without writes, four with";
}

TEST(SteadyState, TooFewRoundsGiveNoVerdict) {
    const SteadyState state(std::vector(4, round_of(50, 4)));
    EXPECT_EQ(state.verdict(), Found::too_short);
    EXPECT_FALSE(state.reached());
    EXPECT_FALSE(state.writes());
    EXPECT_TRUE(state.to_json()["mean_latency_us"].is_null());
}

// A new drive writes at its highest speed until its free blocks run out.
TEST(SteadyState, ADriveThatUsesUpFreeBlocksIsNotSteady) {
    EXPECT_EQ(verdict_of(std::vector(5, round_of(50, 1, 0.0))), Found::filling);
    EXPECT_EQ(verdict_of(std::vector(5, round_of(50, 4, 0.89))), Found::filling);
    EXPECT_EQ(verdict_of(std::vector(5, round_of(50, 4, 0.9))), Found::steady);
    EXPECT_FALSE(SteadyState(std::vector(5, round_of(50, 1, 0.0))).reached());
}

TEST(SteadyState, ReadsAreJudgedByTheirLatency) {
    std::vector<RoundWork> reads(5, RoundWork{100, WidePs{100} * 50'000'000, 0, 0, 0});
    EXPECT_EQ(verdict_of(reads), Found::unwritten);
    EXPECT_TRUE(SteadyState(reads).reached());
    EXPECT_TRUE(SteadyState(reads).to_json()["write_amplification"].is_null());
    reads[0].latency *= 2;
    EXPECT_EQ(verdict_of(reads), Found::drifting);
}

// Seven rounds give parts of 1, 1, 2, 1 and 2; ten alternating rounds give five parts with the same mean.
TEST(SteadyState, MakesFivePartsOfMoreRounds) {
    std::vector<RoundWork> seven(7, round_of(10, 2));
    seven[2] = round_of(30, 2);
    EXPECT_DOUBLE_EQ(SteadyState(seven).to_json()["mean_latency_us"]["mean"].get<double>(),
                     (10 + 10 + 20 + 10 + 10) / 5.0);
    std::vector<RoundWork> ten;
    for (int i = 0; i < 5; ++i) {
        ten.push_back(round_of(5, 1));
        ten.push_back(round_of(15, 3));
    }
    const Json state = SteadyState(ten).to_json();
    EXPECT_EQ(state["verdict"], "steady");
    EXPECT_DOUBLE_EQ(state["mean_latency_us"]["mean"].get<double>(), 10.0);
    EXPECT_DOUBLE_EQ(state["write_amplification"]["mean"].get<double>(), 2.0);
    EXPECT_EQ(state["write_amplification"]["excursion"], 0.0);
}

TEST(SteadyState, ReportsTheDrift) {
    std::vector<RoundWork> rounds;
    for (const int latency : {80, 90, 100, 110, 120}) {
        rounds.push_back(round_of(latency, 4));
    }
    EXPECT_EQ(SteadyState(rounds).drift_text(),
              "write amplification varies by 0.0 % (slope 0.0 %), mean latency by 40.0 % (slope 40.0 %)");
    for (RoundWork& round : rounds) {
        round.written_bytes = 0;
    }
    EXPECT_EQ(SteadyState(rounds).drift_text(), "mean latency varies by 40.0 % (slope 40.0 %)");
}

}  // namespace
}  // namespace solidtlm::testbench
