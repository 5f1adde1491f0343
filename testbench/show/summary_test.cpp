// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "testbench/show/summary_sections.h"
#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

/// The first line that begins with `label`, with runs of spaces replaced by one space.
std::string line_of(const std::string& text, const std::string& label) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string squeezed;
        for (std::string word; words >> word;) {
            squeezed += (squeezed.empty() ? "" : " ") + word;
        }
        if (squeezed.rfind(label, 0) == 0) {
            return squeezed;
        }
    }
    return "no line begins with " + label;
}

std::size_t longest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) {
        longest = std::max(longest, columns_of(line));
    }
    return longest;
}

TEST(Summary, ShowsTheNumbersOfTheRun) {
    const std::string text = summarize(testing::sample_result(), {});
    EXPECT_EQ(line_of(text, "tb_example"),
              "tb_example: 102 requests, 6.00 ms simulated in 500 ms (204 requests/s)");
    // 409,600 bytes and 100 commands in 5650 us: 72.5 MB/s and 17,699 per second.
    EXPECT_EQ(line_of(text, "read 100"), "read 100 410 kB 72.5 17,699 0");
    EXPECT_EQ(line_of(text, "flush 300"), "flush 300.0 300.0 300.0 300.0 300.0 300.0");
    // array: 4095 us of reads, 90 + 190 + 290 of the others, over 103 commands; latency 5650 / 103.
    EXPECT_EQ(line_of(text, "array").rfind("array 45.3 41.0 90.0 190.0 290.0 82.6 %", 0), 0U) << text;
    EXPECT_EQ(line_of(text, "latency 5"), "latency 54.9 50.5 100.0 200.0 300.0 100.0 % 250.0");
    EXPECT_EQ(line_of(text, "gc 1"), "gc 1 1 4");
    EXPECT_EQ(line_of(text, "write amplification"),
              "write amplification 1.500: the host wrote 32.8 kB, 49.2 kB were programmed");
    EXPECT_EQ(line_of(text, "link 25"), "link 25.0 % #####");
    EXPECT_EQ(line_of(text, "1.00 mJ").rfind("1.00 mJ in 6.00 ms, 167 mW on average, ", 0), 0U) << text;
    EXPECT_EQ(line_of(text, "dram.background 50"),
              "dram.background 50.0 %, nand.read 40.0 %, nand.program 10.0 %");
    EXPECT_NE(text.find("without link and core"), std::string::npos);
    EXPECT_EQ(line_of(text, "4 dies"), "4 dies 25.0 % each 10.0 % to 40.0 %");
    EXPECT_NE(text.find("by host 20.0 %, gc 5.0 %"), std::string::npos) << text;
    EXPECT_NE(text.find("100 reads checked"), std::string::npos);
    EXPECT_NE(text.find("add up to its latency"), std::string::npos);
}

TEST(Summary, ShowsWarningsAndTheOutcomeOfTheWarmUp) {
    Json result = testing::sample_result();
    result["state"] = {{"kind", "steady"}, {"limited_by", nullptr}, {"text", "steady; p99 5 us"}};
    EXPECT_EQ(line_of(summarize(result, {}), "state"), "state: steady; p99 5 us");
    EXPECT_EQ(summarize(result, {}).find("warning"), std::string::npos);
    result["warnings"] = {"not steady while it was measured", "second"};
    result["steady_state"]["warm_up"]["text"] = "steady after 700 commands";
    const std::string text = summarize(result, {});
    EXPECT_EQ(line_of(text, "warm-up"), "warm-up: steady after 700 commands");
    EXPECT_EQ(line_of(text, "warning: n"), "warning: not steady while it was measured");
    EXPECT_EQ(line_of(text, "warning: s"), "warning: second");
    const std::vector<Point> points{{Json{{"n", 1}}, testing::sample_result()}, {Json{{"n", 2}}, result}};
    EXPECT_EQ(line_of(summarize(make_study_result({}, points, {}), {}), "warning"),
              "warning: 1 of 2 points have warnings, the first: not steady while it was measured");
}

// A map cache without a drive has no host.
TEST(Summary, ShowsPointsThatHaveNoHost) {
    Json study = testing::sample_study();
    study["points"][0]["result"] = {{"map_cache", Json::object()}};
    study["points_interrupted"] = 3;
    const std::string text = summarize(study, {});
    EXPECT_EQ(line_of(text, "interrupted"), "interrupted: 3 more have not ended");
    EXPECT_NE(line_of(text, "1 - - -"), "") << text;
}

