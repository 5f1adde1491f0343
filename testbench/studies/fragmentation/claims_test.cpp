// SPDX-License-Identifier: Apache-2.0
//
// The rules that the claims are judged by, on hand-made numbers.
#include "testbench/studies/fragmentation/claims.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testbench/studies/fragmentation/load.h"

namespace solidtlm::testbench::fragmentation {
namespace {

Observed observed(const char* layer, bool rule, const char* load, PageWrites writes, double utilisation) {
    Observed each;
    each.system = System{layer, "full", rule};
    each.load = load;
    each.writes = writes;
    each.utilisation = utilisation;
    each.flash_bound_mb_per_s = 100.0;
    return each;
}

/// The study as published.
std::vector<Observed> published() {
    std::vector<Observed> all{
        observed("page_map", true, kIozone, {1000, 0, 0}, 100.0),
        observed("page_map", true, kPcApplication, {1000, 0, 0}, 100.0),
        observed("fast", true, kIozone, {500, 490, 10}, 95.0),
        observed("fast", false, kIozone, {510, 490, 0}, 95.0),
        observed("fast", true, kPcApplication, {300, 300, 400}, 5.0),
        observed("fast", false, kPcApplication, {700, 300, 0}, 8.0),
    };
    all[2].mb_per_s = 99.0;
    all[3].mb_per_s = 100.0;
    all[4].mb_per_s = 60.0;
    all[5].mb_per_s = 100.0;
    return all;
}

const Claim& claim(const std::vector<Claim>& claims, const std::string& id) {
    const auto found = std::ranges::find_if(claims, [&id](const Claim& each) { return each.id == id; });
    EXPECT_NE(found, claims.end()) << id;
    return *found;
}

Verdict verdict(const std::vector<Observed>& all, const std::string& id) {
    const std::vector<Claim> claims = claims_of(all);
    return claim(claims, id).verdict;
}

TEST(FragmentationClaims, WhatIsPublishedIsReproduced) {
    const std::vector<Claim> claims = claims_of(published());
    ASSERT_EQ(claims.size(), 6U);
    for (const Claim& each : claims) {
        EXPECT_EQ(each.verdict, Verdict::reproduced) << each.id;
    }
    EXPECT_EQ(claim(claims, "A3").measured, "40.0 %");
    EXPECT_EQ(claim(claims, "A4").measured, "1.0 %");
    EXPECT_EQ(claim(claims, "A5").measured, "-40.0 %");
    EXPECT_EQ(claim(claims, "A6").measured, "-1.0 %");
}

TEST(FragmentationClaims, FullBlocksAreJudgedByTheLowerWorkload) {
    std::vector<Observed> all = published();
    all[1].utilisation = 98.9;
    EXPECT_EQ(verdict(all, "A1"), Verdict::partly);
    all[1].utilisation = 94.9;
    EXPECT_EQ(verdict(all, "A1"), Verdict::not_reproduced);
}

TEST(FragmentationClaims, UtilisationMustBeHighAndVeryLow) {
    std::vector<Observed> all = published();
    all[4].utilisation = 30.0;
    EXPECT_EQ(verdict(all, "A2"), Verdict::partly) << "in the right order";
    all[4].utilisation = 96.0;
    EXPECT_EQ(verdict(all, "A2"), Verdict::not_reproduced);
}

TEST(FragmentationClaims, SharesAreJudgedByTheirDistance) {
    std::vector<Observed> all = published();
    all[4].writes = {500, 240, 260};
    EXPECT_EQ(verdict(all, "A3"), Verdict::partly);
    all[4].writes = {500, 260, 240};
    EXPECT_EQ(verdict(all, "A3"), Verdict::not_reproduced);
    all[2].writes = {500, 440, 60};
    EXPECT_EQ(verdict(all, "A4"), Verdict::partly);
}

TEST(FragmentationClaims, TheCostOfTheRuleSaysWhereItComesFrom) {
    std::vector<Observed> all = published();
    all[4].mb_per_s = 80.0;
    all[4].merges.full = 7;
    all[4].copies = 70;
    std::vector<Claim> claims = claims_of(all);
    EXPECT_EQ(claim(claims, "A5").verdict, Verdict::partly);
    EXPECT_EQ(claim(claims, "A5").reason, "7 merges copied 70 pages with the rule, 0 copied 0 without");
    all[4].mb_per_s = 101.0;
    all[4].copies = 0;
    claims = claims_of(all);
    EXPECT_EQ(claim(claims, "A5").verdict, Verdict::not_reproduced);
    EXPECT_EQ(
        claim(claims, "A5").reason,
        "700 pages went to the log with the rule and 300 without, and neither had to copy a page: the log "
        "has room for all of them");
}

TEST(FragmentationClaims, WithoutTimeTheFlashWorkIsCompared) {
    std::vector<Observed> all = published();
    for (Observed& each : all) {
        each.mb_per_s.reset();
    }
    all[4].flash_bound_mb_per_s = 58.0;
    const std::vector<Claim> claims = claims_of(all);
    EXPECT_EQ(claim(claims, "A5").measured, "-42.0 % (flash work, not timed)");
    EXPECT_EQ(claim(claims, "A5").verdict, Verdict::reproduced);
}

TEST(FragmentationClaims, NothingIsSaidOfWhatWasNotRun) {
    std::vector<Observed> all = published();
    all.erase(all.begin() + 3);  // IOzone without the rule
    all.erase(all.begin());      // page mapping on IOzone
    std::vector<std::string> ids;
    for (const Claim& each : claims_of(all)) {
        ids.push_back(each.id);
    }
    EXPECT_EQ(ids, (std::vector<std::string>{"A2", "A3", "A4", "A5"}));
}

TEST(FragmentationClaims, SpeedUpHasToBeWhatTheTimesGive) {
    std::vector<SpeedUp> measured{{"fast", 1, 2420.0, 1020.0, 2.37}, {"fast", 4, 2420.0, 605.0, 4.0}};
    EXPECT_EQ(speed_up_claim(measured).verdict, Verdict::reproduced);
    EXPECT_EQ(speed_up_claim(measured).measured,
              "2.37 on 1 channel (2.37 by formula), 4.00 on 4 channels (4.00 by formula)");
    measured[0].full_us = 1500.0;
    EXPECT_EQ(speed_up_claim(measured).verdict, Verdict::partly);
    measured[1].full_us = 2420.0;
    measured[0].full_us = 2420.0;
    EXPECT_EQ(speed_up_claim(measured).verdict, Verdict::not_reproduced);
}

}  // namespace
}  // namespace solidtlm::testbench::fragmentation
