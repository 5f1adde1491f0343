// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/option_set.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench {
namespace {

struct Sweep {
    std::vector<std::uint32_t> sizes{1, 2};
    std::vector<std::string> names{"a"};
    std::optional<std::uint32_t> depth;
    std::uint64_t limit = 0;
    hal::Ps pause{0};
    double share = 0.5;
};

Errors parse(const std::string& arguments, Sweep& sweep) {
    CLI::App app;
    OptionSet options(app);
    options.dimension("--sizes", sweep.sizes, kinds::size(1, 1 << 20), "");
    options.list("--names", sweep.names, kinds::one_of({"a", "b"}), "");
    options.unset("--depth", sweep.depth, kinds::integer(1, 32), "");
    options.unset("--limit", sweep.limit, kinds::integer(), "");
    options.value("--pause", sweep.pause, kinds::duration(), "");
    options.value("--share", sweep.share, kinds::share(), "");
    return options.parse(CLI::detail::split_up(arguments));
}

TEST(OptionSet, ReadsEveryKind) {
    Sweep sweep;
    EXPECT_EQ(parse("--sizes 4k,512 --sizes 1MiB --names b,b --depth 8 --limit 200k --pause 5ms --share 30%",
                    sweep),
              Errors{});
    EXPECT_EQ(sweep.sizes, (std::vector<std::uint32_t>{4096, 512, 1 << 20}));
    EXPECT_EQ(sweep.names, (std::vector<std::string>{"b", "b"}));
    EXPECT_EQ(sweep.depth, 8U);
    EXPECT_EQ(sweep.limit, 200'000U);
    EXPECT_EQ(sweep.pause, hal::Ps{std::chrono::milliseconds(5)});
    EXPECT_EQ(sweep.share, 0.3);
}

TEST(OptionSet, ReportsAllMistakesAndKeepsTheOtherValues) {
    Sweep sweep;
    EXPECT_EQ(parse("--sizes 4,0,x --names c --depth 33 --limit -5 --pause 5", sweep),
              (Errors{"--sizes: found 0; allowed: size from 1 to 1MiB, bytes or a string such as \"16MiB\"",
                      "--sizes: found x; allowed: size from 1 to 1MiB, bytes or a string such as \"16MiB\"",
                      "--names: found c; allowed: one of a, b; did you mean a?",
                      "--depth: found 33; allowed: integer from 1 to 32",
                      "--limit: found -5; allowed: integer of at least 0, such as 100000 or 100k",
                      "--pause: found 5; allowed: duration from 0s to 9000000s, a string with unit such as "
                      "\"50us\""}));
    EXPECT_EQ(sweep.sizes, std::vector<std::uint32_t>{4}) << "what is allowed of a list";
    EXPECT_EQ(sweep.names, std::vector<std::string>{"a"});
    EXPECT_EQ(sweep.depth, std::nullopt);
}

TEST(OptionSet, FilesAndFoldersHaveNames) {
    CLI::App app;
    OptionSet options(app);
    std::string file;
    std::string folder;
    std::vector<std::string> files;
    std::string anything;
    options.text("--file", file, "FILE", "");
    options.text("--folder", folder, "DIR", "");
    options.texts("--files", files, "FILE", "");
    options.text("--anything", anything, "TEXT", "");
    EXPECT_EQ(options.parse({"--file", "", "--folder", "", "--files", "a", "--files", "", "--anything", ""}),
              (Errors{"--file: found nothing; allowed: the name of a file",
                      "--folder: found nothing; allowed: the name of a folder",
                      "--files: found nothing; allowed: the name of a file"}));
}

/// Options of every kind, and some that the program lacks.
Errors parse_shapes(std::vector<std::string> arguments) {
    CLI::App app;
    OptionSet options(app);
    std::string name;
    std::vector<std::string> files;
    std::uint32_t depth = 1;
    bool quiet = false;
    CLI::Option* named = options.text("--name", name, "TEXT", "");
    options.texts("--file", files, "FILE", "");
    options.needs(options.value("--depth", depth, kinds::integer(1, 32), ""), named);
    options.flag("--quiet", quiet, "");
    options.flag("--trace", quiet, "");
    options.flag("--out", quiet, "");
    options.leave_out({"--trace"}, "requests come from a guest");
    options.leave_out({"--out"}, "");
    Errors errors = options.parse(std::move(arguments));
    std::ranges::move(options.check_needs(), std::back_inserter(errors));
    return errors;
}

TEST(OptionSet, NoMistakeHidesAnother) {
    EXPECT_EQ(
        parse_shapes({"--naem", "x", "--quite", "--depth", "99", "--quiet=maybe", "--file", "a", "--file"}),
        (Errors{"--file: found nothing; allowed: a value", "--depth: found 99; allowed: integer from 1 to 32",
                "--quiet: found maybe; allowed: true or false", "unknown option --naem; did you mean --name?",
                "unknown option --quite; did you mean --quiet?",
                "--depth: found without --name; allowed: with it"}));
    EXPECT_EQ(parse_shapes({"--name", "a", "stray", "--name=b", "--quiet", "--quiet"}),
              (Errors{"--name: found 2 values; allowed: one", "unexpected argument stray"}));
}

TEST(OptionSet, AnUnknownOptionMayHaveAValue) {
    EXPECT_EQ(parse_shapes({"--depht", "-3"}), Errors{"unknown option --depht; did you mean --depth?"});
    EXPECT_EQ(parse_shapes({"--depht=3", "stray", "more"}),
              (Errors{"unknown option --depht=3; did you mean --depth?", "unexpected argument stray",
                      "unexpected argument more"}));
    EXPECT_EQ(parse_shapes({"-x", "--"}), Errors{"unknown option -x"});
}

TEST(OptionSet, RemovedOptionsAreRefusedWithTheReason) {
    EXPECT_EQ(parse_shapes({"--trace", "a.csv", "--out=b"}),
              (Errors{"unknown option --trace; requests come from a guest", "unknown option --out"}));
}

TEST(OptionSet, DimensionsHaveEachValueOnce) {
    Sweep sweep;
    EXPECT_EQ(parse("--sizes 4k,2,4096 --names a,a", sweep),
              Errors{"--sizes: found 4096 twice; allowed: each value once"});
    EXPECT_EQ(sweep.names.size(), 2U);
}

}  // namespace
}  // namespace solidtlm::testbench
