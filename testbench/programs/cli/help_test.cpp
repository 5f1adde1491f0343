// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "platform/configuration_keys.h"
#include "testbench/programs/cli/command_line_test_support.h"
#include "testbench/show/terminal.h"

namespace solidtlm::testbench {
namespace {

/// A program with an option of its own.
struct Helped {
    std::uint32_t points = 9;
    std::vector<std::string> letters{"aaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbb",
                                     "ccccccccccccccccccc", "d", "eeeeeeeeeeeeeeeeeeeeeee"};
    Program program = one_run_program();

    Helped() {
        program.summary =
            "Tests the help, in a sentence that is far too long for a line of one hundred columns, "
            "so that it has to be broken.";
        program.examples = {
            "--run 'a --b --c --d --e --f --g --h --i --j --k --l --m --n --o' --preset tiny "
            "--limit 10 --out somewhere",
            "--limit 2", "--limit 3", "--limit 4"};
        program.notes = "docs/tests.md says more.";
        program.add_options = [this](OptionSet& options) {
            options.group("Points");
            options.value("--points", points, kinds::integer(1, 99), "How many points; none is no help");
            options.dimension("--letters", letters, kinds::one_of(letters), "Which");
        };
    }

    std::string operator()(const std::vector<std::string>& arguments, int exit_code = kExitSuccess) const {
        const Parsed outcome = parse_arguments(program, arguments);
        EXPECT_EQ(outcome.parsed.exit_code, exit_code) << outcome.err;
        EXPECT_FALSE(outcome.parsed.line);
        return outcome.out + outcome.err;
    }
};

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

void expect_narrow(const std::string& text) {
    for (const std::string& line : lines_of(text)) {
        EXPECT_LE(columns_of(line), 100U) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
    }
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Help, FitsOnOneScreen) {
    const Helped help;
    const std::string text = help({"--help"});
    expect_narrow(text);
    EXPECT_LE(lines_of(text).size(), 45U);
    EXPECT_TRUE(has(text, "Usage: tb_test [OPTIONS] [FILE.toml ...]\n")) << text;
    EXPECT_TRUE(has(text, "  --points N                  How many points\n")) << text;
    EXPECT_TRUE(has(text, "  --workload SPEC ")) << text;
    EXPECT_FALSE(has(text, "of at least")) << "no details";
    EXPECT_TRUE(has(text, "tb_test --limit 3\n")) << text;
    EXPECT_FALSE(has(text, "tb_test --limit 4\n")) << text;
    EXPECT_EQ(help({"-h"}), text);
    EXPECT_EQ(help({"--preset", "tiny", "--sede", "3", "--help"}), text) << "other options do not change it";
}

TEST(Help, TheScreenNamesEveryOption) {
    const Helped help;
    const std::string screen = help({"--help"});
    std::size_t options = 0;
    for (const std::string& line : lines_of(help({"--help-all"}))) {
        if (line.starts_with("  --")) {
            ++options;
            EXPECT_TRUE(has(screen, line.substr(2, line.find(' ', 2) - 2))) << line;
        }
    }
    EXPECT_GT(options, 40U);
}

TEST(Help, ShowsEverything) {
    const Helped help;
    const std::string text = help({"--help-all"});
    expect_narrow(text);
    for (const char* part : {"\nInformation:\n", "\nDevice:\n", "\nPower cuts:\n", "\nPoints:\n",
                             "\nExit codes: ", "\nExamples:\n",
                             "  --points N                  How many points; none is no help; integer from 1 "
                             "to 99; 9 if not given\n",
                             "\n  tb_test --limit 4\n", "\nKeys of --precondition:\nnone ",
                             "  --trace FILE ...", "\n  -h,--help [NAME] ", "\ndocs/tests.md says more.\n"}) {
        EXPECT_TRUE(has(text, part)) << part << "\n" << text;
    }
    // Lines break only where a shell continues them, and never within quotes.
    EXPECT_TRUE(
        has(text,
            "  tb_test --run 'a --b --c --d --e --f --g --h --i --j --k --l --m --n --o' --preset tiny \\\n"
            "    --limit 10 --out somewhere\n"))
        << text;
}

TEST(Help, ExplainsAnOption) {
    const Helped help;
    const std::string text = help({"--help", "--queue-depth"});
    expect_narrow(text);
    for (const char* part : {"--queue-depth N\n    ", "\n    integer from 1 to 65536\n",
                             "In a run file: queue_depth in [run]", "docs/command-line.md"}) {
        EXPECT_TRUE(has(text, part)) << part << "\n" << text;
    }
    EXPECT_EQ(help({"--help", "queue_depth"}), text + "\n" + help({"--help", "sata.queue_depth"}) + "\n" +
                                                   help({"--help", "host.nvme.queue_depth"}))
        << "keys have that name too";
    EXPECT_EQ(help({"--help=--queue-depth"}), text);
    EXPECT_TRUE(has(help({"--help", "points"}), "docs/tests.md says more.\n"));
    EXPECT_FALSE(has(help({"--help", "jobs"}), "run file"))
        << "options of the program's execution are no keys of run files";
    EXPECT_TRUE(has(help({"--help", "precondition"}), "\nKeys of --precondition:\nnone "));
}

TEST(Help, ExplainsAConfigurationKey) {
    const Helped help;
    const std::string text = help({"--help", "nand.geometry.channels"});
    for (const char* part :
         {"nand.geometry.channels = 8\n    ", "\n    integer from 1 to 64\n", "In presets: ", ", tiny 2",
          "In a file: channels in [nand.geometry]; on the command line: --set "
          "nand.geometry.channels=VALUE",
          "docs/configuration.md"}) {
        EXPECT_TRUE(has(text, part)) << part << "\n" << text;
    }
    EXPECT_EQ(help({"--help", "channels"}), text) << "the last name is enough";
    const std::string seed = help({"--help", "seed"});
    EXPECT_TRUE(has(seed, "--seed N\n")) << seed;
    EXPECT_TRUE(has(seed, "\nseed = 1\n")) << seed;
    EXPECT_TRUE(has(seed, "In a file: seed at the top")) << seed;
    EXPECT_TRUE(has(help({"--help", "nand.timing.read"}), "duration")) << "with its unit";
}

TEST(Help, ExplainsEveryKeyAndTable) {
    const Helped help;
    for (const platform::ConfigurationKey& key : platform::keys()) {
        const std::string name(key.name);
        const std::string text = help({"--help", name});
        expect_narrow(text);
        EXPECT_TRUE(has(text, name + " = ")) << text;
    }
    const std::string table = help({"--help", "nand.geometry"});
    expect_narrow(table);
    EXPECT_TRUE(table.starts_with("nand.geometry.channels ")) << table;
    EXPECT_FALSE(has(table, "nand.timing")) << table;
    EXPECT_EQ(help({"--help", "geometry"}), table) << "the last name is enough";
    const std::string collection = help({"--help", "gc"});
    EXPECT_TRUE(collection.starts_with("firmware.gc.")) << collection;
    EXPECT_EQ(collection, help({"--help", "firmware.gc"}));
}

TEST(Help, SuggestsNamesForAnUnknownTopic) {
    const Helped help;
    const std::string begin = "; allowed: an option, a configuration key or a table of keys";
    EXPECT_EQ(help({"--help", "queue-deth"}, kExitUserError),
              "error: --help: found queue-deth" + begin + "; did you mean queue-depth?\n");
    EXPECT_EQ(
        help({"--help", "nand.geometry.chanels"}, kExitUserError),
        "error: --help: found nand.geometry.chanels" + begin + "; did you mean nand.geometry.channels?\n");
    EXPECT_EQ(help({"--help", "nand.geometri"}, kExitUserError),
              "error: --help: found nand.geometri" + begin + "; did you mean nand.geometry?\n");
    const std::string topics = help({"--help", "xylophone"}, kExitUserError);
    EXPECT_TRUE(topics.starts_with("error: --help: found xylophone" + begin + " (")) << topics;
    for (const char* table : {"dram", "firmware", "host", "nand", "pcie", "sata"}) {
        EXPECT_TRUE(has(topics, table)) << table << " in " << topics;
    }
}

}  // namespace
}  // namespace solidtlm::testbench
