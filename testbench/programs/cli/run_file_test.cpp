// SPDX-License-Identifier: Apache-2.0
//
// Run files: what is read from them, what is written, and which mistakes are found.
#include "testbench/programs/cli/run_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "fw/testing/files.h"
#include "testbench/programs/cli/command_line_test_support.h"
#include "testbench/sim/host/warm_up.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kRun = R"(preset = "tiny"
seed = 7

[nand.geometry]
channels = 1

[run]
precondition = "random=1"
workload = "random,read=0.7,count=500"
queue_depth = 8
speed = 1
limit = "2k"
warm_up = "steady"
power_cut_at = ["7ms", "3ms"]
power_off = "250us"
load_state = "my.drive"
boot = "timed"
save_state = "other.drive"
shutdown = "cut"
vcd = "waves.vcd"
vcd_to = "2ms"
out = "results"
)";

TEST(RunFile, ContainsEverySetting) {
    const RunSpec run = parse_run(kRun, "run.toml");
    EXPECT_EQ(run.configuration.preset, "tiny");
    EXPECT_EQ(run.configuration.seed, 7U);
    EXPECT_EQ(run.configuration.nand.geometry.channels, 1U);
    EXPECT_EQ(run.precondition->random, 1.0);
    EXPECT_EQ(run.workload, "random,read=0.7,count=500");
    EXPECT_EQ(run.queue_depth, 8U);
    EXPECT_EQ(run.limit, 2000U);
    EXPECT_EQ(run.warm_up, kUntilSteady);
    EXPECT_EQ(run.power_cuts.at, (std::vector<Ps>{3ms, 7ms}));
    EXPECT_EQ(run.power_cuts.off, Ps{250us});
    EXPECT_EQ(run.load_state, "my.drive");
    EXPECT_EQ(run.boot, platform::Start::boot_timed);
    EXPECT_EQ(run.save_state, "other.drive");
    EXPECT_EQ(run.shutdown, Shutdown::cut);
    EXPECT_EQ(run.record.vcd, "waves.vcd");
    EXPECT_EQ(run.record.vcd_window.to, Ps{2ms});
    EXPECT_EQ(run.out, "results");
}

TEST(RunFile, IsWrittenWithoutDefaults) {
    EXPECT_EQ(
        to_toml(parse_run("preset = \"tiny\"\n[run]\nfit = \"error\"\nworkload = 'a \"b\" \\c'\n", "f")),
        "preset = \"tiny\"\n\n[run]\nworkload = \"a \\\"b\\\" \\\\c\"\n");
    EXPECT_EQ(to_toml(parse_run(kRun, "run.toml")),
              R"(preset = "tiny"
seed = 7

[nand.geometry]
channels = 1

[run]
precondition = "fill=1,random=1"
workload = "random,read=0.7,count=500"
queue_depth = 8
limit = 2000
warm_up = "steady"
out = "results"
vcd = "waves.vcd"
vcd_to = "2ms"
power_cut_at = ["3ms","7ms"]
power_off = "250us"
load_state = "my.drive"
boot = "timed"
save_state = "other.drive"
shutdown = "cut"
)");
}

/// Draws every field of a run, without checking whether the combination makes sense.
class Drawer {
  public:
    explicit Drawer(std::uint64_t seed) : random_(seed * 7919) {}

