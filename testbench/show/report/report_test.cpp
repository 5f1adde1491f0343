// SPDX-License-Identifier: Apache-2.0
//
// Tests of the page itself and of how a browser shows it.
#include "testbench/show/report/report.h"

#include "testbench/show/report/browser.h"
#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;
using testing::OpenedPage;

/// A series of three intervals; two causes hold the dies.
Json sample_series() {
    return Json::parse(R"({
        "time_us": [0, 1000, 2000, 6000],
        "operations": {"read": {"commands": [40, 60, 0], "bytes": [163840, 245760, 0], "mean_latency_us": [50, 50.8, null]},
                       "flush": {"commands": [0, 0, 1], "bytes": [0, 0, 0], "mean_latency_us": [null, null, 300]}},
        "worst_latency_us": [99, 100, 300], "queue_depth": [1, 1, 0.1], "unwritten_units": [3, 9, 0],
        "free_superblocks": [20, 10, 15], "link_permille": [300, 200, 0], "core_permille": [30, 40, 1],
        "dram_permille": [50, 40, 1], "map_step": 2,
        "channels_permille": {"host": [[100, 0], [200, 10]]},
        "dies_permille": {"host": [[100, 0], [200, 0], [300, 0], [400, 0]], "gc": [[0, 0], [500, 0], [0, 1000], [0, 7]]}})");
}

Json full_run() {
    Json run = testing::sample_result();
    run["series"] = sample_series();
    run["parameters"] = {{"workload", "random,count=102"}, {"pacing", "closed"}, {"queue_depth", 32}};
    add_figures(run, testing::sample_figures());
    return run;
}

/// Opens a report in the browser; skips the test if no browser is installed.
class ReportInBrowser : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!testing::have_browser()) {
            GTEST_SKIP() << "chromium is not installed";
        }
        folder_ = fs::path(::testing::TempDir()) / ("solidtlm_report_" + std::to_string(getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    [[nodiscard]] OpenedPage open(const Json& result) const {
        std::ofstream(folder_ / "report.html", std::ios::binary) << report_page(result);
        OpenedPage page = testing::open_page(folder_ / "report.html");
        testing::expect_sound(page);
        return page;
    }

  private:
    fs::path folder_;
};

TEST(Report, HoldsTheResultAsItIs) {
    const Json result = full_run();
    EXPECT_TRUE(testing::result_in(report_page(result)) == result);
}

TEST(Report, NoTextOfTheResultCanEndItsElement) {
    Json result = testing::sample_result();
    result["scenario"] = "</script><script>alert(1)</script><!--";
    const std::string page = report_page(result);
    EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
    EXPECT_TRUE(testing::result_in(page) == result);
}

TEST(Report, NamesNothingOutsideItself) {
    const std::string page = report_page(testing::sample_result());
    const std::string frame = page.substr(0, page.find("<script"));
    EXPECT_NE(frame.find("default-src 'none'"), std::string::npos) << "the browser itself forbids loading";
    for (const char* text : {" src=", " href=", "@import", "url("}) {
        EXPECT_EQ(frame.find(text), std::string::npos) << text;
    }
    for (const char* text : {"@style@", "@result@", "@library@", "@script@"}) {
        EXPECT_EQ(page.find(text), std::string::npos) << text;
    }
}

TEST_F(ReportInBrowser, WarnsAtTheTop) {
    Json run = full_run();
    run["warnings"] = {"not steady while it was measured"};
    run["steady_state"]["warm_up"]["text"] = "steady after 700 commands";
    const OpenedPage page = open(run);
    EXPECT_TRUE(page.shows("Warning: not steady while it was measured."));
    EXPECT_TRUE(page.shows("Warm-up: steady after 700 commands."));
}

TEST_F(ReportInBrowser, ARunWithEverything) {
    const OpenedPage page = open(full_run());
    // Six figures; throughput, depth, commands, latency, busy, buffer, free space; histogram and percentiles;
    // stages; dies in total, for host, for gc; channels for host.
    EXPECT_EQ(page.plots, 6 + 7 + 2 + 1 + 3 + 1);
    for (const char* text :
         {"tb_example", "dram.background", "checks hold: commands, contents, stages, NAND rules<",
          "Workload random,count=102", "Where the time went", "die wait", "100 reads checked", "nand",
          "geometry.channels"}) {
        EXPECT_TRUE(page.shows(text)) << text;
    }
}

TEST_F(ReportInBrowser, ShowsTheAccountOfATrace) {
    Json run = full_run();
    run["traces"] = Json::parse(R"([{
        "file": "old/prxy.csv.xz", "format": "msr", "format_by": "by content", "requests": 1234, "reads": 1000,
        "writes": 234, "trims": 0, "flushes": 0, "write_zeroes": 0, "span_s": 60, "lowest_lba": 8,
        "highest_lba": 4095, "device_count": 3, "devices": [{"name": "prxy.0", "requests": 1200},
        {"name": "prxy.1", "requests": 30}], "other_devices": 0, "other_events": 0, "left_out": 0, "skipped": 7,
        "passed_lines": 0, "reordered": 2, "clamped": 0}])");
    const OpenedPage page = open(run);
    for (const char* text :
         {"old/prxy.csv.xz", "msr (by content)", "1,234", "reads 1,000, writes 234", "60.0 s", "8 to 4,095",
          "prxy.0 (1,200), prxy.1 (30), 1 more; laid on top of each other", "skipped 7, reordered 2"}) {
        EXPECT_TRUE(page.shows(text)) << text;
    }
    EXPECT_FALSE(page.shows("format_by"));
}

