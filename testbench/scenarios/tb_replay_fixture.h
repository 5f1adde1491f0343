// SPDX-License-Identifier: Apache-2.0
//
// For tests of executables: run them as a user does.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "testbench/scenarios/shell.h"

namespace solidtlm::testbench {

class TbReplay : public ::testing::Test {
  protected:
    TbReplay()
        : folder_(std::filesystem::path(::testing::TempDir()) / ("tb_replay_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~TbReplay() override { std::filesystem::remove_all(folder_); }

    Outcome replay(const std::string& arguments) {
        return shell(std::string(SOLIDTLM_TB_REPLAY) + " " + arguments);
    }

    std::string file(const std::string& name, const std::string& contents) {
        const std::filesystem::path path = folder_ / name;
        std::ofstream(path, std::ios::binary) << contents;
        return path.string();
    }

    /// A mistake of the user: exit code 2, nothing simulated, no result, and a message that says `wanted`.
    void expect_refused(const std::string& arguments, const std::vector<std::string>& wanted) {
        const std::filesystem::path out = folder_ / "out";
        const Outcome run = replay(arguments + " --out " + out.string());
        EXPECT_EQ(run.code, 2) << run.output;
        for (const std::string& text : wanted) {
            EXPECT_NE(run.output.find(text), std::string::npos) << "'" << text << "' is not in:\n"
                                                                << run.output;
        }
        EXPECT_EQ(run.output.find("simulated"), std::string::npos) << run.output;
        EXPECT_FALSE(std::filesystem::exists(out / "result.json"));
    }

    std::filesystem::path folder_;
};

}  // namespace solidtlm::testbench
