// SPDX-License-Identifier: Apache-2.0
#include "platform/fault_script.h"

#include <gtest/gtest.h>

#include "platform/configuration_test_support.h"

namespace solidtlm::platform {
namespace {

using Fault = hw::ScriptedFault;

TEST(FaultScript, EveryStatementIsRead) {
    const auto script = parse_fault_script(
        "program 3 of block 0/1/1/17; erase 1 of block 2/0/0/5;page 0/0/1/17/5 is uncorrectable ;"
        " plane 1/0/1 dies at 20ms; die 0/3 dies at 1.5s;");
    ASSERT_TRUE(script);
    ASSERT_EQ(script->faults.size(), 5U);
    const auto at = [](unsigned channel, unsigned die, unsigned plane, unsigned block, unsigned page) {
        return hal::FlashAddress{
            hal::Channel{static_cast<std::uint16_t>(channel)}, hal::Die{static_cast<std::uint16_t>(die)},
            hal::Plane{static_cast<std::uint8_t>(plane)}, hal::Block{block}, hal::Page{page}};
    };
    EXPECT_EQ(script->faults[0].kind, Fault::Kind::program);
    EXPECT_EQ(script->faults[0].nth, 3U);
    EXPECT_EQ(script->faults[0].address, at(0, 1, 1, 17, 0));
    EXPECT_EQ(script->faults[1].kind, Fault::Kind::erase);
    EXPECT_EQ(script->faults[1].address, at(2, 0, 0, 5, 0));
    EXPECT_EQ(script->faults[2].kind, Fault::Kind::page);
    EXPECT_EQ(script->faults[2].address, at(0, 0, 1, 17, 5));
    EXPECT_EQ(script->faults[3].kind, Fault::Kind::plane);
    EXPECT_EQ(script->faults[3].at, hal::Ps{20'000'000'000});
    EXPECT_EQ(script->faults[3].address, at(1, 0, 1, 0, 0));
    EXPECT_EQ(script->faults[4].kind, Fault::Kind::die);
    EXPECT_EQ(script->faults[4].at, hal::Ps{1'500'000'000'000});
    EXPECT_EQ(script->faults[4].address, at(0, 3, 0, 0, 0));
    EXPECT_TRUE(parse_fault_script("")->faults.empty());
}

TEST(FaultScript, MalformedStatementsAreRefused) {
    for (const char* text :
         {"program 0 of block 0/0/0/1", "program 3 of block 0/0/0", "program 3 of block 0/0/0/1/2",
          "program x of block 0/0/0/1", "program 3 block 0/0/0/1", "page 0/0/0/1 is uncorrectable",
          "page 0/0/0/1/2 is bad", "die 0 dies at 20ms", "die 0/0 dies at 20", "die 0/0 dies",
          "plane 0/0/256 dies at 1s", "; ;", "explode", "die 65536/0 dies at 1s",
          "page -1/0/0/1/2 is uncorrectable", "page 0//0/1/2 is uncorrectable"}) {
        EXPECT_FALSE(parse_fault_script(text)) << text;
    }
}

TEST(FaultScript, APlaceOutsideTheDriveIsReported) {
    try {
        parse_configuration(
            "[faults]\nscript = \"die 0/0 dies at 1s; page 0/0/0/0/99999 is uncorrectable\"\n", "drive.toml",
            {});
        FAIL() << "was taken";
    } catch (const ConfigurationError& error) {
        EXPECT_NE(std::string(error.what()).find("page 0/0/0/0/99999 is uncorrectable"), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("drive.toml:2"), std::string::npos) << error.what();
    }
}

TEST(FaultScript, BitErrorsAndRetriesNeedEcc) {
    for (const char* setting : {"faults.bit_errors=true", "nand.ecc.retries=3"}) {
        EXPECT_THROW(parse_configuration("", "drive.toml", {"nand.ecc.codeword_size=0", setting}),
                     ConfigurationError)
            << setting;
        EXPECT_NO_THROW(parse_configuration("", "drive.toml", {setting})) << setting;
    }
}

TEST(FaultScript, AgesAreReadAndWritten) {
    const auto aged = [](const std::string& age) {
        return parse_configuration("faults.bit_errors = true", "drive.toml", {"faults.age=" + age});
    };
    EXPECT_EQ(aged("1y").nand.faults.age_seconds, 31'536'000U);
    EXPECT_EQ(aged("1.5d").nand.faults.age_seconds, 129'600U);
    EXPECT_THROW(aged("3"), ConfigurationError);
    EXPECT_THROW(aged("20us"), ConfigurationError);
    EXPECT_NE(to_toml(aged("36h")).find("age = \"36h\""), std::string::npos);
}

}  // namespace
}  // namespace solidtlm::platform
