// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/comparison.h"

#include <gtest/gtest.h>

#include <sstream>

#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;
using testing::finished_command;
using testing::observe;
using testing::sample_run;
using testing::sample_telemetry;

/// Ten consecutive reads of 4 KiB, each with `link` on the link and the rest of `latency` in the array.
Json reads(Ps latency, Ps link) {
    HostMetrics metrics;
    for (std::uint64_t i = 0; i < 10; ++i) {
        observe(metrics, finished_command(i, Operation::read, static_cast<std::int64_t>(i) * latency, latency,
                                          8, link));
    }
    return make_result(sample_run(), metrics, sample_telemetry(), {10, 0});
}

Json study(const std::vector<std::pair<std::string, Json>>& devices) {
    std::vector<Point> points;
    for (const auto& [name, result] : devices) {
        points.push_back({Json{{"device", name}}, result});
    }
    return make_study_result({"tb_replay", 1, Json::object(), 1.0}, points, {});
}

/// The first line after `after` that begins with `label`, with single spaces between its words.
std::string line_of(const std::string& text, const std::string& after, const std::string& label) {
    std::istringstream lines(text.substr(text.find(after)));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string joined;
        for (std::string word; words >> word;) {
            joined += (joined.empty() ? "" : " ") + word;
        }
        if (joined.starts_with(label)) {
            return joined;
        }
    }
    return {};
}

// The second array takes half the time: 80 us of 100 become 40 of 60.
TEST(Comparison, NamesTheStageThatCausesTheChange) {
    const Json document = study({{"slow", reads(100us, 20us)}, {"fast", reads(60us, 20us)}});
    const std::string text = comparison_text(document, TextStyle{});
    EXPECT_EQ(line_of(text, "slow to fast", "array"), "array 80.00 40.00 -40.00 100.0 %") << text;
    EXPECT_EQ(line_of(text, "slow to fast", "all other stages"), "all other stages 20.00 20.00 +0.00 -0.0 %");
    EXPECT_EQ(line_of(text, "slow to fast", "latency"), "latency 100.00 60.00 -40.00 100.0 %");
}

TEST(Comparison, PutsTheDevicesSideBySide) {
    const Json document =
        study({{"slow", reads(100us, 20us)}, {"fast", reads(50us, 20us)}, {"same", reads(100us, 20us)}});
    const std::string text = comparison_text(document, TextStyle{});
    // 4096 bytes in 100 us are 41.0 MB/s, in 50 us 81.9.
    EXPECT_EQ(line_of(text, "Side by side", "throughput"), "throughput, MB/s 41.0 81.9 +100.0 % 41.0 =")
        << text;
    EXPECT_EQ(line_of(text, "Side by side", "commands/s"), "commands/s 10,000 20,000 +100.0 % 10,000 =");
    EXPECT_EQ(line_of(text, "Side by side", "latency, mean us"),
              "latency, mean us 100.0 50.0 -50.0 % 100.0 =");
    EXPECT_EQ(line_of(text, "Side by side", "write amplification"),
              "write amplification 1.500 1.500 = 1.500 =");
    EXPECT_NE(text.find("slow to same"), std::string::npos);
}

// Of 60 us, an NVMe drive spends 5 on its doorbell, a stage that a SATA drive does not have.
TEST(Comparison, AStageThatOneOfTheDevicesDoesNotHaveCounts) {
    Json nvme = reads(60us, 20us);
    Json& stages = nvme["ledger"]["stages_us"];
    ASSERT_FALSE(stages.contains("doorbell"));
    stages["doorbell"] = 5.0;
    stages["array"] = 35.0;
    const Json sata = reads(100us, 20us);
    std::string text = comparison_text(study({{"sata", sata}, {"nvme", nvme}}), TextStyle{});
    EXPECT_EQ(line_of(text, "sata to nvme", "doorbell"), "doorbell 0.00 5.00 +5.00 -12.5 %") << text;
    EXPECT_EQ(line_of(text, "sata to nvme", "latency"), "latency 100.00 60.00 -40.00 100.0 %");
    text = comparison_text(study({{"nvme", nvme}, {"sata", sata}}), TextStyle{});
    EXPECT_EQ(line_of(text, "nvme to sata", "doorbell"), "doorbell 5.00 0.00 -5.00 -12.5 %") << text;
    EXPECT_EQ(line_of(text, "nvme to sata", "latency"), "latency 60.00 100.00 +40.00 100.0 %");
    const std::vector<Figure> figures = comparison_figures(study({{"sata", sata}, {"nvme", nvme}}));
    const auto& bars = std::get<CategoryFigure>(figures.at(0));
    ASSERT_EQ(bars.series.size(), 3U);
    EXPECT_EQ(bars.series[2].name, "doorbell");
    EXPECT_EQ(bars.series[2].values, (std::vector<double>{0.0, 5.0}));
}

TEST(Comparison, WithoutAChangeThereAreNoShares) {
    const Json document = study({{"one", reads(100us, 20us)}, {"two", reads(100us, 20us)}});
    const std::string text = comparison_text(document, TextStyle{});
    EXPECT_EQ(line_of(text, "one to two", "latency"), "latency 100.00 100.00 +0.00 -") << text;
}

TEST(Comparison, DrawsTheStagesOfEachDevice) {
    Json document = study({{"slow", reads(100us, 20us)}, {"fast", reads(60us, 20us)}});
    const std::vector<Figure> figures = comparison_figures(document);
    const auto& stages = std::get<CategoryFigure>(figures.at(0));
    EXPECT_EQ(stages.categories, (std::vector<std::string>{"slow", "fast"}));
    ASSERT_EQ(stages.series.size(), 2U) << "stages without time are left out";
    EXPECT_EQ(stages.series[0].name, "link_transfer");
    EXPECT_EQ(stages.series[0].values, (std::vector<double>{20.0, 20.0}));
    EXPECT_EQ(stages.series[1].name, "array");
    EXPECT_EQ(stages.series[1].values, (std::vector<double>{80.0, 40.0}));
    add_figures(document, figures);
    EXPECT_EQ(document["figures"].size(), 2U);
}

}  // namespace
}  // namespace solidtlm::testbench
