// SPDX-License-Identifier: Apache-2.0
//
// For tests of programs that speak qtest, with preset tiny.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "testbench/programs/scenario_fixture.h"

namespace solidtlm::testbench {

using Lines = std::vector<std::string>;

class QtestProgramTest : public ScenarioTest {
  protected:
    QtestProgramTest(const std::string& program, const std::string& group)
        : ScenarioTest(built_path(program), group), program_(program) {}

    /// Hides ScenarioTest's version, which adds --out: these programs do not have that option.
    void expect_refused(const std::string& arguments, const std::vector<std::string>& wanted) const {
        const Outcome run = execute(arguments + " < /dev/null");
        EXPECT_EQ(run.code, 2) << run.output;
        expect_text(run, wanted);
    }

    /// The answers to these lines, sent all at once.
    Lines answers(const std::string& options, const Lines& lines) {
        const std::string script = (folder_ / "script").string();
        std::ofstream file(script);
        for (const std::string& line : lines) {
            file << line << "\n";
        }
        file.close();
        const Outcome run = shell(built_path(program_) + " --preset tiny --qtest " + options + " < " +
                                  script + " 2>/dev/null");
        EXPECT_EQ(run.code, 0) << run.output;
        Lines result;
        std::istringstream output(run.output);
        for (std::string line; std::getline(output, line);) {
            result.push_back(line);
        }
        return result;
    }

  private:
    std::string program_;
};

}  // namespace solidtlm::testbench
