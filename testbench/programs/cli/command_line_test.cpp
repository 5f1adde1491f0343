// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/command_line_test_support.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "fw/testing/files.h"
#include "platform/configuration_keys.h"
#include "platform/presets.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/host/warm_up.h"

namespace solidtlm::testbench {
namespace {

Program simple_program() {
    return {
        .name = "tb_test", .summary = "Tests the command line.", .examples = {"--preset tiny --limit 10"}};
}

Parsed parse(const std::vector<std::string>& arguments, const Program& program = simple_program()) {
    return parse_arguments(program, arguments);
}

void expect_user_error(const Parsed& outcome, const std::string& err) {
    EXPECT_EQ(outcome.parsed.exit_code, 2);
    EXPECT_FALSE(outcome.parsed.line);
    EXPECT_EQ(outcome.err, err);
    EXPECT_EQ(outcome.out, "");
}

TEST(CommandLine, SaysWhatAStrayFileIs) {
    const TemporaryFolder folder;
    const std::string job = folder.write("job.fio", "[global]\nioengine=libaio\n[job]\nrw=randread\n");
    expect_user_error(parse({job}), "error: unexpected argument " + job +
                                        ": found a job file of fio; allowed: FILE.toml, FILE.json, "
                                        "--trace FILE or --workload SPEC\n");
    // The beginning of a trace of ftrace is no XML.
    const std::string trace =
        folder.write("trace", "<idle>-0 [001] 1.2: block_rq_issue: 8,0 R 0 () 1 + 8 [a]\n");
    expect_user_error(parse({trace}),
                      "error: unexpected argument " + trace + "; did you mean --trace " + trace + "?\n");
}

TEST(CommandLine, WithoutArgumentsIsPresetDefault) {
    const Parsed outcome = parse({});
    EXPECT_EQ(outcome.parsed.exit_code, 0);
    EXPECT_EQ(outcome.out + outcome.err, "");
    EXPECT_EQ(outcome.line().configuration.preset, "default");
    EXPECT_TRUE(outcome.line().traces.empty());
    EXPECT_EQ(outcome.line().fit, "error");
    EXPECT_EQ(outcome.line().queue_depth, std::nullopt);
    EXPECT_DOUBLE_EQ(outcome.line().speed, 1.0);
    EXPECT_EQ(outcome.line().limit, 0U);
    EXPECT_GE(outcome.line().jobs, 1U);
    EXPECT_FALSE(outcome.line().quiet);
}

TEST(CommandLine, TakesEveryOption) {
    const Parsed outcome = parse({"--preset",
                                  "tiny",
                                  "--set",
                                  "sata.queue_depth=8",
                                  "--set=sata.model=Mine",
                                  "--content",
                                  "bytes",
                                  "--seed",
                                  "77",
                                  "--trace",
                                  "a.csv",
                                  "--trace",
                                  "b.csv",
                                  "--format",
                                  "msr",
                                  "--fit",
                                  "wrap",
                                  "--pacing",
                                  "closed",
                                  "--queue-depth",
                                  "16",
                                  "--speed",
                                  "2.5",
                                  "--limit",
                                  "1000",
                                  "--warm-up",
                                  "200k",
                                  "--jobs",
                                  "3",
                                  "--quiet"});
    ASSERT_TRUE(outcome.parsed.line) << outcome.err;
    const CommandLine& line = outcome.line();
    EXPECT_EQ(line.configuration.preset, "tiny");
    EXPECT_EQ(line.configuration.sata.queue_depth, 8U);
    EXPECT_EQ(line.configuration.sata.model, "Mine");
    EXPECT_EQ(line.configuration.content, hal::ContentMode::bytes);
    EXPECT_EQ(line.configuration.seed, 77U);
    EXPECT_EQ(line.traces, (std::vector<std::string>{"a.csv", "b.csv"}));
    EXPECT_EQ(line.format, "msr");
    EXPECT_EQ(line.fit, "wrap");
    EXPECT_EQ(line.pacing, "closed");
    EXPECT_EQ(line.queue_depth, 16U);
    EXPECT_DOUBLE_EQ(line.speed, 2.5);
    EXPECT_EQ(line.limit, 1000U);
    EXPECT_EQ(line.warm_up, 200'000U);
    EXPECT_EQ(line.jobs, 3U);
    EXPECT_TRUE(line.quiet);
    EXPECT_EQ(parse({"--workload", "random-read"}).line().workload, "random-read");
}

TEST(CommandLine, AWarmUpIsANumberOrUntilTheDriveIsSteady) {
    EXPECT_EQ(parse({}).line().warm_up, 0U);
    EXPECT_EQ(parse({"--warm-up", "steady"}).line().warm_up, kUntilSteady);
    const Parsed wrong = parse({"--warm-up", "stedy"});
    EXPECT_NE(wrong.err.find("--warm-up: found stedy; allowed: integer"), std::string::npos) << wrong.err;
    EXPECT_NE(wrong.err.find("or steady"), std::string::npos) << wrong.err;
    EXPECT_EQ(parse({"--warm-up", "18446744073709551613"}).line().warm_up, kOneRound - 1);
    const Parsed largest = parse({"--warm-up", "18446744073709551615"});
    EXPECT_NE(largest.err.find("--warm-up: found 18446744073709551615; allowed: integer from 0 to "
                               "18446744073709551613, or steady"),
              std::string::npos)
        << "the number that stands for steady in the code" << largest.err;
}

TEST(CommandLine, ADriveIsNewUnlessAgeingIsAskedFor) {
    EXPECT_FALSE(parse({}).line().precondition);
    const Parsed bare = parse({"--precondition", "--quiet"});
    ASSERT_TRUE(bare.parsed.line) << bare.err;
    EXPECT_EQ(to_text(*bare.line().precondition), "fill=1,random=2");
    EXPECT_TRUE(bare.line().quiet) << "the word is not the option's value";
    EXPECT_EQ(to_text(*parse({"--precondition=fill=0.5,random=0"}).line().precondition), "fill=0.5,random=0");
    expect_user_error(parse({"--precondition", "fill=3"}),
                      "error: --precondition: fill: found 3; allowed: share from 0 to 1, "
                      "such as 0.3 or 30%\n");
    EXPECT_EQ(parse({"--precondition", "--age-cache", "aged"}).line().precondition->cache, "aged");
    EXPECT_FALSE(parse({"--age-cache", "aged"}).line().precondition) << "a new drive needs no cache";
    EXPECT_EQ(parse({"--precondition", "--age-cache-size", "3MiB"}).line().precondition->cache_bytes,
              3U << 20U);
}

// An adapter's memory holds bytes only, so other contents are refused.
TEST(CommandLine, AnAdapterMovesBytes) {
    const platform::Configuration adapter = parse({"--host", "ahci"}).line().configuration;
    EXPECT_EQ(adapter.host.interface, platform::HostInterface::ahci);
    EXPECT_EQ(adapter.content, hal::ContentMode::bytes);
    const platform::Configuration link = parse({"--host", "link"}).line().configuration;
    EXPECT_EQ(link.host.interface, platform::HostInterface::link);
    EXPECT_EQ(link.content, hal::ContentMode::tags);
    EXPECT_NE(parse({"--host", "ahci", "--content", "tags"}).err.find("allowed: content = \"bytes\""),
              std::string::npos);
    EXPECT_NE(parse({"--host", "ahci", "--set", "host.coalesce_time=1ms"}).err.find("host.coalesce_time"),
              std::string::npos);
    EXPECT_NE(parse({"--host", "ahcl"}).err.find("did you mean"), std::string::npos);
}

TEST(CommandLine, HelpNamesEveryOptionTheExamplesAndTheExitCodes) {
    const Parsed outcome = parse({"--help-all"});
    EXPECT_EQ(outcome.parsed.exit_code, 0);
    EXPECT_FALSE(outcome.parsed.line);
    for (const char* text :
         {"--help",        "--version",     "--list-presets", "--list-keys",
          "--preset",      "--config",      "--set",          "--trace",
          "--format",      "--fit",         "--workload",     "--pacing",
          "--queue-depth", "--speed",       "--limit",        "--host",
          "--content",     "--out",         "--seed",         "--jobs",
          "--quiet",       "--show-config", "--precondition", "tb_test --preset tiny --limit 10",
          "Exit codes"}) {
        EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
    }
}

TEST(CommandLine, PrintsVersionPresetsKeysAndConfiguration) {
    EXPECT_TRUE(parse({"--version"}).out.starts_with("solidtlm 0."));
    const std::string presets = parse({"--list-presets"}).out;
    for (const platform::Preset& preset : platform::presets()) {
        EXPECT_NE(presets.find(std::string(preset.name) + " "), std::string::npos);
        EXPECT_NE(presets.find(preset.description()), std::string::npos);
    }
    EXPECT_EQ(parse({"--list-keys"}).out, platform::list_keys_text());
    EXPECT_EQ(parse({"--list-keys", "--markdown"}).out, platform::list_keys_markdown());
    const Parsed shown = parse({"--preset", "jasmine", "--show-config"});
    EXPECT_EQ(shown.parsed.exit_code, 0);
    EXPECT_EQ(shown.out, platform::to_toml(platform::load_configuration({"jasmine", {}, {}, {}})));
    EXPECT_EQ(parse({"--markdown"}).parsed.exit_code, 2) << "needs --list-keys";
}

TEST(CommandLine, MistakesAreOneLineEachAndExitCode2) {
    expect_user_error(parse({"--presett", "tiny"}),
                      "error: unknown option --presett; did you mean --preset?\n");
    expect_user_error(
        parse({"--preset", "tinny"}),
        "error: --preset: unknown preset \"tinny\"; allowed: agrawal, default, enterprise, "
        "jasmine, nvme, qlc, small_block, study_b, study_c, tiny, tlc, tlc_dramless; did you mean tiny?\n");
    expect_user_error(parse({"--config", "/nonexistent.toml"}),
                      "error: /nonexistent.toml: cannot read the file: no such file\n");
    expect_user_error(parse({"--set", "sata.queue_depth=0", "--set", "core.frequency=1"}),
                      "error: --set: sata.queue_depth: found 0; allowed: integer from 1 to 32\n"
                      "error: --set: core.frequency: unknown key; did you mean core.frequency_mhz?\n");
    expect_user_error(
        parse({"--speed", "nan", "--set", "x"}),
        "error: --speed: found nan; allowed: number above 0, at most 1000000000\n"
        "error: --set: x: found \"x\"; allowed: key=value, such as nand.geometry.channels=16\n");
    expect_user_error(parse({"--seed", "x", "--content", "y", "--host", "z"}),
                      "error: --host: host.interface: found z; allowed: one of link, ahci, nvme\n"
                      "error: --seed: found x; allowed: integer from 0 to 9223372036854775807\n"
                      "error: --content: found y; allowed: one of none, tags, bytes\n");
    expect_user_error(parse({"stray"}), "error: unexpected argument stray\n");
    expect_user_error(parse({"--queue-depth", "65537"}),
                      "error: --queue-depth: found 65537; allowed: integer from 1 to 65536\n");
    expect_user_error(parse({"--limit", "-5"}),
                      "error: --limit: found -5; allowed: integer of at least 0, such as 100000 or 100k\n");
    expect_user_error(
        parse({"--pacing", "fast"}),
        "error: --pacing: found fast; allowed: one of open, closed, recorded_depth; open keeps the "
        "recorded times, recorded_depth the recorded depth of the queue\n");
    expect_user_error(parse({"--trace", "a", "--workload", "b"}),
                      "error: --trace and --workload exclude each other; allowed: one of them\n");
    expect_user_error(parse({"--out", ""}), "error: --out: found nothing; allowed: the name of a folder\n");
}

TEST(CommandLine, NumbersAreChecked) {
    const std::vector<std::vector<std::string>> bad{{"--queue-depth", "0"},
                                                    {"--queue-depth", "65537"},
                                                    {"--queue-depth", "x"},
                                                    {"--speed", "0"},
                                                    {"--speed", "-1"},
                                                    {"--speed", "inf"},
                                                    {"--limit", "-5"},
                                                    {"--limit", "1.5"},
                                                    {"--jobs", "0"},
                                                    {"--jobs", "99999999999"},
                                                    {"--seed", "-1"},
                                                    {"--seed", "abc"},
                                                    {"--content", "all"},
                                                    {"--pacing", "fast"},
                                                    {"--preset"},
                                                    {"--quiet=maybe"},
                                                    {"stray"},
                                                    {"--preset", "tiny", "--preset", "jasmine"}};
    for (const auto& arguments : bad) {
        const Parsed outcome = parse(arguments);
        EXPECT_EQ(outcome.parsed.exit_code, 2) << arguments[0];
        EXPECT_TRUE(outcome.err.starts_with("error: ")) << arguments[0] << ": " << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
}

TEST(CommandLine, AnExecutableAddsOptionsChecksAndDefaults) {
    std::uint32_t points = 0;
    Program program = simple_program();
    program.add_options = [&](OptionSet& options) {
        options.value("--points", points, kinds::integer(0, 99), "How many points");
    };
    program.check = [&](const CommandLine&) {
        return points > 9 ? std::vector<std::string>{"--points: found 10; allowed: at most 9"}
                          : std::vector<std::string>{};
    };
    program.configuration_defaults = "preset = \"tiny\"\nsata.queue_depth = 3\n";
    const Parsed good = parse({"--points", "9"}, program);
    ASSERT_TRUE(good.parsed.line) << good.err;
    EXPECT_EQ(points, 9U);
    EXPECT_EQ(good.line().configuration.preset, "tiny");
    EXPECT_EQ(good.line().configuration.sata.queue_depth, 3U);
    EXPECT_NE(parse({"--help-all"}, program).out.find("--points"), std::string::npos);
    expect_user_error(parse({"--points", "10"}, program), "error: --points: found 10; allowed: at most 9\n");
}

TEST(CommandLine, CreatesTheOutputFolderOrSaysWhyNot) {
    const std::filesystem::path base =
        std::filesystem::temp_directory_path() / ("solidtlm-cli-" + std::to_string(::getpid()));
    const std::string inner = (base / "a" / "b").string();
    const Parsed outcome = parse({"--out", inner.c_str()});
    ASSERT_TRUE(outcome.parsed.line) << outcome.err;
    EXPECT_EQ(outcome.line().out, inner);
    EXPECT_TRUE(std::filesystem::is_directory(inner));
    EXPECT_TRUE(std::filesystem::is_empty(inner)) << "the probe is gone";
    const std::string file = (base / "file").string();
    write_file_atomically(file, "x");
    expect_user_error(parse({"--out", file.c_str()}),
                      "error: cannot create folder " + file + ": Not a directory\n");
    const std::string below = file + "/sub";
    expect_user_error(parse({"--out", below.c_str()}),
                      "error: cannot create folder " + below + ": Not a directory\n");
    EXPECT_EQ(parse({"--out", "/proc/solidtlm"}).parsed.exit_code, 2);
    const std::string unused = (base / "unused").string();
    EXPECT_EQ(parse({"--out", unused.c_str(), "--seed", "x"}).parsed.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(unused)) << "a wrong command line creates nothing";
    std::filesystem::remove_all(base);
}

TEST(CommandLine, ADryRunLeavesNoFolderBehind) {
    const std::filesystem::path base =
        std::filesystem::temp_directory_path() / ("solidtlm-cli-dry-" + std::to_string(::getpid()));
    const std::string inner = (base / "a" / "b").string();
    const Parsed outcome = parse({"--dry-run", "--out", inner.c_str()});
    ASSERT_TRUE(outcome.parsed.line) << outcome.err;
    EXPECT_TRUE(outcome.line().dry_run);
    EXPECT_FALSE(std::filesystem::exists(base));
    std::filesystem::create_directories(base);
    ASSERT_TRUE(parse({"--dry-run", "--out", inner.c_str()}).parsed.line);
    EXPECT_TRUE(std::filesystem::is_empty(base)) << "an existing folder stays";
    EXPECT_EQ(parse({"--dry-run", "--out", "/proc/solidtlm"}).parsed.exit_code, 2);
    EXPECT_FALSE(parse({}).line().dry_run);
    std::filesystem::remove_all(base);
}

TEST(CommandLine, AnOptionThatAProgramCannotUseDoesNotExist) {
    Program program = simple_program();
    program.examples.clear();
    program.unused = {{kRequestOptions, "requests come from a guest"},
                      {kAgeingOptions, "drives are new"},
                      {{"--out", "--jobs"}}};
    const std::string help = parse({"--help-all"}, program).out;
    for (const Unused& unused : program.unused) {
        for (const std::string& option : unused.options) {
            EXPECT_EQ(help.find(option), std::string::npos) << option;
        }
    }
    EXPECT_NE(help.find("--queue-depth"), std::string::npos);
    expect_user_error(parse({"--trace", "a", "--precondition", "--out", "x", "--tracce", "b"}, program),
                      "error: unknown option --trace; requests come from a guest\n"
                      "error: unknown option --precondition; drives are new\n"
                      "error: unknown option --out\n"
                      "error: unknown option --tracce\n");
    EXPECT_TRUE(parse({"--queue-depth", "4"}, program).parsed.line);
}

TEST(CommandLine, AllMistakesComeTogether) {
    Program program = simple_program();
    std::vector<std::uint64_t> drives;
    program.check_options = [&](const CommandLine& line) {
        drives.push_back(line.configuration.firmware.exported_sectors);
        return Errors{"--workload: size: unknown key"};
    };
    program.check = [](const CommandLine&) { return Errors{"--depths: found 99"}; };
    expect_user_error(
        parse({"--speeed", "2", "--limit", "-5", "--precondition", "fill=3,randm=1", "--set",
               "nand.geometry.chanels=4", "--out", "/proc/solidtlm", "--warm-up"},
              program),
        "error: --warm-up: found nothing; allowed: a value\n"
        "error: --precondition: fill: found 3; allowed: share from 0 to 1, such as 0.3 or 30%\n"
        "error: --precondition: randm: unknown key; did you mean random?; known keys: fill, random, "
        "size, trim, pattern, theta, hot_space, hot_access, repeat, read, seed\n"
        "error: --limit: found -5; allowed: integer of at least 0, such as 100000 or 100k\n"
        "error: unknown option --speeed; did you mean --speed?\n"
        "error: --set: nand.geometry.chanels: unknown key; did you mean nand.geometry.channels?\n"
        "error: --workload: size: unknown key\n"
        "error: cannot create folder /proc/solidtlm: No such file or directory\n");
    expect_user_error(parse({"--speeed", "2"}, program),
                      "error: unknown option --speeed; did you mean --speed?\n"
                      "error: --workload: size: unknown key\n"
                      "error: --depths: found 99\n");
    ASSERT_EQ(drives.size(), 2U);
    EXPECT_EQ(drives[0], kAnyDrive) << "a configuration with mistakes describes no drive";
    EXPECT_EQ(drives[1], platform::load_configuration({}).firmware.exported_sectors);
}

TEST(CommandLine, TheConfigurationIsShownThoughNothingCanBeRun) {
    Program program = simple_program();
    program.check = [](const CommandLine& line) {
        return line.show_config ? std::vector<std::string>{} : std::vector<std::string>{"give a trace"};
    };
    const Parsed shown = parse({"--show-config", "--preset", "tiny"}, program);
    EXPECT_EQ(shown.parsed.exit_code, 0);
    EXPECT_FALSE(shown.parsed.line);
    EXPECT_NE(shown.out.find("preset = \"tiny\""), std::string::npos) << shown.out;
    expect_user_error(parse({"--preset", "tiny"}, program), "error: give a trace\n");
}

TEST(RunProgram, ADryRunEndsWhereItWouldSimulate) {
    const auto run = [](std::vector<const char*> arguments) {
        arguments.insert(arguments.begin(), "tb_test");
        testing::internal::CaptureStdout();
        const int code = run_program(static_cast<int>(arguments.size()), arguments.data(), simple_program(),
                                     [](const CommandLine& line) -> int {
                                         EXPECT_TRUE(line.dry_run);
                                         throw DryRunEnd{"7 points"};
                                     });
        return std::pair{code, testing::internal::GetCapturedStdout()};
    };
    using Result = std::pair<int, std::string>;
    EXPECT_EQ(run({"--dry-run"}), (Result{0, "dry run: no mistake found; 7 points not simulated\n"}));
    EXPECT_EQ(run({"--dry-run", "--quiet"}), (Result{0, ""}));
}

TEST(RunProgram, TurnsExceptionsIntoExitCodes) {
    const std::vector<const char*> arguments{"tb_test", "--preset", "tiny"};
    const auto run = [&](const std::function<int(const CommandLine&)>& body) {
        testing::internal::CaptureStderr();
        const int code =
            run_program(static_cast<int>(arguments.size()), arguments.data(), simple_program(), body);
        return std::pair{code, testing::internal::GetCapturedStderr()};
    };
    using Result = std::pair<int, std::string>;
    EXPECT_EQ(run([](const CommandLine&) { return 0; }), (Result{0, ""}));
    EXPECT_EQ(run([](const CommandLine&) { return 1; }), (Result{1, ""}));
    EXPECT_EQ(run([](const CommandLine&) -> int { throw InputError("a.csv:3: bad\nb.csv:4: worse"); }),
              (Result{2, "error: a.csv:3: bad\nerror: b.csv:4: worse\n"}));
    EXPECT_EQ(run([](const CommandLine&) -> int { throw OutputError("cannot write r: disk full"); }),
              (Result{1, "error: cannot write r: disk full\n"}));
    EXPECT_EQ(run([](const CommandLine&) -> int {
                  (void)platform::parse_configuration("wrong = 1", "p.toml");
                  return 0;
              }).first,
              2);
    EXPECT_EQ(run([](const CommandLine&) -> int { throw std::logic_error("bug"); }),
              (Result{1, "error: bug\n"}));
}

}  // namespace
}  // namespace solidtlm::testbench
