// SPDX-License-Identifier: Apache-2.0
//
// Medians, biases, what decides a figure, and the null model, worked by hand.
#include <gtest/gtest.h>

#include "testbench/studies/gallery/gallery.h"

namespace solidtlm::testbench::gallery {
namespace {

Measured rate_point(double depth, double published, double model) {
    Measured point{{{"drive", "d"}, {"campaign", "c"}, {"test", "t"}, {"depth", depth}}};
    point.derived = {{"iops", model}, {"published_iops", published}, {"fitted", ""}, {"outside", ""}};
    return point;
}

TEST(Accuracy, IsOfAbsoluteValuesButForTheBias) {
    const Accuracy accuracy = accuracy_of({0.3, -0.1, 0.02, 0.06});
    EXPECT_EQ(accuracy.figures, 4U);
    EXPECT_NEAR(accuracy.median, 0.08, 1e-12) << "between 0.06 and 0.1";
    EXPECT_NEAR(accuracy.mean, 0.12, 1e-12);
    EXPECT_NEAR(accuracy.bias, 0.07, 1e-12);
    EXPECT_NEAR(accuracy.within, 0.75, 1e-12) << "0.1 is within";
    EXPECT_NEAR(accuracy_of({-0.5, 0.25, 0.0}).median, 0.25, 1e-12);
    EXPECT_EQ(accuracy_of({}).figures, 0U);
}

/// 50,000 commands per second.
Json run_of(const Json& stages, double link) {
    Json result;
    result["host"] = {{"iops", 50'000.0}, {"mb_per_s", 200.0}};
    result["ledger"]["stages_us"] = stages;
    result["utilization"]["link"] = link;
    return result;
}

TEST(Limit, IsWhatIsBusy) {
    EXPECT_EQ(limit_of(run_of({{"array", 50.0}, {"link_transfer", 10.0}}, 0.5)), "drive");
    EXPECT_EQ(limit_of(run_of({{"array", 50.0}, {"link_transfer", 10.0}}, 0.95)), "link");
    EXPECT_EQ(limit_of(run_of({{"array", 50.0}, {"hba_work", 19.6}}, 0.95)), "adapter") << "0.98 of the time";
    EXPECT_EQ(limit_of(run_of({{"array", 50.0}, {"host_cpu", 19.2}}, 0.95)), "processor") << "0.96";
    EXPECT_EQ(limit_of(run_of({{"array", 50.0}, {"host_cpu", 18.8}}, 0.5)), "drive") << "0.94";
}

TEST(Limit, IsThePathWhereMostOfTheTimePassesThere) {
    const Json half{{"array", 14.0}, {"link_transfer", 6.0}, {"hba_work", 14.0}, {"host_cpu", 10.0}};
    EXPECT_EQ(limit_of(run_of(half, 0.5)), "drive") << "30 of 44 us";
    Json most = half;
    most["interrupt_latency"] = 13.0;
    EXPECT_EQ(limit_of(run_of(most, 0.5)), "path") << "43 of 57 us";
    most["host_queue"] = 1000.0;
    EXPECT_EQ(limit_of(run_of(most, 0.5)), "path") << "a command without a slot waits for the same thing";
}

TEST(Limit, OfABurstIsThatOfEachSpeed) {
    const Json result = run_of({}, 0.4);  // 200 MB/s on average, so 500 MB/s are all that the link carries
    EXPECT_TRUE(link_decides(result, 480.0));
    EXPECT_FALSE(link_decides(result, 450.0));
}

TEST(Roofline, IsTheSmallerOfTwoPublishedRates) {
    const std::vector<Measured> points{rate_point(1, 10'000, 10'000), rate_point(4, 30'000, 33'000),
                                       rate_point(16, 80'000, 80'000), rate_point(32, 100'000, 100'000)};
    const std::vector<Compared> figures = compared(select(points));
    EXPECT_FALSE(roofline(figures[0], figures)) << "it is one of the two";
    EXPECT_EQ(roofline(figures[1], figures), 40'000.0);
    EXPECT_EQ(roofline(figures[2], figures), 100'000.0);
    EXPECT_FALSE(roofline(figures[3], figures));
    EXPECT_FALSE(roofline(figures[1], std::span(figures).first(3))) << "no rate with 32";
}

TEST(Accuracy, IsPrintedAlsoForTheDriveAloneAndBesideTheNullModel) {
    std::vector<Measured> points{rate_point(1, 10'000, 10'000), rate_point(4, 30'000, 32'700),
                                 rate_point(16, 80'000, 76'000), rate_point(32, 100'000, 100'000)};
    points[2].derived["outside"] = "iops";
    points[3].derived["fitted"] = "iops";
    const std::vector<Compared> figures = compared(select(points));
    EXPECT_TRUE(figures[2].outside);
    const std::string text = accuracy_table("Drives", figures, TextStyle{});
    const auto expect_row = [&text](const std::string& name, const std::string& numbers) {
        const std::size_t at = text.find("\n  " + name + "  ");
        ASSERT_NE(at, std::string::npos) << name << " in" << text;
        std::string row = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
        row.erase(std::unique(row.begin(), row.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
                  row.end());
        EXPECT_EQ(row, " " + name + " " + numbers);
    };
    // errors: 0, +9 % and -5 %; without the third 0 and +9 %
    expect_row("rate", "3 5.0 4.7 +1.3 100");
    expect_row("rate, where the drive decides", "2 4.5 4.5 +4.5 100");
    // the null model says 40,000 and 100,000: +33.3 and +25 %
    expect_row("rates of curves: two published rates", "2 29.2 29.2 +29.2 0");
    expect_row("rates of curves, where the drive decides: two published rates", "1 33.3 33.3 +33.3 0");
}

Setting fitted_to(const std::string& key, const std::string& figure, Evidence evidence) {
    return {key, "1", evidence, "x", {}, {figure}};
}

TEST(OwnValues, AreThoseThatFiguresOfTheDriveDetermine) {
    Drive drive;
    drive.name = "d";
    drive.settings = {fitted_to("a", "d/c/t/1/iops", Evidence::fitted),
                      fitted_to("b", "other/c/t/1/iops", Evidence::fitted)};
    Campaign campaign;
    campaign.host.name = "h";
    campaign.host.settings = {fitted_to("e", "d/c/t/2/iops", Evidence::derived)};
    drive.campaigns = {campaign, campaign};
    campaign.host.name = "another host";
    campaign.tests.emplace_back();
    campaign.tests.back().state_figures = {"1/iops"};
    drive.campaigns.push_back(campaign);
    const OwnValues values = own_values(drive);
    EXPECT_EQ(values.fitted, 1U);
    EXPECT_EQ(values.derived, 3U) << "of two hosts, and a state";
}

}  // namespace
}  // namespace solidtlm::testbench::gallery
