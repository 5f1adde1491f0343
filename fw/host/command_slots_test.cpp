// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {
namespace {

/// Number of commands that the firmware carries out now.
std::size_t under_way(const FakeDevice& device) {
    const std::string begin = "commands: ";
    for (const std::string& line : device.firmware->waits()) {
        if (line.starts_with(begin) && line.find(" being carried out") != std::string::npos) {
            return std::stoul(line.substr(begin.size()));
        }
    }
    ADD_FAILURE() << "the firmware tells of its commands";
    return 0;
}

// The front end may hold more commands; they wait there.
TEST(CommandSlots, LimitTheCommandsCarriedOutAtOnce) {
    constexpr std::size_t kCommands = 48;
    for (const std::uint32_t slots : {1U, 5U, 33U, 40U}) {
        FirmwareConfig config = tiny_config();
        config.command_slots = slots;
        FakeDevice device(config, 1);
        for (std::size_t i = 0; i < kCommands; ++i) {
            auto command = FakeHost::make(hal::HostOpcode::write, i * 8, 8);
            command->completed = [](const FakeHost::Issued&) {};
            device.host.submit(std::move(command));
        }
        std::size_t most = 0;
        while (device.clock.run_one()) {
            most = std::max(most, under_way(device));
        }
        EXPECT_EQ(most, slots);
        EXPECT_EQ(device.host.outstanding(), 0U);
    }
}

}  // namespace
}  // namespace solidtlm::fw::testing
