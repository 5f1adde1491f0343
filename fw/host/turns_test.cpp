// SPDX-License-Identifier: Apache-2.0
//
// Commands let each other go first: no turn on the core is longer than the configuration allows.
#include <gtest/gtest.h>

#include "fw/longest_turn.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint32_t kManyCycles = 10'000;

/// Submits the commands at once, and runs until all have ended. Returns the cycles of the longest turn.
std::uint64_t longest_turn_of(FakeDevice& device, std::vector<std::unique_ptr<FakeHost::Issued>> commands) {
    device.run();
    std::size_t ended = 0;
    const std::size_t all = commands.size();
    for (auto& command : commands) {
        command->completed = [&ended](const FakeHost::Issued& issued) {
            EXPECT_EQ(issued.status, hal::HostStatus::ok);
            ++ended;
        };
        device.host.submit(std::move(command));
    }
    device.run();
    EXPECT_EQ(ended, all);
    return device.longest_turn;
}

std::uint64_t limit(const FakeDevice& device) {
    return longest_turn_cycles(device.config, device.firmware->layout(), false);
}

TEST(Turns, FetchingLetsWorkOnFetchedCommandsGoFirst) {
    FirmwareConfig config = tiny_config();
    config.cycles.write_command = kManyCycles;
    FakeDevice device(config, 1);
    std::vector<std::unique_ptr<FakeHost::Issued>> writes;
    for (std::uint64_t i = 0; i < 32; ++i) {
        writes.push_back(FakeHost::make(hal::HostOpcode::write, i * 8, 8));
    }
    const std::uint64_t longest = longest_turn_of(device, std::move(writes));
    EXPECT_EQ(longest, config.cycles.command_fetch + kManyCycles) << "of one command";
    EXPECT_LE(longest, limit(device));
}

TEST(Turns, ATrimOfManyRangesLetsOthersGoFirst) {
    FirmwareConfig config = tiny_config();
    config.cycles.trim_range = kManyCycles;
    FakeDevice device(config, 1);
    std::vector<std::unique_ptr<FakeHost::Issued>> trims;
    for (int i = 0; i < 2; ++i) {
        trims.push_back(FakeHost::make(hal::HostOpcode::trim));
        for (std::uint32_t range = 0; range < 512; ++range) {  // none covers a unit
            trims.back()->ranges.push_back({hal::Lba{range * 8 + 4}, range % 2 == 0 ? 3U : 8U});
        }
    }
    EXPECT_LE(longest_turn_of(device, std::move(trims)), limit(device));
}

TEST(Turns, ALongReadThatWaitsForNothingLetsOthersGoFirst) {
    FirmwareConfig config = tiny_config();
    config.cycles.unit_lookup = kManyCycles;  // a segment is sent while the next one is looked up
    FakeDevice device(config, 1);
    std::vector<std::unique_ptr<FakeHost::Issued>> reads;
    for (int i = 0; i < 2; ++i) {
        reads.push_back(FakeHost::make(hal::HostOpcode::read, 0, 8192));
    }
    EXPECT_LE(longest_turn_of(device, std::move(reads)), limit(device));
}

}  // namespace
}  // namespace solidtlm::fw::testing