    RunSpec draw() {
        platform::ConfigurationSources sources;
        sources.preset = pick<std::string>({"tiny", "default", "enterprise", "jasmine", "study_b"});
        sources.varied = true;
        sources.settings = {"seed=" + std::to_string(random_() >> 2U),
                            "sata.queue_depth=" + std::to_string(1 + random_() % 32),
                            "firmware.gc.policy=" + pick<std::string>({"greedy", "fifo", "random"}),
                            "nand.timing.erase=" + std::to_string(1 + random_() % 9999) + "us",
                            "firmware.map_cache.size=" + std::to_string(1 + random_() % 64) + "KiB",
                            "ssd.over_provisioning=0." + std::to_string(30 + random_() % 30)};
        RunSpec run;
        run.configuration = platform::load_configuration(sources);
        some([&] { run.traces = {"a.nbd", "b, \"c\".nbd", "ä\\d"}; });
        some([&] { run.offsets = {0, -8, static_cast<std::int64_t>(random_() % 1'000'000)}; });
        some([&] { run.merge = true; });
        some([&] { run.format = "nbd"; });
        some([&] { run.fit = pick<std::string>({"wrap", "scale"}); });
        some([&] { run.regroup_trims = "queued"; });
        some([&] { run.workload = "random,read=0.5,size=4k:3/64k:1"; });
        some([&] { run.pacing = pick<std::string>({"open", "closed", "recorded_depth"}); });
        some([&] { run.queue_depth = 1 + random_() % 65536; });
        some([&] { run.speed = static_cast<double>(1 + random_() % 1'000'000) / 997; });
        some([&] { run.limit = random_() >> 12U; });
        some(
            [&] { run.precondition = parse_preconditioning("random=1.37,trim=0.1,pattern=zipf,theta=0.7"); });
        some([&] { run.warm_up = random_() % 2 == 0 ? kUntilSteady : random_() % 100'000; });
        some([&] {
            run.power_cuts.at = {Ps{1}, Ps{1'000'001 + static_cast<std::int64_t>(random_() % 1000)}};
        });
        some([&] { run.power_cuts.every = Ps{static_cast<std::int64_t>(1 + random_() % 1'000'000)}; });
        some([&] { run.power_cuts.off = 3us; });
        some([&] {
            run.load_state = "drive.1";
            some([&] { run.boot = platform::Start::boot_instant; });
        });
        some([&] {
            run.save_state = "drive.2";
            some([&] { run.shutdown = Shutdown::clean; });
        });
        some([&] {
            run.record.vcd = "w.vcd";
            some([&] { run.record.vcd_window = {1us, 2ms}; });
        });
        some([&] {
            run.record.timeline = "t.json";
            some([&] { run.record.timeline_window.from = 5ns; });
        });
        some([&] { run.out = "out"; });
        return run;
    }

  private:
    template <class Value>
    Value pick(const std::vector<Value>& values) {
        return values[random_() % values.size()];
    }
    template <class Change>
    void some(Change change) {
        if (random_() % 2 == 0) {
            change();
        }
    }

    std::mt19937_64 random_;
};

TEST(RunFile, ReadsBackAsWritten) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const RunSpec drawn = Drawer(seed).draw();
        const std::string toml = to_toml(drawn);
        const RunSpec read = parse_run(toml, "drawn.toml");
        EXPECT_EQ(to_toml(read), toml) << "seed " << seed;
        EXPECT_EQ(platform::to_toml(read.configuration), platform::to_toml(drawn.configuration)) << toml;
        EXPECT_EQ(read.traces, drawn.traces);
        EXPECT_EQ(read.offsets, drawn.offsets);
        EXPECT_EQ(read.merge, drawn.merge);
        EXPECT_EQ(read.workload, drawn.workload);
        EXPECT_EQ(read.queue_depth, drawn.queue_depth);
        EXPECT_EQ(read.speed, drawn.speed);
        EXPECT_EQ(read.limit, drawn.limit);
        EXPECT_EQ(read.warm_up, drawn.warm_up);
        EXPECT_EQ(read.precondition.has_value(), drawn.precondition.has_value());
        EXPECT_EQ(read.power_cuts.at, drawn.power_cuts.at);
        EXPECT_EQ(read.power_cuts.every, drawn.power_cuts.every);
        EXPECT_EQ(read.boot, drawn.boot);
        EXPECT_EQ(read.shutdown, drawn.shutdown);
        EXPECT_EQ(read.record.vcd_window.to, drawn.record.vcd_window.to);
        EXPECT_EQ(read.record.timeline_window.from, drawn.record.timeline_window.from);
    }
}

