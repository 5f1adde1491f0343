// SPDX-License-Identifier: Apache-2.0
//
// For tests of executables: runs them as a user does, each in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "fw/testing/places.h"
#include "testbench/programs/shell.h"
#include "testbench/show/result.h"
#include "testbench/show/schema_test_support.h"

namespace solidtlm::testbench {

inline Json result_in(const std::filesystem::path& folder) {
    std::ifstream stream(folder / "result.json");
    return Json::parse(stream);
}

/// The first program that the shell does not find; empty if all are there.
inline std::string first_missing(std::initializer_list<const char*> programs) {
    for (const char* program : programs) {
        if (shell(std::string("command -v ") + program).code != 0) {
            return program;
        }
    }
    return "";
}

/// Skips the test if one of the programs that it runs is not installed.
#define SKIP_WITHOUT(...)                                                             \
    if (const std::string missing = first_missing({__VA_ARGS__}); !missing.empty()) { \
        GTEST_SKIP() << missing << " is not installed: see scripts/setup";            \
    }                                                                                 \
    static_assert(true)

inline void expect_text(const Outcome& run, const std::vector<std::string>& wanted) {
    for (const std::string& text : wanted) {
        EXPECT_NE(run.output.find(text), std::string::npos) << "'" << text << "' is not in:\n" << run.output;
    }
}

/// Expects that the schema accepts the result. Skips the test if the checker is not installed, so call it
/// last.
inline void expect_valid_result(const std::filesystem::path& folder) {
    NEED_JSONSCHEMA();
    const Outcome check =
        shell(source_path("scripts/check-result") + " " + (folder / "result.json").string());
    EXPECT_EQ(check.code, 0) << check.output;
}

class ScenarioTest : public ::testing::Test {
  protected:
    /// `begun`: a text that the executable prints only after it has started to run something.
    ScenarioTest(std::string executable, std::string begun)
        : executable_(std::move(executable)),
          begun_(std::move(begun)),
          folder_(std::filesystem::path(::testing::TempDir()) /
                  (std::filesystem::path(executable_).filename().string() + "_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~ScenarioTest() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] Outcome execute(const std::string& arguments) const {
        return shell(executable_ + " " + arguments);
    }

    /// The result of a successful run, in the folder `name`.
    [[nodiscard]] Json result_of(const std::string& arguments, const std::string& name = "out") const {
        const std::filesystem::path out = folder_ / name;
        const Outcome run = execute(arguments + " --out " + out.string());
        EXPECT_EQ(run.code, 0) << run.output;
        return result_in(out);
    }

    /// Expects a user's mistake to be refused: exit code 2, nothing run, no result, and a message that
    /// contains all of `wanted`.
    void expect_refused(const std::string& arguments, const std::vector<std::string>& wanted) const {
        const std::filesystem::path out = folder_ / "refused";
        const Outcome run = execute(arguments + " --out " + out.string());
        EXPECT_EQ(run.code, 2) << run.output;
        expect_text(run, wanted);
        EXPECT_EQ(run.output.find(begun_), std::string::npos) << "nothing may be run\n" << run.output;
        EXPECT_FALSE(std::filesystem::exists(out / "result.json"));
    }

    /// Expects that a quiet run prints nothing, and that its result does not depend on the number of parallel
    /// jobs.
    void expect_same_with_any_jobs(const std::string& arguments) const {
        std::vector<Json> results;
        for (const char* jobs : {"1", "3"}) {
            const std::filesystem::path out = folder_ / ("jobs_" + std::string(jobs));
            const Outcome run = execute(arguments + " --quiet --jobs " + jobs + " --out " + out.string());
            EXPECT_EQ(run.code, 0) << run.output;
            EXPECT_EQ(run.output, "");
            results.push_back(without_wall_times(result_in(out)));
        }
        EXPECT_EQ(results[0].dump(), results[1].dump());
    }

  private:
    std::string executable_;
    std::string begun_;

  protected:
    std::filesystem::path folder_;
};

}  // namespace solidtlm::testbench
