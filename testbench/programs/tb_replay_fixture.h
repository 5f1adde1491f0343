// SPDX-License-Identifier: Apache-2.0
//
// For tests of tb_replay: a fixture that runs it, and small input files.
#pragma once

#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"

namespace solidtlm::testbench {

class TbReplay : public ScenarioTest {
  protected:
    TbReplay() : ScenarioTest(built_path("tb_replay"), "simulated") {}

    [[nodiscard]] std::string file(const std::string& name, const std::string& contents) const {
        const std::filesystem::path path = folder_ / name;
        std::ofstream(path, std::ios::binary) << contents;
        return path.string();
    }
};

}  // namespace solidtlm::testbench