TEST_F(ReportInBrowser, ReportsAnIdealLink) {
    Json result = full_run();
    result["config"]["sata"]["generation"] = "ideal";
    EXPECT_TRUE(open(result).shows("Ideal link: frames take no time"));
}

TEST_F(ReportInBrowser, AStudyWithPointsClaimsAndFiguresOfEveryKind) {
    Json study = testing::sample_study();
    add_figures(study, testing::sample_figures());
    const OpenedPage page = open(study);
    EXPECT_EQ(page.plots, 6 + 1) << "figures, and the stages of the points";
    for (const char* text :
         {"tb_study", "twice the channels, twice the throughput", "2.0 times", "not reproduced",
          "both points are the same run", "✗ checks hold at all 2 points; 1 of 2 claims reproduced",
          "every check holds at all 2 points", "Varied: channels", "The same everywhere: policy greedy"}) {
        EXPECT_TRUE(page.shows(text)) << text;
    }
}

int count_of(const OpenedPage& page, const std::string& text) {
    int count = 0;
    for (std::size_t at = page.report.find(text); at != std::string::npos;
         at = page.report.find(text, at + 1)) {
        ++count;
    }
    return count;
}
/// Spans in the curves that were not measured, and their edges in the maps.
int shaded(const OpenedPage& page) {
    return count_of(page, "fill=\"#8a94a0\"");
}
int marked(const OpenedPage& page) {
    return count_of(page, "stroke=\"#b3261e\"");
}

TEST_F(ReportInBrowser, ShowsWhereTheWarmUpEnds) {
    Json run = full_run();
    const OpenedPage whole = open(run);
    EXPECT_EQ(shaded(whole) + marked(whole), 0);
    EXPECT_FALSE(whole.shows("after the warm-up"));
    EXPECT_TRUE(whole.shows(">Simulated<"));
    run["series"]["measured_us"] = {1500, 6000};
    const OpenedPage warm = open(run);
    EXPECT_EQ(warm.plots, whole.plots);
    EXPECT_TRUE(warm.shows("Measured from 1.50 ms to 6.00 ms, after the warm-up"));
    EXPECT_TRUE(warm.shows(">Measured<"));
    EXPECT_TRUE(warm.shows("whole run: 102 requests"));
    EXPECT_EQ(shaded(warm), 7) << "one in each curve";
    EXPECT_EQ(marked(warm), 3 + 1) << "maps of dies and channels";
    run["series"]["measured_us"] = {1500, 5000};
    const OpenedPage both = open(run);
    EXPECT_EQ(shaded(both), 2 * 7) << "the end, too";
    EXPECT_EQ(marked(both), 2 * (3 + 1));
}

TEST_F(ReportInBrowser, TheBadgeSaysWhatWasChecked) {
    Json run = full_run();
    run["verify"]["reads_checked"] = 0;
    EXPECT_TRUE(open(run).shows("checks hold: commands, stages, NAND rules; no contents were checked"));
    EXPECT_TRUE(open(make_result({}, {}, {}, {})).shows("nothing was checked: no command completed"));

    Json study = testing::sample_study();
    study["claims"] = Json::array();
    EXPECT_TRUE(open(study).shows("✓ checks hold at all 2 points<"));
    study["points_interrupted"] = 610;
    EXPECT_TRUE(open(study).shows("◐ checks hold at all 2 points; 610 more have not ended<"));
    study.erase("points_interrupted");
    study["points"][1]["result"] = {{"map_cache", Json::object()}};
    const OpenedPage part = open(study);
    EXPECT_TRUE(part.shows("✓ checks hold at 1 of 2 points<"));
    EXPECT_TRUE(part.shows("1 points were computed without a drive: nothing was checked"));
    study["points"][0]["result"] = {{"map_cache", Json::object()}};
    EXPECT_TRUE(open(study).shows("◐ nothing was checked<"));
}

