// SPDX-License-Identifier: Apache-2.0
//
// Every command that README.md, CONTRIBUTING.md, traces/README.md and docs/*.md show, and every example of
// --help, is run until it would begin to simulate (--dry-run). A command is skipped only if its name is on
// the list kNotRun, with the reason. docs/tutorials has a test of its own.
//
// Commands run in a folder that looks like the source tree: traces/, scripts/ and build/release/bin/ are
// there. For a file that readers bring along, the test makes a small stand-in in the format that its name or
// --format says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "fw/testing/files.h"
#include "fw/testing/places.h"
#include "testbench/programs/documented_commands.h"
#include "testbench/programs/shell.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

struct NotRun {
    std::string_view name;  ///< first word of the command
    std::string_view why;
};
constexpr std::array kNotRun{
    NotRun{".venv/bin/dask", "waits for workers, or for work"},
    NotRun{"build/fuzz/bin/fuzz_device", "built by scripts/fuzz, with clang"},
    NotRun{"git", "talks to a server"},
    NotRun{"bpftrace", "a program of others that must be root"},
    NotRun{"gtkwave", "a program of others that opens a window"},
    NotRun{"solidtlm", "of the Python package, whose tests run it"},
    NotRun{"less", "a program of others that waits for keys"},
    NotRun{"valgrind", "a program of others that takes minutes"},
};

struct StandIn {
    std::string_view key;  ///< in the file's name, or the value of --format
    std::string_view content;
};
/// The first stand-in whose key matches is used.
constexpr std::array kStandIns{
    StandIn{"columns", "0,0,R,0,4096\n10,0,W,4096,4096\n"},
    StandIn{"toml", "[nand.geometry]\nchannels = 4\n"},
    StandIn{"img", "a disk"},
    StandIn{"nbd", "0 W 0 16 - +2\n10 W 16 8 FUA 1\n20 R 0 8\n30 T 8 8\n40 F 0 0\n"},
    StandIn{"cmds", "0\tW\t0\t8\t1\t\t10\n20\tR\t0\t8\t1\t\t10\n"},
    StandIn{"blk", "8,0 1 1 0.000000000 1 D W 0 + 8 [x]\n8,0 1 2 0.000010000 1 D R 0 + 8 [x]\n"},
    StandIn{"flashsim", "0.0 0 0 1 0\n1.0 0 0 1 1\n"},
    StandIn{"disksim", "0.0 0 0 8 0\n1.0 0 0 8 1\n"},
    StandIn{"spc", "0,0,4096,W,0.0\n0,0,4096,R,0.1\n"},
    StandIn{"msr", "128166372003061629,hm,1,Write,0,4096,413\n128166372003061630,hm,1,Read,0,4096,4\n"},
};

fs::path source(const std::string& path) {
    return source_path(path);
}

/// One test reads all pages, because separate tests would need the list of pages at build time.
std::vector<std::string> pages() {
    std::vector<std::string> pages{"README.md", "CONTRIBUTING.md", "traces/README.md"};
    for (const auto& entry : fs::directory_iterator(source("docs"))) {
        if (entry.path().extension() == ".md") {
            pages.push_back("docs/" + entry.path().filename().string());
        }
    }
    std::ranges::sort(pages);
    return pages;
}

class Documentation : public testing::Test {
  protected:
    Documentation() : folder_(fs::path(testing::TempDir()) / ("solidtlm_docs_" + std::to_string(getpid()))) {
        fs::create_directories(folder_ / "build/release");
        fs::create_directory_symlink(built_path(""), folder_ / "build/release/bin");
        fs::create_directory_symlink(source("traces"), folder_ / "traces");
        fs::create_directory_symlink(source("scripts"), folder_ / "scripts");
        fs::create_directory_symlink(source("testbench"), folder_ / "testbench");
    }
    ~Documentation() override { fs::remove_all(folder_); }

    void check_page(const std::string& page) {
        for (const DocumentedCommand& command : documented_commands(read_file(source(page)))) {
            SCOPED_TRACE(page + ":" + std::to_string(command.line) + ": " + command.text);
            check(command);
        }
    }