/// A program's command line with run files.
class RunFiles : public ::testing::Test {
  protected:
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
        return folder_.write(name, text).string();
    }
    [[nodiscard]] static Parsed parse(const std::vector<std::string>& arguments,
                                      const Program& program = one_run_program()) {
        return parse_arguments(program, arguments);
    }

    TemporaryFolder folder_;
};

TEST_F(RunFiles, OptionsOverrideFiles) {
    const std::string run =
        file("run.toml", "preset = \"tiny\"\n[run]\nworkload = \"random\"\nqueue_depth = 8\n");
    const Parsed as_it_is = parse({run});
    ASSERT_TRUE(as_it_is.parsed.line) << as_it_is.err;
    EXPECT_EQ(as_it_is.line().configuration.preset, "tiny");
    EXPECT_EQ(as_it_is.line().workload, "random");
    EXPECT_EQ(as_it_is.line().queue_depth, 8U);
    const Parsed changed = parse({run, "--queue-depth", "4", "--trace", "a", "--set", "sata.queue_depth=2"});
    ASSERT_TRUE(changed.parsed.line) << changed.err;
    EXPECT_EQ(changed.line().queue_depth, 4U);
    EXPECT_EQ(changed.line().workload, "") << "a trace instead";
    EXPECT_EQ(changed.line().configuration.sata.queue_depth, 2U);
    EXPECT_EQ(parse({"--config", run}).line().asked, as_it_is.line().asked);
}

TEST_F(RunFiles, LaterFilesOverrideAndMayExtendOthers) {
    (void)file("base.toml", "preset = \"tiny\"\n[run]\nworkload = \"random\"\nqueue_depth = 8\n");
    const std::string derived = file("derived.toml", "base = \"base.toml\"\n[run]\nqueue_depth = 2\n");
    const std::string last = file("last.toml", "[run]\nlimit = 9\n");
    const Parsed parsed = parse({derived, last});
    ASSERT_TRUE(parsed.parsed.line) << parsed.err;
    EXPECT_EQ(parsed.line().workload, "random");
    EXPECT_EQ(parsed.line().queue_depth, 2U);
    EXPECT_EQ(parsed.line().limit, 9U);
}

TEST_F(RunFiles, EveryMistakeComesWithItsLine) {
    const std::string run = file("run.toml", R"(preset = "tiny"
[run]
workload = "random"
queue_deth = 8
limit = "-5"
jobs = 2
pacing = ["open", "closed"]
speed = {a = 1}
trace = []
boot = "timed"
precondition = "fill=3,randm=1"
vcd = "/proc/none/w.vcd"
[nand.geometry]
chanels = 2
)");
    EXPECT_EQ(parse({run, "--spede", "2"}).err,
              "error: unknown option --spede; did you mean --speed?\n"
              "error: " +
                  run +
                  ":4: run.queue_deth: unknown key; did you mean queue_depth?\n"
                  "error: " +
                  run +
                  ":5: run.limit: found -5; allowed: integer of at least 0, such as 100000 or 100k\n"
                  "error: " +
                  run +
                  ":6: run.jobs: found in a file; allowed: on the command line, --jobs\n"
                  "error: " +
                  run +
                  ":7: run.pacing: found 2 values; allowed: one\n"
                  "error: " +
                  run +
                  ":8: run.speed: found a table; allowed: a value or a list of values\n"
                  "error: " +
                  run +
                  ":9: run.trace: found an empty list; allowed: a value at least\n"
                  "error: " +
                  run +
                  ":11: run.precondition: fill: found 3; allowed: share from 0 to 1, such as 0.3 or "
                  "30%\n"
                  "error: " +
                  run +
                  ":11: run.precondition: randm: unknown key; did you mean random?; known keys: "
                  "fill, random, size, trim, pattern, theta, hot_space, hot_access, repeat, read, seed\n"
                  "error: " +
                  run +
                  ":14: nand.geometry.chanels: unknown key; did you mean nand.geometry.channels?\n"
                  "error: " +
                  run +
                  ":10: run.boot: found without --load-state; allowed: with it\n"
                  "error: cannot write /proc/none/w.vcd: No such file or directory\n");
    EXPECT_EQ(parse({file("n.toml", "run = 3\n")}).err,
              "error: " + (folder_ / "n.toml").string() + ":1: run: found 3; allowed: a table, [run]\n");
    EXPECT_EQ(parse({"none.toml"}).err, "error: none.toml: cannot read the file: no such file\n");
}