TEST(Summary, ReportsAnIdealLink) {
    const std::string says = "ideal link: frames take no time (sata.generation=ideal)";
    Json ideal = testing::sample_result();
    EXPECT_EQ(summarize(ideal, {}).find("ideal link"), std::string::npos);
    ideal["config"]["sata"]["generation"] = "ideal";
    EXPECT_EQ(line_of(summarize(ideal, {}), "ideal"), says);
    EXPECT_EQ(line_of(compare({{"a", testing::sample_result()}, {"b", ideal}}, {}), "ideal"), says + ": b");
    Json study = testing::sample_study();
    EXPECT_EQ(summarize(study, {}).find("ideal link"), std::string::npos);
    ASSERT_GT(study["points"].size(), 1U);
    study["points"][0]["result"]["config"] = ideal["config"];
    EXPECT_EQ(line_of(summarize(study, {}), "ideal"),
              says + " at 1 of " + std::to_string(study["points"].size()) + " points");
}

TEST(Summary, IsPlainAsciiWithinTheWidthUnlessAskedOtherwise) {
    TextStyle narrow;
    narrow.width = 80;
    for (const Json& document : {testing::sample_result(), testing::sample_study()}) {
        const std::string text = summarize(document, narrow);
        EXPECT_LE(longest_line(text), 80U) << text;
        EXPECT_TRUE(std::all_of(text.begin(), text.end(),
                                [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
        EXPECT_EQ(text.find(" \n"), std::string::npos) << "no spaces at the end of a line";
    }
    TextStyle rich;
    rich.colour = rich.unicode = true;
    const std::string text = summarize(testing::sample_result(), rich);
    EXPECT_NE(text.find("\u00b5s"), std::string::npos);
    EXPECT_NE(text.find("█"), std::string::npos);
    EXPECT_NE(text.find("\033[1m"), std::string::npos);
}

TEST(Summary, StagesHaveBarsIfThereIsRoom) {
    TextStyle narrow;
    narrow.width = 80;
    const std::string text = stage_section(testing::sample_result(), narrow);
    const std::string longest = line_of(text, "array");
    const std::string other = line_of(text, "link_transfer");
    const auto marks = [](const std::string& line) { return std::count(line.begin(), line.end(), '#'); };
    EXPECT_GE(marks(longest), 10);
    // 985 us of link and 4665 us of array: the bars have that ratio.
    EXPECT_NEAR(static_cast<double>(marks(other)), static_cast<double>(marks(longest)) * 985.0 / 4665.0, 0.5);
    EXPECT_LE(longest_line(text), 80U);
}

TEST(Summary, BarsAreProportional) {
    EXPECT_EQ(bar(0.5, 20, false), "##########");
    EXPECT_EQ(bar(0.0, 20, false), "");
    EXPECT_EQ(bar(7.0, 4, false), "####") << "never longer than its room";
    EXPECT_EQ(bar(0.25, 10, true), "██▌") << "2.5 columns";
}

TEST(Summary, ReportsFaultsProminently) {
    DeviceTelemetry device = testing::sample_telemetry();
    device.violations = {{"erase_before_program", 3}};
    HostMetrics metrics = testing::sample_metrics();
    Command bad = testing::finished_command(200, Operation::read, Ps{0}, testing::kMicrosecond, 8);
    bad.status = CommandStatus::failed;
    bad.residual = Ps{2000};
    testing::observe(metrics, bad);
    const std::string text = summarize(make_result(testing::sample_run(), metrics, device, {100, 2}), {});
    EXPECT_EQ(line_of(text, "2 sectors"),
              "2 sectors read back something else than was written (100 reads checked)");
    EXPECT_EQ(line_of(text, "1 commands"), "1 commands failed");
    EXPECT_EQ(line_of(text, "NAND rule"), "NAND rule violated, erase_before_program: 3 times");
    EXPECT_NE(line_of(text, "stages miss").find("2.000 ns"), std::string::npos) << text;
}

TEST(Summary, EmptyRunIsReadable) {
    const std::string text = summarize(make_result({}, {}, {}, {}), {});
    EXPECT_NE(text.find("no data was checked"), std::string::npos);
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST(Summary, DurationsHaveAFittingUnit) {
    EXPECT_EQ(seconds_text(0.0), "0.00 us");
    EXPECT_EQ(seconds_text(12.5e-6), "12.5 us");
    EXPECT_EQ(seconds_text(5.651e-3), "5.65 ms");
    EXPECT_EQ(seconds_text(0.5), "500 ms");
    EXPECT_EQ(seconds_text(61.25), "61.2 s");
    EXPECT_EQ(seconds_text(12'345.0), "12,345 s");
}

TEST(Summary, StudyShowsPointsAndClaims) {
    const std::string text = summarize(testing::sample_study(), {});
    EXPECT_EQ(line_of(text, "tb_study"), "tb_study: 2 points in 1.50 s");
    EXPECT_EQ(line_of(text, "channels"), "channels MB/s IOPS mean us WA p99 us erases max us")
        << "policy is the same in both points and is left out";
    EXPECT_EQ(line_of(text, "4 73.9").rfind("4 73.9 18,230 54.9 1.500", 0), 0U) << text;
    EXPECT_EQ(line_of(text, "A1 "), "A1 twice the channels, twice the throughput 2.0 times 1 not reproduced");
    EXPECT_EQ(line_of(text, "A1:"), "A1: both points are the same run");
}

TEST(Summary, ComparisonHasOneLineAResult) {
    const Json result = testing::sample_result();
    const std::string text = compare({{"before", result}, {"after", result}}, {});
    EXPECT_EQ(line_of(text, "before").substr(6), line_of(text, "after").substr(5));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
    TextStyle narrow;
    narrow.width = 80;
    const std::string long_label(60, 'x');
    EXPECT_EQ(line_of(compare({{long_label, result}}, narrow), "MB/s"), "MB/s IOPS mean us")
        << "the least important columns are dropped first";
}

/// A table with a wrapping column of words and a column of numbers, rendered in a given width.
std::string table_of(const std::string& words, const std::string& numbers,
                     const std::vector<std::vector<TextTable::Cell>>& rows, std::size_t width) {
    TextTable table;
    table.column(words, Align::wrap);
    table.column(numbers, Align::right);
    for (const std::vector<TextTable::Cell>& row : rows) {
        table.row(row);
    }
    TextStyle style;
    style.width = width;
    return table.render(style);
}

TEST(TextTable, KeepsLongWordsInTheirColumn) {
    EXPECT_EQ(table_of("name", "number", {{"one-long-word-behind another", "1"}, {"short", "2"}}, 20),
              "  name                  number\n"
              "  one-long-word-behind       1\n"
              "  another\n"
              "  short                      2\n");
}

TEST(TextTable, WrapsTheWidestColumn) {
    EXPECT_EQ(table_of("claim", "value", {{"one two three four five six", "12"}}, 24),
              "  claim            value\n"
              "  one two three       12\n"
              "  four five six\n");
}

TEST(Terminal, NumbersAndSizes) {
    EXPECT_EQ(grouped(0, 0), "0");
    EXPECT_EQ(grouped(999, 0), "999");
    EXPECT_EQ(grouped(1000, 0), "1,000");
    EXPECT_EQ(grouped(1234567.25, 1), "1,234,567.2");
    EXPECT_EQ(grouped(-1234.5, 1), "-1,234.5");
    EXPECT_EQ(grouped(-123, 0), "-123");
    EXPECT_EQ(si_text(0.0, "J"), "0.00 J");
    EXPECT_EQ(si_text(4.115444, "J"), "4.12 J");
    EXPECT_EQ(si_text(3.23e-5, "J"), "32.3 uJ");  // 3.23e+04 nJ
    EXPECT_EQ(si_text(0.99951, "W"), "1.00 W");
    EXPECT_EQ(si_text(999.6e-9, "J"), "1.00 uJ");
    EXPECT_EQ(si_text(-0.0125, "W"), "-12.5 mW");
    EXPECT_EQ(bytes_text(512), "512 B");
    EXPECT_EQ(bytes_text(4096), "4.10 kB");
    EXPECT_EQ(bytes_text(999'999), "1.00 MB");
    EXPECT_EQ(bytes_text(64e9), "64.0 GB");
    EXPECT_EQ(columns_of("5 \u00b5s"), 4U);
}

}  // namespace
}  // namespace solidtlm::testbench
