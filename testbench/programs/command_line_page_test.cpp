// SPDX-License-Identifier: Apache-2.0
//
// docs/command-line.md says which program has which of the common options. This test compares it with
// --help-all. The page must decide on every program for a new common option.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "fw/testing/files.h"
#include "fw/testing/places.h"
#include "testbench/programs/documented_commands.h"
#include "testbench/programs/shell.h"

namespace solidtlm::testbench {
namespace {

using Names = std::set<std::string>;

Names programs() {
    return {"bench_speed",  "tb_ahci",    "tb_btree",     "tb_contention", "tb_dedup",   "tb_disk",
            "tb_endurance", "tb_gallery", "tb_guest",     "tb_map_cache",  "tb_nvme",    "tb_fragmentation",
            "tb_pts",       "tb_replay",  "tb_slc_cache", "tb_striping",   "tb_torture", "tb_trim"};
}

/// The texts between backquotes.
Names quoted(const std::string& text) {
    Names names;
    for (std::size_t begin = text.find('`'); begin != std::string::npos;) {
        const std::size_t end = text.find('`', begin + 1);
        names.insert(text.substr(begin + 1, end - begin - 1));
        begin = text.find('`', end + 1);
    }
    return names;
}

struct Page {
    Names everywhere;                       ///< options that all programs have
    std::map<std::string, Names> programs;  ///< programs of each other option
};

Page read_page() {
    Page page;
    const std::string text = read_file(source_path("docs/command-line.md"));
    const std::size_t all = text.find("All of them have ");
    page.everywhere = quoted(text.substr(all, text.find("The others:") - all));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| `--")) {
            continue;
        }
        const std::size_t bar = line.find('|', 1);
        Names who = quoted(line.substr(bar));
        if (line.find("all but", bar) != std::string::npos) {
            Names others = programs();
            std::erase_if(others, [&who](const std::string& name) { return who.contains(name); });
            who = std::move(others);
        }
        for (const std::string& option : quoted(line.substr(0, bar))) {
            page.programs[option] = who;
        }
    }
    return page;
}

/// Options in the help whose group is in `wanted`.
Names options_in(const std::string& help, const Names& wanted = {}) {
    Names options;
    std::istringstream lines(help);
    std::string group;
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with(':') && !line.starts_with(' ')) {
            group = line.substr(0, line.size() - 1);
        }
        const std::size_t begin = line.find("--");
        const bool option = line.starts_with("  --") || line.starts_with("  -h,--");
        if (option && (wanted.empty() || wanted.contains(group))) {
            options.insert(line.substr(begin, line.find_first_of(" =", begin) - begin));
        }
    }
    return options;
}

std::string help_of(const std::string& program) {
    const Outcome run = shell(built_path(program) + " --help-all");
    EXPECT_EQ(run.code, 0) << run.output;
    return run.output;
}

TEST(CommandLinePage, NamesEveryCommonOption) {
    const Page page = read_page();
    Names named = page.everywhere;
    for (const auto& [option, who] : page.programs) {
        named.insert(option);
    }
    // tb_replay has all common options.
    EXPECT_EQ(options_in(help_of("tb_replay"), {"Information", "Device", "Requests", "Run"}), named);
}

TEST(CommandLinePage, EveryProgramHasTheOptionsThatItCanUse) {
    const Page page = read_page();
    for (const std::string& program : programs()) {
        if (program == kWithNbdkit && !std::filesystem::exists(built_path(program))) {
            continue;
        }
        const Names options = options_in(help_of(program));
        for (const std::string& option : page.everywhere) {
            EXPECT_TRUE(options.contains(option)) << program << " " << option;
        }
        for (const auto& [option, who] : page.programs) {
            EXPECT_EQ(options.contains(option), who.contains(program)) << program << " " << option;
            if (!who.contains(program)) {
                const Outcome run = shell(built_path(program) + " --dry-run " + option);
                EXPECT_EQ(run.code, 2) << program << " " << option;
                EXPECT_NE(run.output.find("unknown option " + option + "; "), std::string::npos)
                    << run.output;
            }
        }
    }
}

}  // namespace
}  // namespace solidtlm::testbench