    void check(const DocumentedCommand& command) {
        const std::vector<std::string> words = command.words();
        const std::string name = program_of(words.front());
        if (is_our_program(name)) {
            run(command, name);
        } else if (words.front().starts_with("scripts/") || words.front().starts_with(".ci/")) {
            check_script(words);
        } else if (words.front() == "cmake" || words.front() == "ctest") {
            check_preset(words);
        } else {
            EXPECT_TRUE(std::ranges::find(kNotRun, words.front(), &NotRun::name) != kNotRun.end())
                << "this test neither runs nor knows " << words.front();
        }
        ++commands_;
    }

    std::size_t commands_ = 0;

  private:
    void run(const DocumentedCommand& command, const std::string& name) {
        if (name == kWithNbdkit && !fs::exists(built_path("") + name)) {
            return;
        }
        const std::vector<std::string> words = command.words();
        provide_files(words);
        const std::string arguments =
            command.text.substr(command.text.find(words.front()) + words.front().size());
        const Outcome outcome = shell("cd " + folder_.string() + " && timeout 120 " + built_path("") + name +
                                      arguments + " --dry-run");
        EXPECT_EQ(outcome.code, 0) << outcome.output.substr(0, 2000);
    }

    /// Makes the files that the reader would bring along.
    void provide_files(const std::vector<std::string>& words) {
        const auto format = std::ranges::find(words, "--format");
        std::string option;
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (words[i].starts_with("--")) {
                option = words[i];
                continue;
            }
            const bool file =
                option == "--trace" || option == "--config" || option == "--compare" || option == "--image" ||
                (option.empty() && words[i].ends_with(".toml")) ||
                (program_of(words.front()) == "describe_load" && option != "--format" &&
                 words[i].find('.') != std::string::npos && words[i].find('=') == std::string::npos);
            if (file && !fs::exists(folder_ / words[i])) {
                const bool by_format =
                    format != words.end() && format + 1 != words.end() && option != "--config";
                provide(words[i], by_format ? *(format + 1) : words[i]);
            }
        }
    }

    void provide(const std::string& file, const std::string& hint) {
        ASSERT_FALSE(file.starts_with("traces/")) << file << " is not among the samples";
        const auto stand_in = std::ranges::find_if(
            kStandIns, [&hint](const StandIn& each) { return hint.find(each.key) != std::string::npos; });
        ASSERT_NE(stand_in, kStandIns.end()) << "no stand-in for " << file;
        fs::create_directories((folder_ / file).parent_path());
        std::ofstream(folder_ / file) << stand_in->content;
    }

    static void check_script(const std::vector<std::string>& words) {
        const fs::path script = source(words.front());
        ASSERT_TRUE(fs::exists(script));
        EXPECT_EQ(access(script.c_str(), X_OK), 0) << "not executable";
        const std::string text = read_file(script);
        for (const std::string& word : words) {
            EXPECT_TRUE(!word.starts_with("--") || text.find(word) != std::string::npos)
                << "the script knows no " << word;
        }
    }

    /// `--preset NAME`, or the folder build/NAME that the preset makes.
    static void check_preset(const std::vector<std::string>& words) {
        for (const char* option : {"--preset", "--build", "--install", "--test-dir"}) {
            const auto found = std::ranges::find(words, option);
            if (found == words.end() || found + 1 == words.end() || (found + 1)->starts_with("--")) {
                continue;
            }
            const std::string name = program_of(*(found + 1));
            EXPECT_NE(read_file(source("CMakePresets.json")).find("\"name\": \"" + name + "\""),
                      std::string::npos)
                << "no preset " << name;
            return;
        }
        ADD_FAILURE() << "without a preset";
    }

    fs::path folder_;
};

TEST_F(Documentation, CommandsOfTheReadme) {
    check_page("README.md");
    EXPECT_GE(commands_, 10U);
}

TEST_F(Documentation, CommandsForContributors) {
    check_page("CONTRIBUTING.md");
    EXPECT_GE(commands_, 5U);
}

TEST_F(Documentation, CommandsOfEveryPage) {
    for (const std::string& page : pages()) {
        if (page != "README.md" && page != "CONTRIBUTING.md") {
            check_page(page);
        }
    }
    EXPECT_GE(commands_, 20U);
}

