// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/file_roles.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

CommandLine common_options() {
    CommandLine line;
    line.sources.files = {"drive.toml"};
    line.traces = {"a.trace", "b.trace"};
    line.out = "out";
    return line;
}

TEST(FileRoles, DifferentFilesAreAllowed) {
    FileRoles files(common_options());
    files.writes("--vcd", "waves.vcd");
    files.writes("--save-state", "");
    files.writes("--record", "");
    files.reads("--compare", "drive.toml");
    EXPECT_EQ(files.clashes(), Errors{}) << "two options may read one file";
}

TEST(FileRoles, RefusesToOverwriteAnInput) {
    FileRoles files(common_options());
    files.writes("--vcd", "b.trace");
    files.writes("--save-state", "./drive.toml");
    EXPECT_EQ(files.clashes(),
              (Errors{"--vcd: found b.trace; allowed: another file than those of --trace",
                      "--save-state: found ./drive.toml; allowed: another file than those of --config"}));
}

TEST(FileRoles, RefusesToOverwriteAnotherOutput) {
    FileRoles files(common_options());
    files.writes("--vcd", fs::current_path() / "waves");
    files.writes("--save-state", "waves");
    files.writes("--timeline", "out/result.json");
    EXPECT_EQ(files.clashes(),
              (Errors{"--save-state: found waves; allowed: another file than those of --vcd",
                      "--timeline: found out/result.json; allowed: another file than those of --out"}));
}

TEST(FileRoles, AnOptionMayNameAFileTwice) {
    CommandLine line;
    line.traces = {"a.trace", "a.trace"};
    EXPECT_EQ(FileRoles(line).clashes(), Errors{});
}

}  // namespace
}  // namespace solidtlm::testbench