TEST_F(ReportInBrowser, DeduplicationOverTime) {
    Json run = testing::sample_dedup_result();
    run["series"] = sample_series();
    const int without = open(run).plots;
    run["series"]["dedup"] = Json::parse(R"({"checked": [4, 6, 0], "duplicates": [2, 3, 0],
        "saved_pages": [2, 5, 5], "waiting": [8, 4, 4]})");
    const OpenedPage page = open(run);
    EXPECT_EQ(page.plots, without + 1);
    EXPECT_TRUE(page.shows("Duplicates found since the start"));
    EXPECT_TRUE(page.shows("offline_separated")) << "the section is among the further fields";
}

TEST_F(ReportInBrowser, ResultsWithoutCommands) {
    EXPECT_EQ(open(make_result({}, {}, {}, {})).plots, 0);
    EXPECT_EQ(open(make_study_result({"tb_study", 1, Json::object(), 0.0}, {}, {})).plots, 0);
}

TEST_F(ReportInBrowser, AFlushAlone) {
    HostMetrics metrics;
    testing::observe(metrics,
                     testing::finished_command(0, Operation::flush, Ps{0}, testing::kMicrosecond, 0));
    EXPECT_EQ(open(make_result(testing::sample_run(), metrics, {}, {})).plots, 3)
        << "histogram, percentiles, stages";
}

TEST_F(ReportInBrowser, ALatencyOfZero) {
    HostMetrics metrics;
    testing::observe(metrics, testing::finished_command(0, Operation::trim, Ps{0}, Ps{0}, 0));
    EXPECT_EQ(open(make_result(testing::sample_run(), metrics, {}, {})).plots, 2) << "no stage took time";
}

TEST_F(ReportInBrowser, AFailedRunIsReportedFirst) {
    DeviceTelemetry device = testing::sample_telemetry();
    device.violations["erase_before_program"] = 3;
    const OpenedPage page =
        open(make_result(testing::sample_run(), testing::sample_metrics(), device, {100, 7}));
    EXPECT_TRUE(page.shows("2 checks do not hold"));
    EXPECT_TRUE(page.shows("7 sectors read back something else"));
    EXPECT_TRUE(page.shows("erase before program 3"));

    Json faulty = testing::sample_result();
    faulty["faults"] = {"the firmware's books disagree: LPN 7"};
    const OpenedPage told = open(faulty);
    EXPECT_TRUE(told.shows("1 check does not hold"));
    EXPECT_TRUE(told.shows("books disagree: LPN 7"));
    Json study = testing::sample_study();
    study["points"][1]["result"] = nullptr;
    EXPECT_TRUE(open(study).shows("1 point fails a check"));
}

TEST_F(ReportInBrowser, FieldsOfLaterVersionsAreListed) {
    Json result = full_run();
    result["precondition"] = {{"fill", 1.0}, {"seconds", 3.5}};
    result["novelty"] = {1, {{"deep", nullptr}}};
    result["host"]["novel"] = "x";
    result["series"]["novel"] = {1, 2};
    result["figures"].push_back({{"id", "f"}, {"kind", "pie"}});
    const OpenedPage page = open(result);
    EXPECT_TRUE(page.shows("precondition"));
    EXPECT_TRUE(page.shows("novelty"));
}

TEST_F(ReportInBrowser, HostileNamesAreText) {
    const std::string evil = "<img src=x onerror=console.error(1)><script>console.error(2)</script>\"'&{{}}";
    Json run = full_run();
    run["scenario"] = evil;
    run["parameters"] = {{"trace", {evil + ".nbd"}}, {evil, evil}};
    run["config"][evil] = {{evil, evil}};
    run["config"]["preset"] = evil;
    run["firmware"][evil] = 1;
    run["nand"]["violations"][evil] = 1;
    run[evil] = {{evil, evil}};
    for (Json& figure : run["figures"]) {
        figure["title"] = figure["caption"] = figure["x"]["label"] = figure["y"]["label"] = evil;
        if (figure.contains("series")) {
            figure["series"][0]["name"] = evil;
        }
    }
    const OpenedPage page = open(run);
    EXPECT_TRUE(page.shows("&lt;img src=x"));
    EXPECT_FALSE(page.shows("<img"));

    Json study = testing::sample_study();
    study["points"][0]["parameters"] = {{evil, evil}};
    study["claims"][0]["claim"] = study["claims"][0]["reason"] = study["claims"][0]["verdict"] = evil;
    EXPECT_FALSE(open(study).shows("<img"));
}

}  // namespace
}  // namespace solidtlm::testbench
