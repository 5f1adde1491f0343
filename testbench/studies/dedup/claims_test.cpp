// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/claims.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace solidtlm::testbench::dedup {
namespace {

Measured run(const char* load, const char* system, Json derived) {
    return Measured{{{"part", "systems"}, {"load", load}, {"system", system}}, std::move(derived), nullptr};
}

Measured cut(const char* system, const char* protection, const char* moment, int lost) {
    Json parameters{{"part", "power"}, {"system", system}, {"moment", moment}};
    if (*protection != 0) {
        parameters["protection"] = protection;
    }
    return Measured{std::move(parameters), {{"lost_pages", lost}, {"pages_at_risk", 16}}, nullptr};
}

const Claim* claim(const std::vector<Claim>& claims, const std::string& id) {
    const auto found = std::ranges::find(claims, id, &Claim::id);
    return found == claims.end() ? nullptr : &*found;
}

std::string verdict(const std::vector<Measured>& points, const std::string& id) {
    const std::vector<Claim> claims = claims_of(points);
    const Claim* found = claim(claims, id);
    return found == nullptr ? "none" : std::string(verdict_name(found->verdict));
}

TEST(DedupClaims, AreLeftOutWhereNothingWasMeasured) {
    EXPECT_TRUE(claims_of({}).empty());
    EXPECT_TRUE(claims_of(std::vector<Measured>{run("webvm", "none", {{"write_mean_us", 300.0}})}).empty());
    const std::vector<Measured> other{run("mine", "online", {{"write_mean_us", 100.0}}),
                                      run("mine", "offline_crc32", {{"write_mean_us", 50.0}})};
    EXPECT_EQ(verdict(other, "C1"), "none") << "the study says nothing about this load";
}

/// -15 and -12 %, within 5 points.
TEST(DedupClaims, ResponseIsComparedWithOnline) {
    const auto both = [](double webvm, double install) {
        return std::vector<Measured>{
            run("webvm", "online", {{"write_mean_us", 400.0}}),
            run("webvm", "offline_crc32", {{"write_mean_us", 400.0 * webvm}}),
            run("app_install", "online", {{"write_mean_us", 1000.0}}),
            run("app_install", "offline_crc32", {{"write_mean_us", 1000.0 * install}})};
    };
    EXPECT_EQ(verdict(both(0.85, 0.88), "C1"), "reproduced");
    EXPECT_EQ(verdict(both(0.801, 0.929), "C1"), "reproduced");
    EXPECT_EQ(verdict(both(0.79, 0.88), "C1"), "partly");
    EXPECT_EQ(verdict(both(0.85, 1.2), "C1"), "partly");
    EXPECT_EQ(verdict(both(1.01, 1.2), "C1"), "not reproduced");
    EXPECT_EQ(claim(claims_of(both(0.85, 0.88)), "C1")->measured, "webvm -15 %; app_install -12 %");
}

TEST(DedupClaims, TimesAreComparedWithOffline) {
    const auto times = [](double crc32, double separated) {
        return std::vector<Measured>{run("webvm", "offline", {{"dedup_total_s", 10.0}}),
                                     run("webvm", "offline_crc32", {{"dedup_total_s", crc32}}),
                                     run("webvm", "offline_separated", {{"dedup_total_s", separated}})};
    };
    std::vector<Measured> cut_short = times(11.0, 12.0);
    cut_short[0].derived["dedup_page_us"] = 250.0;
    cut_short[1].derived["dedup_page_us"] = 60.0;
    EXPECT_EQ(verdict(cut_short, "C2"), "partly") << "more time in all, for many more pages";
    EXPECT_EQ(verdict(times(3.0, 11.0), "C2"), "reproduced");
    EXPECT_EQ(verdict(times(3.1, 11.0), "C2"), "partly");
    EXPECT_EQ(verdict(times(7.0, 11.0), "C2"), "not reproduced");
    EXPECT_EQ(verdict(times(3.0, 10.1), "C3"), "reproduced");
    EXPECT_EQ(verdict(times(3.0, 9.9), "C3"), "not reproduced");
}

TEST(DedupClaims, CandidatesAreComparedWithWhatWasWritten) {
    const auto share = [](int candidates) {
        return std::vector<Measured>{
            run("webvm", "offline_crc32", {{"candidates", candidates}, {"written_pages", 1000}})};
    };
    EXPECT_EQ(verdict(share(500), "C4"), "reproduced");
    EXPECT_EQ(verdict(share(399), "C4"), "partly");
    EXPECT_EQ(verdict(share(200), "C4"), "not reproduced");
    EXPECT_EQ(claim(claims_of(share(352)), "C4")->measured, "webvm 35 %");
}

TEST(DedupClaims, MovesAreFewestWithCrc32AndMostOfAllOnInstall) {
    const auto moves = [](int webvm, int install, int separated) {
        return std::vector<Measured>{run("webvm", "offline", {{"gc_moved_pages", webvm}}),
                                     run("webvm", "offline_crc32", {{"gc_moved_pages", 100}}),
                                     run("app_install", "offline", {{"gc_moved_pages", install}}),
                                     run("app_install", "offline_separated", {{"gc_moved_pages", separated}}),
                                     run("app_install", "offline_crc32", {{"gc_moved_pages", 100}})};
    };
    EXPECT_EQ(verdict(moves(150, 385, 200), "C5"), "reproduced");
    EXPECT_EQ(verdict(moves(385, 150, 120), "C5"), "partly");
    EXPECT_EQ(verdict(moves(150, 385, 90), "C5"), "not reproduced");
    const std::vector<Measured> none{run("webvm", "offline", {{"gc_moved_pages", 0}}),
                                     run("webvm", "offline_crc32", {{"gc_moved_pages", 0}})};
    EXPECT_EQ(verdict(none, "C5"), "none") << "nothing was collected";
}

TEST(DedupClaims, OnlyOnlineWithoutProtectionMayLose) {
    const auto losses = [](int bare, int journal, int offline) {
        return std::vector<Measured>{
            cut("online", "none", "at_once", bare), cut("online", "none", "idle", bare),
            cut("online", "journal", "at_once", journal), cut("offline", "", "idle", offline)};
    };
    EXPECT_EQ(verdict(losses(16, 0, 0), "C6"), "reproduced");
    EXPECT_EQ(verdict(losses(0, 0, 0), "C6"), "partly");
    EXPECT_EQ(verdict(losses(16, 0, 1), "C6"), "partly");
    EXPECT_EQ(verdict(losses(0, 1, 0), "C6"), "not reproduced");
    EXPECT_EQ(verdict({cut("offline", "", "idle", 0)}, "C6"), "none");
}

}  // namespace
}  // namespace solidtlm::testbench::dedup