TEST_F(RunFiles, AProgramTakesTheKeysThatItHasOptionsFor) {
    Program program = one_run_program();
    std::uint32_t points = 1;
    program.add_options = [&points](OptionSet& set) {
        set.value("--max-points", points, kinds::integer(0, 99), "How many");
    };
    program.unused = {{kRequestOptions, "requests come from a guest"}};
    const std::string run = file("run.toml", "[run]\nmax_points = 7\n");
    const Parsed parsed = parse({run}, program);
    ASSERT_TRUE(parsed.parsed.line) << parsed.err;
    EXPECT_EQ(points, 7U);
    EXPECT_EQ(parsed.line().asked, (RunEntries{{"max_points", platform::ValueType::integer, false, {"7"}}}));
    EXPECT_EQ(parse({run}).err, "error: " + run + ":2: run.max_points: unknown key\n");
    const std::string other = file("other.toml", "[run]\nworkload = \"random\"\n");
    EXPECT_EQ(parse({other}, program).err,
              "error: " + other + ":2: run.workload: unknown key; requests come from a guest\n");
}

TEST_F(RunFiles, AGeneratedFileMaySetKeysWithoutEffect) {
    const std::string idle = "firmware.map_cache.size = \"2KiB\"\n";
    const std::string refused = file("idle.toml", "preset = \"tiny\"\n" + idle);
    EXPECT_NE(parse({refused}).err.find(refused + ":2: firmware.map_cache.size: "), std::string::npos);
    EXPECT_EQ(parse({file("generated.toml", "preset = \"tiny\"\ngenerated = true\n" + idle)}).err, "");
    EXPECT_NE(parse({file("odd.toml", "generated = 1\n")})
                  .err.find("odd.toml:1: generated: found 1; allowed: true"),
              std::string::npos);
}

TEST_F(RunFiles, AResultIsARunFile) {
    platform::ConfigurationSources sources;
    sources.preset = "tiny";
    sources.settings = {"firmware.map_cache.size=2KiB", "nand.timing.read=50us,75us", "seed=9"};
    sources.varied = true;
    const platform::Configuration drive = platform::load_configuration(sources);
    const nlohmann::ordered_json result{
        {"config", platform::to_json(drive)},
        {"parameters", {{"workload", "random"}, {"queue_depth", 4}, {"power_cut_at", {"3ms", "5ms"}}}}};
    const Parsed parsed = parse({file("result.json", result.dump())});
    ASSERT_TRUE(parsed.parsed.line) << parsed.err;
    EXPECT_EQ(platform::to_toml(parsed.line().configuration), platform::to_toml(drive));
    EXPECT_EQ(parsed.line().workload, "random");
    EXPECT_EQ(parsed.line().queue_depth, 4U);
    EXPECT_EQ(parsed.line().power_cuts.at, (std::vector<Ps>{3ms, 5ms}));
    EXPECT_NE(
        parse({file("text.json", "no")}).err.find("text.json: found no JSON; allowed: the result of a run"),
        std::string::npos);
    EXPECT_NE(parse({file("list.json", "[]")}).err.find("list.json: found JSON without a config"),
              std::string::npos);
    EXPECT_NE(
        parse({file("smart.json", R"({"smartctl": {}})")})
            .err.find("smart.json: found JSON of smartctl without a config; allowed: the result of a run"),
        std::string::npos);
}

}  // namespace
}  // namespace solidtlm::testbench
