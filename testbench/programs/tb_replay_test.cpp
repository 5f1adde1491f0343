// SPDX-License-Identifier: Apache-2.0
//
// tb_replay as a user runs it: results, and every mistake that must end with exit code 2 before anything is
// simulated.
#include <sys/mount.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "fw/testing/files.h"
#include "fw/testing/places.h"
#include "testbench/programs/tb_replay_fixture.h"
#include "testbench/show/report/browser.h"

namespace solidtlm {
namespace {

namespace fs = std::filesystem;
using namespace solidtlm::testbench;

const char* const kGoodTrace =
    "# t_us op lba512 nsect flags content\n"
    "0 W 0 8 - +\n"
    "10 R 0 8\n"
    "20 T 0 8\n"
    "30 F 0 0\n";

TEST_F(TbReplay, WritesAResultThatItsSchemaAccepts) {
    const std::string trace = file("good.nbd", kGoodTrace);
    const fs::path out = folder_ / "out";
    const Outcome run = execute("--preset tiny --trace " + trace + " --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    const Json result = result_in(out);
    EXPECT_EQ(result["schema"], "solidtlm.result/1");
    EXPECT_EQ(result["scenario"], "tb_replay");
    EXPECT_EQ(result["host"]["requests"], 4);
    EXPECT_EQ(result["host"]["read"]["bytes"], 4096);
    EXPECT_EQ(result["host"]["trim"]["count"], 1);
    EXPECT_EQ(result["ledger"]["residual_ns"], 0.0);
    EXPECT_EQ(result["verify"]["reads_checked"], 1);
    expect_valid_result(out);
}

TEST_F(TbReplay, WritesAResultOfABlockMappedDriveThatItsSchemaAccepts) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(
        "--preset tiny --set firmware.translation=fast --workload random,count=500 --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    expect_valid_result(out);
}

TEST_F(TbReplay, RunsBehindAnAdapter) {
    const fs::path out = folder_ / "out";
    const Outcome run = execute(
        "--preset tiny --host ahci --set host.ahci.register_access=300ns --set host.ahci.dma_access=200ns "
        "--queue-depth 1 --precondition fill=0.5 --save-state " +
        (folder_ / "drive").string() + " --workload random,read=0.5,count=500 --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    const Json result = result_in(out);
    expect_valid_result(out);
    EXPECT_EQ(result["ledger"]["residual_ns"], 0.0);
    EXPECT_NEAR(result["ledger"]["stages_us"]["hba_fetch"].get<double>(), 0.4, 1e-9)
        << "header and command FIS";
    EXPECT_GE(result["hardware"]["adapter.register_writes"], 2 * 500);
    EXPECT_EQ(result["hardware"]["adapter.dma_bytes.data"], 500 * 4096 + 2 * 512)
        << "IDENTIFY DEVICE and log 13h come first";
    const Outcome again =
        execute("--preset tiny --host ahci --content bytes --load-state " + (folder_ / "drive").string() +
                " --workload random,read=1,count=500 --out " + out.string());
    EXPECT_EQ(again.code, 0) << again.output;
}

TEST_F(TbReplay, AnAdapterRefusesPowerCuts) {
    expect_refused("--preset tiny --host ahci --workload random --power-cut-every 1ms",
                   {"--power-cut-every: found with host.interface = \"ahci\"; allowed: with link"});
}

/// Replays with a report and opens it; skips the test if no browser is installed.
class TbReplayReport : public TbReplay {
  protected:
    void SetUp() override {
        if (!testbench::testing::have_browser()) {
            GTEST_SKIP() << "chromium is not installed";
        }
    }
    testbench::testing::OpenedPage report_of(const std::string& arguments) {
        const fs::path out = folder_ / "out";
        const Outcome run = execute(arguments + " --quiet --out " + out.string());
        EXPECT_EQ(run.code, 0) << run.output;
        const std::string html = testbench::testing::file_text(out / "report.html");
        const auto result = Json::parse(testbench::testing::file_text(out / "result.json"));
        EXPECT_TRUE(testbench::testing::result_in(html) == result) << "the page and result.json differ";
        testbench::testing::OpenedPage page = testbench::testing::open_page(out / "report.html");
        testbench::testing::expect_sound(page);
        return page;
    }
};

TEST_F(TbReplayReport, ShowsARunWithGarbageCollection) {
    const auto page = report_of("--preset tiny --workload random,read=0.5,trim=0.02,flush=50,count=20000");
    // Throughput, depth, commands, latency, busy, buffer, free space; histogram and percentiles; stages; dies
    // in total, for host, gc and erase; channels in total, for host and gc.
    EXPECT_EQ(page.plots, 7 + 2 + 1 + 4 + 3);
    EXPECT_TRUE(page.shows("Workload random,read=0.5,trim=0.02,flush=50,count=20000; pacing closed"));
    EXPECT_TRUE(page.shows("checks hold: commands, contents, stages, NAND rules<"));
}

TEST_F(TbReplayReport, ShowsRunsOfOneKindOnly) {
    const std::string flushes =
        file("flush.nbd", "# t_us op lba512 nsect flags content\n0 F 0 0\n10 F 0 0\n");
    EXPECT_GT(report_of("--preset tiny --trace " + flushes).plots, 0);
    EXPECT_GT(report_of("--preset tiny --workload random,read=1,count=500").plots, 0);
    EXPECT_GT(report_of("--preset tiny --workload random,read=1,count=1").plots, 0);
}

TEST_F(TbReplayReport, TakesAHostileFileNameForText) {
    const std::string trace = file("<script>alert(1)<script>&'.nbd", kGoodTrace);
    EXPECT_TRUE(report_of("--preset tiny --trace \"" + trace + "\"").shows("&lt;script&gt;alert(1)"));
}

TEST_F(TbReplay, MeasuresAfterTheWarmUp) {
    const fs::path out = folder_ / "out";
    const std::string run_it =
        "--preset tiny --workload random,read=1,count=2000 --queue-depth 4 --quiet --out ";
    EXPECT_EQ(execute(run_it + out.string() + " --warm-up 500").code, 0);
    const auto result = Json::parse(testing::file_text(out / "result.json"));
    // From the issue of command 501 to the first completion after the last issue: all but the commands under
    // way at either end.
    EXPECT_GE(result["host"]["completed"], 1500 - 4);
    EXPECT_LE(result["host"]["completed"], 1500 + 4);
    EXPECT_EQ(result["parameters"]["warm_up"], 500);
    const Outcome nothing = execute(run_it + out.string() + " --warm-up 5000");
    EXPECT_EQ(nothing.code, 1);
    EXPECT_NE(nothing.output.find("nothing was measured"), std::string::npos) << nothing.output;
}

/// A column of times in a table of commands.
std::vector<std::int64_t> times_in(const fs::path& table, const std::string& name) {
    std::ifstream in(table);
    std::string line;
    std::getline(in, line);
    const auto column = std::ranges::count(line.substr(0, line.find(name)), ',');
    std::vector<std::int64_t> times;
    while (std::getline(in, line)) {
        std::istringstream fields(line);
        std::string field;
        for (std::ptrdiff_t i = 0; i <= column; ++i) {
            std::getline(fields, field, ',');
        }
        times.push_back(std::stoll(field));
    }
    return times;
}

std::uint64_t sum_of(const Json& values) {
    return std::accumulate(
        values.begin(), values.end(), std::uint64_t{0},
        [](std::uint64_t sum, const Json& value) { return sum + value.get<std::uint64_t>(); });
}

// Coalesced interrupts end many commands at one instant. The curves lose none of them. A window that begins
// at such an instant, with the first command that follows it, counts those that end later, up to its end.
TEST_F(TbReplay, CountsCommandsThatEndAtOneInstant) {
    const fs::path table = folder_ / "commands.csv";
    const std::string run_it = "--preset tiny --workload random,read=1,count=300 --quiet --commands " +
                               table.string() + " --set host.coalesce_time=";
    for (const char* time : {"33us", "100us", "1ms"}) {
        const Json whole = result_of(run_it + time, "whole");
        EXPECT_EQ(whole["host"]["read"]["count"], 300);
        EXPECT_EQ(sum_of(whole["series"]["operations"]["read"]["commands"]), 300U) << time;
        EXPECT_EQ(sum_of(whole["series"]["operations"]["read"]["bytes"]), 300U * 4096) << time;

        const std::vector<std::int64_t> ends = times_in(table, "completed_ps");
        std::vector<std::int64_t> begins = times_in(table, "issued_ps");
        ASSERT_EQ(ends.size(), 300U);
        std::ranges::sort(begins);
        const auto first = std::ranges::find_if(begins.begin() + 100, begins.end(), [&](std::int64_t at) {
            return std::ranges::count(ends, at) > 1;
        });
        ASSERT_LT(first - begins.begin(), 200) << time;
        const Json window =
            result_of(run_it + time + " --warm-up " + std::to_string(first - begins.begin()), "window");
        const auto edge = [&](std::size_t which) {
            return begins[0] + std::llround(window["series"]["measured_us"][which].get<double>() * 1e6);
        };
        EXPECT_EQ(edge(0), *first);
        EXPECT_GT(std::ranges::count(ends, edge(1)), 1) << "it ends at such an instant, too";
        EXPECT_EQ(window["host"]["completed"],
                  std::ranges::count_if(ends, [&](std::int64_t at) { return at > edge(0) && at <= edge(1); }))
            << time;
    }
}

// Each planned cut happens, or the result says why it did not.
TEST_F(TbReplay, WarnsOfPowerCutsThatDoNotHappen) {
    const std::string run_it = "--preset tiny --workload random,read=0.7,count=2000 ";
    const auto warnings = [&](const std::string& options, std::uint64_t cuts) {
        const Json result = result_of(run_it + options);
        EXPECT_EQ(result["power"]["cuts"], cuts) << options;
        return result.value("warnings", std::vector<std::string>());
    };
    EXPECT_EQ(warnings("--power-cut-at 3ms,7ms", 2), std::vector<std::string>());
    const auto late = warnings("--power-cut-at 3ms,1000s,2000s,3000s,4000s", 1);
    ASSERT_EQ(late.size(), 1U);
    EXPECT_TRUE(
        late[0].starts_with("no power cut at 1000s, 2000s, 3000s, ... (4 in all): the run ended at 0."))
        << late[0];
    EXPECT_EQ(
        warnings("--power-cut-at 3ms,3.5ms,7ms", 2),
        std::vector<std::string>{"no power cut at 3.5ms: the drive had no power then, after another cut"});
    const auto never = warnings("--power-cut-every 1000s", 0);
    ASSERT_EQ(never.size(), 1U);
    EXPECT_TRUE(never[0].starts_with("no power cut: the run ended at 0.")) << never[0];
    expect_text(execute(run_it + "--power-cut-at 1000s"), {"warning: no power cut at 1000s"});
}

TEST_F(TbReplay, WarmsUpUntilTheDriveIsSteady) {
    const fs::path out = folder_ / "out";
    const std::string run_it =
        "--preset tiny --precondition --workload random,read=0,count=40000 --out " + out.string();
    const Outcome run = execute(run_it + " --warm-up steady");
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("warm-up: steady after "), std::string::npos) << run.output;
    EXPECT_EQ(run.output.find("warning"), std::string::npos) << run.output;
    expect_valid_result(out);
    const Json result = result_in(out);
    EXPECT_EQ(result["parameters"]["warm_up"], "steady");
    EXPECT_EQ(result["steady_state"]["warm_up"]["verdict"], "steady");
    EXPECT_EQ(result["steady_state"]["measured"]["verdict"], "steady");
    EXPECT_NEAR(result["host"]["completed"].get<double>() +
                    result["steady_state"]["warm_up"]["commands"].get<double>(),
                40'000, 32);
}

TEST_F(TbReplay, SaysWhatItsNumbersAreWorth) {
    const std::string run_it = "--preset tiny --workload random,count=";
    const auto expect_state = [&](const std::string& arguments, const std::string& text) {
        expect_text(execute(run_it + arguments), {"\nstate: " + text});
    };
    expect_state("20000,read=0", "drifting: write amplification varies by ");
    expect_state("500,read=0", "filling: nothing was collected, because ");
    expect_state("500,read=0 --precondition", "too short to judge, 1.9 of 3 rounds of collection; about ");
    expect_state("100,read=1", "too short to judge; about ");
    expect_state("20000,read=1", "steady, nothing was written; p99 ");
    expect_state("20000,read=0 --precondition --seed 3", "steady over 78 rounds of collection; p99 ");
    const Outcome in_vain = execute(run_it + "1000,read=0 --warm-up steady");
    expect_text(in_vain, {"warning: the drive was not known to be steady"});
}

// The run ends as soon as it knows; the precision that it names is that of its result.
TEST_F(TbReplay, EndsWhenQuantitiesAreKnown) {
    const fs::path out = folder_ / "out";
    const std::string run_it = "--preset tiny --precondition --workload random,read=0.5,count=200000 --out " +
                               out.string() + " --until ";
    EXPECT_EQ(execute(run_it + "known,mean=5%,p99=20%").code, 0);
    expect_valid_result(out);
    const Json result = result_in(out);
    EXPECT_EQ(result["parameters"]["until"], "known,mean=5%,p99=20%");
    EXPECT_LT(result["host"]["requests"], 200'000);
    const Json& state = result["state"];
    EXPECT_EQ(state["kind"], "steady");
    EXPECT_GE(state["rounds"], 3);
    for (const auto& [name, most] :
         std::vector<std::pair<std::string, double>>{{"mean", 0.05}, {"p99", 0.2}}) {
        const Json& interval = state["intervals"][name];
        EXPECT_LE(interval["half_width"].get<double>(), most * interval["value"].get<double>()) << name;
    }
    EXPECT_EQ(execute(run_it + "known,mean=0.1%,40ms").code, 0);
    const Json late = result_in(out);
    EXPECT_EQ(late["parameters"]["until"], "40ms,known,mean=0.1%");
    EXPECT_LT(late["sim_time_s"].get<double>(), 0.05) << "the time came first";
    expect_refused(run_it + "known,p98=2%", {"--until: p98: unknown quantity; did you mean p95?; known: "});
    expect_refused(run_it + "p99=2%", {"--until: found a quantity without known"});
    expect_refused(run_it + "known,p99=0", {"--until: p99: found 0; allowed: share from 0.001 to 1"});
    expect_refused(run_it + "known,p99=1%,p99=2%", {"--until: p99: given twice"});
}

// Half of the range is read, and all of the sectors that a trace reads have been written.
TEST_F(TbReplay, ReadsFindData) {
    const fs::path out = folder_ / "out";
    const auto unwritten = [&](const std::string& arguments, const std::string& expected) {
        const Outcome run = execute("--preset tiny " + arguments + " --out " + out.string());
        EXPECT_EQ(run.code, 0) << run.output;
        EXPECT_NE(run.output.find(expected), std::string::npos) << run.output;
        expect_valid_result(out);
        return result_in(out)["firmware"]["host.read_unwritten_units"].get<double>();
    };
    const std::string half = "--workload random,read=1,count=500,range=0-4MiB";
    EXPECT_EQ(unwritten(half, "drive: filled where the load reads, 4 MB ("), 0.0);
    EXPECT_EQ(result_in(out)["precondition"]["spec"], "reads");
    EXPECT_FALSE(result_in(out).contains("warnings"));
    EXPECT_EQ(unwritten(half + " --precondition none",
                        "warning: 100.0 % of the units read had never been written or were trimmed"),
              500.0);
    EXPECT_EQ(unwritten("--workload random,read=0,count=500", "drive: empty, and the load reads nothing"),
              0.0);
    const std::string trace = file("good.nbd", "0 R 0 8\n10 R 800 16\n20 W 0 8\n30 T 0 8\n40 R 0 8\n");
    EXPECT_EQ(unwritten("--trace " + trace, "warning: 25.0 % of the units read"), 1.0)
        << "what was trimmed is read without flash";
}

TEST_F(TbReplay, AgesTheDriveAndReportsIt) {
    const fs::path out = folder_ / "out";
    const std::string run_it = "--preset tiny --precondition fill=0.9,random=1 --workload random,count=500";
    const Outcome run = execute(run_it + " --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("drive: aged, fill=0.9,random=1: "), std::string::npos) << run.output;
    const Json first = without_wall_times(result_in(out));
    EXPECT_GT(first["precondition"]["programs"], 0);
    EXPECT_EQ(first["nand"]["programs"], 0) << "ageing does not count as part of the run";
    EXPECT_EQ(execute(run_it + " --out " + out.string()).code, 0);
    EXPECT_EQ(without_wall_times(result_in(out)), first) << "the same seed, the same bytes";
}

TEST_F(TbReplay, RefusesAgeingThatMakesNoSense) {
    for (const char* spec : {"fill=2", "size=100", "fill=0.01,size=1MiB", "random"}) {
        const Outcome run =
            execute("--preset tiny --workload random,count=10 --precondition " + std::string(spec));
        EXPECT_EQ(run.code, 2) << spec << "\n" << run.output;
        EXPECT_EQ(run.output.rfind("error: --precondition", 0), 0U) << run.output;
    }
}

TEST_F(TbReplay, RefusesDeduplicationThatCannotBe) {
    const std::string online = "--preset tiny --workload random,count=10 --set firmware.dedup.system=online ";
    const Outcome blocks = execute(online + "--set firmware.translation=bast");
    EXPECT_EQ(blocks.code, 2);
    EXPECT_EQ(blocks.output.rfind("error: --set: firmware.translation: found deduplication with a "
                                  "block-mapped firmware.translation; allowed: page_map",
                                  0),
              0U)
        << blocks.output;
    const Outcome no_content = execute(online + "--set content=none --set firmware.dedup.table_size=48");
    EXPECT_EQ(no_content.code, 2);
    for (const char* part : {"allowed: content = tags or bytes", "allowed: at least 3072 (64 entries"}) {
        EXPECT_NE(no_content.output.find(part), std::string::npos) << no_content.output;
    }
}

TEST_F(TbReplay, ListsItsFeatures) {
    const Outcome help = execute("--help-all");
    EXPECT_EQ(help.code, 0);
    for (const char* option : {"--list-presets", "--preset", "--set", "--trace", "--out", "--seed", "--jobs",
                               "--quiet", "--workload", "--fit", "--format", "Examples"}) {
        EXPECT_NE(help.output.find(option), std::string::npos) << option;
    }
    const Outcome presets = execute("--list-presets");
    EXPECT_EQ(presets.code, 0);
    for (const char* preset : {"default", "agrawal", "jasmine", "enterprise", "nvme", "qlc", "small_block",
                               "study_b", "study_c", "tiny", "tlc", "tlc_dramless"}) {
        EXPECT_NE(presets.output.find(preset), std::string::npos) << preset;
    }
}

TEST_F(TbReplay, WritesNoReportWhereNoneIsWanted) {
    const Json result = result_of("--preset tiny --workload random,count=100 --no-report");
    EXPECT_EQ(result["host"]["completed"], 100);
    EXPECT_FALSE(fs::exists(folder_ / "out" / "report.html"));
    EXPECT_FALSE(result["parameters"].contains("no_report")) << "no result depends on it";
}

TEST_F(TbReplay, ShowsADriveWithoutBeingGivenRequests) {
    const Outcome shown = execute("--preset jasmine --show-config");
    EXPECT_EQ(shown.code, 0) << shown.output;
    expect_text(shown, {"preset = \"jasmine\"", "[nand.geometry]"});
    const std::string copy = file("copy.toml", shown.output);
    EXPECT_EQ(execute("--config " + copy + " --show-config").output, shown.output) << "it can be read back";
    expect_text(execute("--set firmware.unit=16k --show-config"), {"unit = \"16KiB\""});
    // Options that are given are still checked.
    expect_refused("--show-config --set nand.geometry.chanels=4",
                   {"nand.geometry.chanels: unknown key; did you mean nand.geometry.channels?"});
    expect_refused("--show-config --compare " + (folder_ / "missing.toml").string(), {"missing.toml"});
    expect_refused("", {"nothing to run: give a trace (--trace FILE) or a workload (--workload SPEC)",
                        "here or in a run file; --help has examples"});
    // Another mistake may be why there is nothing to run.
    for (const std::string& mistake :
         {std::string("--prest tiny"), std::string("--set nand.geometry.chanels=4"),
          "--config " + (folder_ / "missing.toml").string(),
          "--rerun " + (folder_ / "missing.json").string()}) {
        const Outcome refused = execute(mistake);
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(refused.output.find("nothing to run"), std::string::npos) << refused.output;
    }
    const std::string trace = file("good.nbd", kGoodTrace);
    expect_refused(trace, {"unexpected argument " + trace + "; did you mean --trace " + trace + "?"});
    expect_refused("--trace " + folder_.string(), {folder_.string() + ": is a directory"});
}

TEST_F(TbReplay, ADryRunChecksEverythingAndLeavesNothing) {
    const std::string trace = file("good.nbd", kGoodTrace);
    const fs::path out = folder_ / "deep/out";
    const Outcome run = execute("--preset tiny --dry-run --trace " + trace + " --out " + out.string());
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_EQ(run.output,
              "trace good.nbd: nbd (by content: its first 4 lines read so)\n"
              "  4 requests: 1 read, 1 write, 1 trim, 1 flush, within 30.0 us, sectors 0 to 7\n"
              "dry run: no mistake found; 4 requests not simulated\n");
    EXPECT_FALSE(fs::exists(out.parent_path()));
    EXPECT_EQ(execute("--preset tiny --dry-run --quiet --workload random,count=5").output, "");
    expect_text(execute("--dry-run --workload random,count=1M --compare-set nand.geometry.channels=16"),
                {"2 points", "not simulated"});
    expect_refused(
        "--preset tiny --dry-run --trace " + file("bad.nbd", std::string(kGoodTrace) + "40 X 0 8\n"),
        {"bad.nbd:6: nbd: column 2: found 'X'"});
}

// The XFS log begins 2 sectors into a 4 KiB block: 6 sectors, then whole blocks. It is read as a whole and in
// parts. Of its 4 KiB pages, 8 to 11 repeat 0 to 3 (2 sectors never written and a fragment, 3 blocks), and 17
// repeats 1.
TEST_F(TbReplay, VerifiesUnalignedWritesWithContents) {
    const std::string trace = file("log.nbd",
                                   "0 W 2 30 - +4\n"
                                   "10 W 66 30 FUA 1-4\n"
                                   "20 W 131 3 - +\n"
                                   "30 W 135 10 - 5,2,0\n"
                                   "40 F 0 0\n"
                                   "50 R 0 160\n"
                                   "60 R 5 1\n"
                                   "70 R 69 9\n");
    for (const char* mode : {"tags", "bytes"}) {
        for (const char* dedup : {"none", "online"}) {
            const Json result = result_of("--preset tiny --precondition none --content " + std::string(mode) +
                                          " --trace " + trace + " --set firmware.dedup.system=" + dedup);
            EXPECT_EQ(result["host"]["failed"], 0);
            EXPECT_EQ(result["verify"]["reads_checked"], 3);
            EXPECT_EQ(result["verify"]["mismatches"], 0);
            if (std::string_view(dedup) == "online") {
                EXPECT_EQ(result["dedup"]["duplicates"], 5);
            }
        }
    }
}

TEST_F(TbReplay, EveryPresetRunsARandomMix) {
    for (const char* preset : {"default", "agrawal", "jasmine", "enterprise", "nvme", "qlc", "small_block",
                               "study_b", "study_c", "tiny", "tlc", "tlc_dramless"}) {
        const Outcome run = execute(
            "--preset " + std::string(preset) +
            " --workload random,read=0.5,size=4k:3/64k:1,trim=0.02,trim_size=32k,flush=50,count=2000");
        EXPECT_EQ(run.code, 0) << preset << "\n" << run.output;
        EXPECT_NE(run.output.find("all right"), std::string::npos) << run.output;
    }
}

TEST_F(TbReplay, LosesPowerButNoDurableData) {
    const Outcome run = execute(
        "--preset tiny --workload random,read=0.3,trim=0.02,flush=20,count=3000 --power-cut-every 5ms "
        "--power-off 100us --set firmware.trim.persist=journal");
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("Power cuts"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("all right"), std::string::npos) << run.output;
}

TEST_F(TbReplay, RefusesPowerCutsWithoutRecovery) {
    expect_refused(
        "--preset tiny --set firmware.translation=fast --workload random,count=10 --power-cut-at 1ms",
        {"--power-cut-at: found with firmware.translation = \"fast\"; allowed: with page_map"});
    expect_refused("--preset tiny --workload random,count=10 --power-cut-every soon",
                   {"--power-cut-every: found soon"});
}

// The boot takes 0.6 ms, so the processor never finishes the first command and the run would not end.
TEST_F(TbReplay, RefusesPowerCutsThatLeaveNoTimeForACommand) {
    const std::string drive = "--preset tiny --workload random,count=10 ";
    const Outcome refused = execute(drive + "--power-cut-every 1ms --set host.submit_time=10ms");
    EXPECT_EQ(refused.code, 2) << refused.output;
    EXPECT_NE(refused.output.find("found power cuts 1ms after the drive is ready"), std::string::npos)
        << refused.output;
    for (const char* cuts : {"--power-cut-every 1ps", "--power-cut-every 20ms --set host.submit_time=10ms"}) {
        const Outcome run = execute(drive + cuts);
        EXPECT_EQ(run.code, 0) << run.output;
    }
}

// A run lasts at most 9,000,000 s (fw/hal/horizon.h). What is known before it begins is refused then.
TEST_F(TbReplay, RefusesLoadsThatLastLongerThanTime) {
    const std::string week = file("week.nbd", "0 W 0 8 - +1\n604800000000 R 0 8 -\n");
    const std::string most = file("most.nbd", "0 W 0 8 - +1\n5000000000000 R 0 8 -\n");
    const std::string tiny = "--preset tiny --format nbd --trace ";
    expect_refused(tiny + week + " --pacing open --speed 0.065",
                   {"--speed: found 0.065, with which a trace of 604800s lasts longer than 9000000s"});
    expect_refused(tiny + week + " --speed 1e-300", {"--speed: found 1e-300"});
    expect_refused(tiny + most + " --trace " + most,
                   {"--trace: found traces that together last longer than 9000000s (104 days)"});
    expect_refused(tiny + most + " --trace " + most + " --speed 1000", {"--trace: found traces"});
    const Json merged = result_of(tiny + most + " --trace " + most + " --merge", "merged");
    EXPECT_NEAR(merged["sim_time_s"].get<double>(), 5'000'000, 1) << "both at once";
    expect_refused(tiny + most + " --trace " + most + " --merge --speed 0.5",
                   {"--speed: found 0.5, with which a trace of 5000000s lasts longer than 9000000s"});
    expect_refused("--preset tiny --pacing open --speed 0.5 --workload random,count=300,interval=20000s",
                   {"--speed: found 0.5, with which the workload would last longer than 9000000s"});
    // 604800 s / 0.0675 = 8,960,000 s
    const Json slow = result_of(tiny + week + " --speed 0.0675", "slow");
    EXPECT_NEAR(slow["sim_time_s"].get<double>(), 8'960'000, 1);
    const Json part = result_of(tiny + week + " --speed 0.065 --until 9000000s", "part");
    EXPECT_EQ(part["host"]["completed"], 1);
    const Json closed = result_of(tiny + most + " --trace " + most + " --pacing closed", "closed");
    EXPECT_EQ(closed["host"]["completed"], 4) << "its times do not count";
}

// Only the run shows how many of these times there are.
TEST_F(TbReplay, EndsARunThatWouldLastLongerThanTime) {
    const std::string nbd = file("long.nbd", "0 W 0 8 - +1\n8999999900000 R 0 8 -\n");
    const std::string cut = "found a power cut at ";
    const std::string request = "found a request that comes after 9000000s (104 days) of simulated time";
    for (const auto& [options, text] :
         {std::pair{std::string("--workload random,read=0.5,count=2000 --power-cut-every 1ms "
                                "--power-off 2000000s"),
                    cut},
          {"--trace " + nbd + " --format nbd --power-cut-at 1s,8999999s --power-off 300000s", cut},
          // Four arrivals of 2,000,000 s each on average: with this seed, the last comes too late.
          {"--seed 8 --workload random,arrival=exponential,interval=2000000s,count=4", request},
          {"--workload random,rate=0.0000001,bytes=1m", request}}) {
        const Outcome run = execute("--preset tiny " + options + " --out " + (folder_ / "none").string());
        EXPECT_EQ(run.code, 2) << options << "\n" << run.output;
        expect_text(run, {text});
        EXPECT_FALSE(fs::exists(folder_ / "none" / "result.json"));
    }
}

TEST_F(TbReplay, SavesADriveAndContinuesWithIt) {
    const std::string drive = (folder_ / "aged.drive").string();
    const Json first =
        result_of("--preset tiny --precondition --workload random,read=0.5,count=500 --save-state " + drive);
    EXPECT_FALSE(first.contains("power"));
    const std::string go_on = "--preset tiny --load-state " + drive + " --workload random,count=500";
    const Json at_once = result_of(go_on);
    EXPECT_FALSE(at_once.contains("power"));
    EXPECT_EQ(at_once["verify"]["reads_checked"], 500);
    EXPECT_EQ(at_once["nand"]["by_cause"]["recovery"]["reads"], 0) << "it continues without a boot";
    EXPECT_EQ(result_of(go_on + " --boot instant")["nand"]["by_cause"]["recovery"]["reads"], 0)
        << "the boot was before the run";
    const Json second = result_of(go_on + " --boot timed");
    EXPECT_EQ(second["power"]["cuts"], 0);
    EXPECT_GT(second["power"]["boot_us"]["max"], 0.0);
    EXPECT_GT(second["power"]["audited_sectors"], 1000) << "the state after the first run is audited";
    EXPECT_EQ(second["verify"]["reads_checked"], 500);
    expect_refused(
        "--preset tiny --set nand.geometry.dies=1 --workload random,count=10 --load-state " + drive,
        {"aged.drive", "nand.geometry.dies was 2 and is 1"});
    const std::string other_policy = go_on + " --set firmware.gc.policy=fifo";
    expect_refused(other_policy, {"firmware.gc.policy was \"greedy\" and is \"fifo\"", "--boot instant"});
    EXPECT_EQ(result_of(other_policy + " --boot instant")["verify"]["reads_checked"], 500);
    expect_refused("--preset tiny --workload random,count=10 --load-state " + (folder_ / "absent").string(),
                   {"absent", "No such file"});
}

TEST_F(TbReplay, RefusesDrivesThatCannotBeSavedOrLoaded) {
    const std::string blocks = "--preset tiny --set firmware.translation=fast --workload random,count=10 ";
    expect_refused(blocks + "--save-state x --shutdown clean", {"--shutdown: found clean", "allowed: sleep"});
    expect_refused(blocks + "--load-state x --boot timed", {"--boot: found timed with firmware.translation"});
    expect_refused("--preset tiny --workload random,count=10 --load-state x --precondition",
                   {"--precondition: found with --load-state"});
    expect_refused("--preset tiny --workload random,count=10 --boot timed",
                   {"--boot: found without --load-state"});
    expect_refused("--preset tiny --workload random,count=10 --shutdown cut",
                   {"--shutdown: found without --save-state"});
    expect_refused("--preset tiny --workload random,count=10 --load-state x --compare-set seed=2",
                   {"--load-state, --save-state: found with --compare"});
    expect_refused("--preset tiny --workload random,count=10 --save-state " + folder_.string(),
                   {"--save-state: found", "a folder; allowed: the name of a file"});
    expect_refused(
        "--preset tiny --workload random,count=10 --load-state '' --save-state ''",
        {"--load-state: found nothing; allowed: the name of a file", "--save-state: found nothing"});
    expect_refused("--preset tiny --workload random,count=10 --save-state /proc/none/x",
                   {"cannot create folder /proc/none"});
    const fs::path folder = folder_ / "states";
    EXPECT_EQ(
        execute("--preset tiny --workload random,count=10 --dry-run --save-state " + (folder / "a").string())
            .code,
        0);
    EXPECT_FALSE(fs::exists(folder));
}

TEST_F(TbReplay, WritesNoFileOverAnother) {
    const std::string trace = file("good.nbd", kGoodTrace);
    const std::string run = "--preset tiny --trace " + trace + " ";
    const std::string other = (folder_ / "other").string();
    expect_refused(run + "--save-state " + trace, {"--save-state: found", "than those of --trace"});
    expect_refused(run + "--vcd " + other + " --save-state " + other,
                   {"--save-state: found", "than those of --vcd"});
    expect_refused(run + "--timeline " + (folder_ / "refused" / "result.json").string(),
                   {"--timeline: found", "than those of --out"});
    EXPECT_EQ(read_file(trace), kGoodTrace);
}

TEST_F(TbReplay, QuietPrintsNothing) {
    const Outcome run = execute("--preset tiny --workload random,count=100 --quiet");
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.output, "");
}

TEST_F(TbReplay, RefusesAMalformedLineFarDownTheTrace) {
    std::string trace = kGoodTrace;
    for (int i = 0; i < 5000; ++i) {
        trace += std::to_string(100 + i) + " R 0 8\n";
    }
    trace += "9999 R zero 8\n";
    expect_refused("--preset tiny --trace " + file("bad.nbd", trace), {"bad.nbd:5006", "expected"});
}

TEST_F(TbReplay, RefusesFilesThatCannotBeRead) {
    expect_refused("--trace " + (folder_ / "absent.nbd").string(), {"absent.nbd"});
    expect_refused("--trace " + folder_.string(), {folder_.string()});
    expect_refused("--trace " + file("empty.nbd", ""), {"empty.nbd"});
    expect_refused("--trace " + file("noise.bin", "\x01\x02\x03\xff\xfe nonsense\n"), {"noise.bin"});
}

TEST_F(TbReplay, RefusesATruncatedArchive) {
    const fs::path sample = source_path("traces/sample.nbd.xz");
    const std::string bytes = read_file(sample);
    expect_refused("--trace " + file("cut.nbd.xz", bytes.substr(0, bytes.size() / 2)), {"cut.nbd.xz"});
}

TEST_F(TbReplay, RefusesAddressesPastTheDeviceUnlessTheyAreFitted) {
    const std::string trace =
        file("far.nbd", "# t_us op lba512 nsect flags content\n0 R 999999999 8\n1 W 0 8 - +\n");
    expect_refused("--preset tiny --trace " + trace, {"far.nbd:2", "--fit"});
    EXPECT_EQ(execute("--preset tiny --fit wrap --trace " + trace).code, 0);
    EXPECT_EQ(execute("--preset tiny --fit scale --trace " + trace).code, 0);
}

TEST_F(TbReplay, RefusesUnusableRequests) {
    const std::string trace = file("good.nbd", kGoodTrace);
    expect_refused("--preset tiny --fit sideways --trace " + trace, {"--fit"});
    expect_refused("--preset tiny --pacing recorded_depth --trace " + trace, {"--pacing recorded_depth"});
    expect_refused("--preset tiny --pacing recorded_depth --workload random,count=10",
                   {"--pacing recorded_depth"});
    expect_refused("--preset tiny --pacing recorded --trace " + trace,
                   {"--pacing: found recorded; allowed: one of open, closed, recorded_depth; open keeps the "
                    "recorded times, recorded_depth the recorded depth of the queue"});
    expect_refused("--preset tiny --pacing closed --speed 2 --trace " + trace,
                   {"--speed: found with --pacing closed"});
    expect_refused("--preset tiny --speed 2 --workload random,count=10",
                   {"--speed: found with --pacing closed"});
    EXPECT_EQ(execute("--preset tiny --speed 2 --trace " + trace).code, 0);
    const Outcome pipe =
        shell("cat " + trace + " | " + built_path("tb_replay") + " --preset tiny --trace /dev/stdin");
    EXPECT_EQ(pipe.code, 2) << pipe.output;
}

TEST_F(TbReplay, FailedCommandsFailTheRun) {
    const Outcome run =
        execute("--preset tiny --set nand.rules.endurance_cycles=3 --workload random,read=0.5,count=100000");
    EXPECT_EQ(run.code, 1) << run.output;
    EXPECT_NE(run.output.find("commands failed"), std::string::npos);
}

TEST_F(TbReplay, ReportsHowAndWhyCommandsFailed) {
    const fs::path out = folder_ / "failed";
    const Outcome run = execute(
        "--preset tiny --set faults.cycles=3000 --set faults.lifetime.cycles=3000 --workload "
        "random,read=0.3,count=20000 --out " +
        out.string());
    EXPECT_EQ(run.code, 1) << run.output;
    expect_text(run, {" of 20000 commands failed: ", " write fault (DF), the first a write at LBA ",
                      "the drive has been read-only since ", " blocks retired, ", " of the reserve left"});
    const Json failures = result_in(out)["failures"];
    const Json& fault = failures["kinds"]["write_fault"];
    EXPECT_EQ(fault["count"], result_in(out)["host"]["failed"]);
    EXPECT_GT(fault["first"]["at_s"], 0.0);
    EXPECT_TRUE(failures["drive"]["read_only"]);
    EXPECT_GT(failures["drive"]["retired_blocks"], 0);
    EXPECT_LE(failures["drive"]["read_only_since_s"], fault["first"]["at_s"]);
}

TEST_F(TbReplay, EndsInOrderWhenASignalComes) {
    for (const auto& [name, code] : {std::pair{"INT", 130}, {"TERM", 143}}) {
        const fs::path out = folder_ / name;
        // The signal is sent when the first byte of the waveform arrives: the run is then under way.
        const std::string pipe = (folder_ / "pipe").string() + name;
        const Outcome run = shell("mkfifo " + pipe + "; (head -c 1 > /dev/null; kill -" + name +
                                  " $$; cat > /dev/null) < " + pipe + " & exec " + built_path("tb_replay") +
                                  " --preset tiny --workload random,read=0.5,count=100000000 --vcd " + pipe +
                                  " --out " + out.string());
        EXPECT_EQ(run.code, code) << run.output;
        expect_text(run, {"interrupted at ", std::string("error: interrupted by SIG") + name + " at "});
        const Json result = result_in(out);
        EXPECT_GT(result["interrupted_at_s"], 0.0);
        EXPECT_GT(result["host"]["completed"], 0);
        EXPECT_EQ(result["host"]["completed"], result["host"]["issued"]) << "outstanding commands have ended";
        EXPECT_EQ(result["faults"].size(), 1U) << result["faults"];
    }
}

TEST_F(TbReplay, ReportsWhatNeedsHowMuchMemory) {
    const Outcome run = shell(
        "ulimit -v 800000; " + built_path("tb_replay") +
        " --set nand.geometry.dies=16 --set nand.geometry.planes=4 --set nand.geometry.blocks=1024 --set "
        "nand.geometry.pages=1152 --set dram.size=16GiB --quiet --workload random,count=10");
    EXPECT_EQ(run.code, 1) << run.output;
    expect_text(run, {"error: out of memory: ", " GB)\n", "error: the drive exports ", " to verify it"});
}

TEST_F(TbReplay, ADriveThatPowersOnWithoutWriteCacheWritesThrough) {
    const std::string workload =
        " --preset tiny --workload random,read=0,count=500 --queue-depth 1 --quiet --out ";
    const auto mean = [&](const std::string& setting) {
        const fs::path out = folder_ / "cache";
        EXPECT_EQ(execute("--set " + setting + workload + out.string()).code, 0);
        return result_in(out)["host"]["write"]["latency_us"]["mean"].get<double>();
    };
    const double through = mean("firmware.write_buffer.policy=write_through");
    EXPECT_EQ(mean("sata.write_cache=false"), through);
    EXPECT_LT(mean("sata.write_cache=true"), through / 2);
}

TEST_F(TbReplay, RefusesZeroSizes) {
    expect_refused("--trace " + file("zero.nbd", std::string(kGoodTrace) + "40 R 0 0\n"), {"zero.nbd:6"});
    expect_refused("--workload random,size=0,count=10", {"size"});
    expect_refused("--workload random,count=0", {"count"});
}

TEST_F(TbReplay, RefusesImpossibleGeometryAndUnknownKeysAllAtOnce) {
    const std::string config = file("bad.toml",
                                    "[nand.geometry]\n"
                                    "channels = 0\n"
                                    "chanels = 4\n"
                                    "pages = \"many\"\n"
                                    "[firmware.allocation]\n"
                                    "order = \"CCDP\"\n");
    expect_refused("--config " + config + " --workload random,count=10",
                   {"bad.toml:2: nand.geometry.channels", "bad.toml:3: nand.geometry.chanels", "did you mean",
                    "bad.toml:4: nand.geometry.pages", "bad.toml:6: firmware.allocation.order"});
    expect_refused("--set nand.geometry.page_size=1000 --workload random,count=10",
                   {"nand.geometry.page_size"});
    expect_refused("--preset tinny --workload random,count=10", {"tiny"});
}

TEST_F(TbReplay, ReportsAllMistakesTogether) {
    const auto mistakes_of = [this](const std::string& arguments) {
        const Outcome run = execute(arguments);
        EXPECT_EQ(run.code, 2);
        std::vector<std::string> beginnings;
        std::istringstream lines(run.output);
        for (std::string line; std::getline(lines, line);) {
            beginnings.push_back(line.substr(0, line.find_first_of(",;")));
        }
        return beginnings;
    };
    using Lines = std::vector<std::string>;
    EXPECT_EQ(mistakes_of("--workload randm,read=2,sise=4k --set nand.geometry.chanels=4 --speeed 2"),
              (Lines{"error: unknown option --speeed", "error: --set: nand.geometry.chanels: unknown key",
                     "error: --workload: pattern: found randm", "error: --workload: read: found 2",
                     "error: --workload: sise: unknown key"}));
    EXPECT_EQ(mistakes_of(
                  "--preset tiny --set core.frequency_mhz=0 --trace absent.nbd --trace gone.nbd --format spx "
                  "--precondition fil=1 --power-cut-at soon --power-off 1ms --vcd-to 3ms --limit"),
              (Lines{"error: --limit: found nothing", "error: --precondition: fil: unknown key",
                     "error: --power-cut-at: found soon", "error: --set: core.frequency_mhz: found 0",
                     "error: --vcd-to: found without --vcd", "error: --format: found 'spx'",
                     "error: absent.nbd: no such file", "error: gone.nbd: no such file"}));
    EXPECT_EQ(
        mistakes_of("--preset tiny --workload random,range=0-1GiB --pacing recorded_depth --speed 2 "
                    "--compare-set dram.size=1 --shutdown cut"),
        (Lines{"error: --shutdown: found without --save-state",
               "error: --pacing recorded_depth: a workload has no recorded queue depths",
               "error: --workload: range: found 0-1073741824",
               "error: --speed: found with --pacing recorded_depth", "error: --set: dram.size: found 1"}));
    EXPECT_EQ(mistakes_of("--preset tiny --workload random,raed=1 --pacing open --speed 0.5 --limit"),
              (Lines{"error: --limit: found nothing", "error: --workload: raed: unknown key"}));
}

// A drive whose configuration has mistakes has no size, so a workload cannot be called too large for it.
TEST_F(TbReplay, DoesNotJudgeRequestsByADriveThatHasMistakes) {
    const Outcome run =
        execute("--preset tiny --workload random,range=0-1GiB,count=10 --set nand.geometry.chanels=4");
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.output.find("range"), std::string::npos) << run.output;
}

TEST_F(TbReplay, RefusesAnUnusableCommandLine) {
    expect_refused("", {"--trace", "--workload"});
    expect_refused("--workload random,count=10 --queue-depth 65537", {"--queue-depth", "65536"});
    expect_refused("--workload random,count=10 --pacing open --queue-depth 33",
                   {"--queue-depth: found 33; allowed where the pacing is not closed: at most 32"});
    expect_refused("--workload sideways,count=10", {"sequential"});
    expect_refused("--wrokload random,count=1", {"--workload"});
}

TEST_F(TbReplay, ReportsThatTheResultCannotBeWritten) {
    const std::string run =
        built_path("tb_replay") + " --preset tiny --workload random,count=100 --quiet --out ";
    // A file size limit of one block makes the write fail as on a full disk.
    const fs::path out = folder_ / "limited";
    const Outcome limited = shell("bash -c 'ulimit -f 1; " + run + out.string() + "'");
    EXPECT_EQ(limited.code, 1) << limited.output;
    EXPECT_NE(limited.output.find("cannot write"), std::string::npos) << limited.output;
    EXPECT_FALSE(fs::exists(out / "result.json")) << "half a result must not stay";
    const Outcome nowhere = shell(run + "/proc/nowhere");
    EXPECT_EQ(nowhere.code, 2) << nowhere.output;
    for (const char* printed : {"--show-config", "--list-keys", "--help", "--workload random,count=10"}) {
        const Outcome full =
            shell("{ " + built_path("tb_replay") + " --preset tiny " + printed + " 2>&3 >/dev/full; } 3>&1");
        EXPECT_EQ(full.code, 1) << printed;
        EXPECT_EQ(full.output, "error: cannot write to standard output\n") << printed;
    }
}

TEST_F(TbReplay, EndsAtASimulatedTime) {
    const std::string run = "--preset tiny --workload random,read=0.7,count=5000 ";
    const Json whole = result_of(run, "whole");
    const Json part = result_of(run + "--until 5ms", "part");
    EXPECT_EQ(part["parameters"]["until"], "5ms");
    EXPECT_LT(part["host"]["completed"], whole["host"]["completed"]);
    EXPECT_GT(part["host"]["completed"], 10);
    EXPECT_EQ(part["host"]["completed"], part["host"]["requests"]) << "commands under way have ended";
    EXPECT_EQ(part["faults"], Json::array());
    EXPECT_LT(part["sim_time_s"], whole["sim_time_s"]);
    EXPECT_NEAR(part["sim_time_s"].get<double>(), 5e-3, 3e-3) << "power-on takes time too";
    const Json file = result_of("--rerun " + (folder_ / "part" / "result.json").string(), "again");
    EXPECT_EQ(file["host"], part["host"]);
    expect_refused(run + "--until 0s", {"--until: found 0s; allowed: duration from 1ps to 9000000s"});
}

TEST_F(TbReplay, RecordersDoNotChangeTheResult) {
    const fs::path plain = folder_ / "plain";
    const fs::path recorded = folder_ / "recorded";
    const std::string record = " --vcd " + (folder_ / "w.vcd").string() + " --vcd-from 2ms --vcd-to 3ms" +
                               " --timeline " + (folder_ / "t.json").string() + " --timeline-to 3ms";
    for (const char* run :
         {"--preset default --workload random,read=0.5,count=500",
          "--preset jasmine --workload sequential,read=0,size=64k,count=200",
          "--preset tiny --workload random,read=0.3,size=4k:3/16k:1,trim=0.05,flush=40,count=3000"}) {
        EXPECT_EQ(execute(std::string(run) + " --quiet --out " + plain.string()).code, 0);
        const Outcome outcome = execute(run + record + " --quiet --out " + recorded.string());
        EXPECT_EQ(outcome.code, 0) << outcome.output;
        EXPECT_EQ(without_wall_times(result_in(recorded)), without_wall_times(result_in(plain))) << run;
        EXPECT_GT(fs::file_size(folder_ / "w.vcd"), 1000U);
        EXPECT_TRUE(fs::exists(folder_ / "w.gtkw"));
        EXPECT_GT(fs::file_size(folder_ / "t.json"), 1000U);
    }
}

TEST_F(TbReplay, RefusesRecordingsThatMakeNoSense) {
    const std::string run = "--preset tiny --workload random,count=100 ";
    expect_refused(run + "--vcd /proc/none/w.vcd", {"error: cannot write /proc/none/w.vcd"});
    expect_refused(run + "--timeline " + folder_.string(), {"Is a directory"});
    expect_refused(run + "--vcd w.vcd --vcd-from 3", {"--vcd-from: found 3; allowed: duration"});
    expect_refused(run + "--vcd w.vcd --vcd-from 3ms --vcd-to 1ms", {"--vcd-to: found 1ms; allowed: later"});
    expect_refused(run + "--timeline-to 1ms", {"--timeline-to: found without --timeline"});
    EXPECT_FALSE(fs::exists("w.vcd"));
}

TEST_F(TbReplay, ARecordingThatCannotBeWrittenFailsTheRunButNotItsResult) {
    const fs::path out = folder_ / "out";
    const Outcome run =
        execute("--preset tiny --workload random,count=2000 --quiet --vcd /dev/full --out " + out.string());
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(run.output, "error: cannot write /dev/full: No space left on device\n");
    EXPECT_TRUE(fs::exists(out / "result.json"));
}

TEST_F(TbReplay, ReportsAFullDisk) {
    const fs::path disk = folder_ / "disk";
    fs::create_directories(disk);
    if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=8k") != 0) {
        GTEST_SKIP() << "mounting needs root";
    }
    const Outcome run = execute("--preset tiny --workload random,count=100 --quiet --out " + disk.string());
    EXPECT_EQ(run.code, 1) << run.output;
    EXPECT_NE(run.output.find("No space left on device"), std::string::npos) << run.output;
    EXPECT_FALSE(fs::exists(disk / "result.json"));
    umount(disk.c_str());
}

TEST(Firmware, KnowsNothingOfSystemC) {
    for (const auto& entry : fs::recursive_directory_iterator(source_path("fw"))) {
        if (!entry.is_regular_file()) {
            continue;
        }
        std::ifstream stream(entry.path());
        for (std::string line; std::getline(stream, line);) {
            if (line.starts_with("#include")) {
                EXPECT_EQ(line.find("systemc"), std::string::npos) << entry.path() << ": " << line;
                EXPECT_EQ(line.find("tlm"), std::string::npos) << entry.path() << ": " << line;
                EXPECT_EQ(line.find("\"hw/"), std::string::npos) << entry.path() << ": " << line;
            }
        }
    }
}

}  // namespace
}  // namespace solidtlm