TEST_F(Documentation, ExamplesOfTheHelp) {
    for (const auto& entry : fs::directory_iterator(built_path(""))) {
        const std::string name = entry.path().filename().string();
        if (!is_our_program(name) || !entry.is_regular_file()) {
            continue;
        }
        const std::string help = shell(entry.path().string() + " --help-all").output;
        EXPECT_NE(help.find("--dry-run"), std::string::npos) << name;
        const std::size_t examples = help.find("\nExamples:\n");
        std::istringstream lines(examples == std::string::npos ? "" : help.substr(examples + 11));
        for (std::string line; std::getline(lines, line) && line.starts_with("  ");) {
            for (std::string more; line.ends_with('\\') && std::getline(lines, more);) {
                line.replace(line.size() - 1, 1, more);
            }
            SCOPED_TRACE(line);
            check({0, line.substr(2)});
        }
    }
    EXPECT_GE(commands_, 20U);
}

TEST_F(Documentation, HelpFitsOnAScreen) {
    constexpr std::size_t kMostLines = 55;
    constexpr std::size_t kMostColumns = 100;
    for (const auto& entry : fs::directory_iterator(built_path(""))) {
        const std::string name = entry.path().filename().string();
        if (!is_our_program(name) || !entry.is_regular_file()) {
            continue;
        }
        for (const char* option : {"--help", "--help-all"}) {
            const std::string help = shell(entry.path().string() + " " + option).output;
            std::istringstream lines(help);
            std::size_t count = 0;
            for (std::string line; std::getline(lines, line); ++count) {
                EXPECT_LE(line.size(), kMostColumns) << name << " " << option << ": " << line;
            }
            EXPECT_TRUE(option == std::string("--help-all") || count <= kMostLines) << name << ": " << count;
        }
    }
}

TEST_F(Documentation, PrintsInformationWithoutARun) {
    for (const auto& entry : fs::directory_iterator(built_path(""))) {
        const std::string name = entry.path().filename().string();
        if (!is_our_program(name) || name == "describe_load" || !entry.is_regular_file()) {
            continue;
        }
        SCOPED_TRACE(name);
        for (const char* option :
             {"--help", "--help-all", "--help seed", "--version", "--list-presets", "--list-keys",
              "--list-keys --markdown", "--show-config", "--show-config --set seed=7"}) {
            const Outcome outcome = shell(entry.path().string() + " " + option);
            EXPECT_EQ(outcome.code, 0) << option << "\n" << outcome.output.substr(0, 500);
            EXPECT_GT(outcome.output.size(), 5U) << option;
            EXPECT_EQ(outcome.output.find("error:"), std::string::npos) << option;
        }
        const Outcome wrong = shell(entry.path().string() + " --show-config --set nand.geometry.chanels=4");
        EXPECT_EQ(wrong.code, 2);
        EXPECT_NE(wrong.output.find("did you mean nand.geometry.channels?"), std::string::npos)
            << wrong.output;
    }
}

/// A page with commands in blocks of every kind, and with lines that only look like commands.
TEST(DocumentedCommands, AreFoundInBlocks) {
    const std::string page =
        "Prose with `tb_replay --in-line` and\n"
        "```\n"
        "tb_trim --out out     # with a comment\n"
        "gtkwave waves.gtkw\n"
        "```\n"
        "```\n"
        "scripts/     a folder tree\n"
        "tb_replay: its output\n"
        "```\n"
        "   ~~~ sh\n"
        "   tb=build/release/bin/tb_replay\n"
        "   PRESET=asan scripts/test; $tb --help && ${tb} --set 'a=1; b=2' \\\n"
        "      --trace x.nbd   # goes on\n"
        "   # nothing\n"
        "   ~~~\n"
        "tb_replay --outside\n"
        "```\n"
        "$ tb_striping --orders PCWD | less\n"
        "tb_striping: its output\n"
        "$ something else [FILE...]\n"
        "```\n";
    std::vector<std::string> found;
    for (const DocumentedCommand& command : documented_commands(page)) {
        found.push_back(std::to_string(command.line) + " " + command.text);
    }
    const std::vector<std::string> expected{
        "3 tb_trim --out out",
        "4 gtkwave waves.gtkw",
        "12 scripts/test",
        "12 build/release/bin/tb_replay --help",
        "12 build/release/bin/tb_replay --set 'a=1; b=2'  --trace x.nbd",
        "18 tb_striping --orders PCWD",
        "18 less",
        "20 something else",
    };
    EXPECT_EQ(found, expected);
}

TEST(DocumentedCommands, WordsAreThoseOfAShell) {
    EXPECT_EQ((DocumentedCommand{0, "a 'b c' \"d\"e  ''"}.words()),
              (std::vector<std::string>{"a", "b c", "de", ""}));
}

}  // namespace
}  // namespace solidtlm::testbench
