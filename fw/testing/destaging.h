// SPDX-License-Identifier: Apache-2.0
//
// Tests of what the destager writes to which place: drives of 4 parallel units with superpages of 2 planes x
// 2 units.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {

constexpr std::uint32_t kSectors = 8;  ///< sectors per unit

inline FirmwareConfig half_full(AllocationMode mode = AllocationMode::dynamic) {
    FirmwareConfig config = tiny_config();
    config.exported_sectors = config.exported_sectors / 2 / 64 * 64;
    config.allocation.mode = mode;
    return config;
}

class Destaging : public ::testing::Test {
  public:
    explicit Destaging(const FirmwareConfig& config = half_full()) : device(config, 1), host(device, 1) {
        device.run();
    }
    /// Writes whole units in this order.
    void write(const std::vector<std::uint32_t>& units) {
        for (const std::uint32_t unit : units) {
            host.write(std::uint64_t{unit} * kSectors, kSectors, false);
        }
    }
    /// Waits until the writes are acknowledged, then flushes them.
    void flush() {
        device.run();
        host.simple(hal::HostOpcode::flush, false);
        device.run();
    }
    /// Runs until a die is busy.
    void run_until_programming() {
        while (programming() == 0) {
            ASSERT_TRUE(device.clock.run_one());
        }
    }
    [[nodiscard]] std::uint32_t programming() const {
        std::uint32_t sum = 0;
        for (std::uint16_t channel = 0; channel < 2; ++channel) {
            for (std::uint8_t die = 0; die < 2; ++die) {
                sum += device.flash.pending(hal::Channel{channel}, hal::Die{die});
            }
        }
        return sum;
    }
    [[nodiscard]] Ppa place(std::uint32_t unit) const {
        return device.firmware->translation().locate(Lpn{unit});
    }
    [[nodiscard]] std::vector<Ppa> places(const std::vector<std::uint32_t>& units) const {
        std::vector<Ppa> found;
        for (const std::uint32_t unit : units) {
            found.push_back(place(unit));
        }
        return found;
    }
    /// Expects `units` one after the other from `first` on.
    void expect_row(Ppa first, const std::vector<std::uint32_t>& units) const {
        for (const std::uint32_t unit : units) {
            EXPECT_EQ(place(unit), ++first) << unit;
        }
    }
    [[nodiscard]] std::uint64_t count(const char* metric) const {
        return device.firmware->metrics().count(metric);
    }
    void expect_all_read_back() {
        host.read_everything();
        expect_sound(device, host);
    }
    FakeDevice device;
    ShadowHost host;
};

}  // namespace solidtlm::fw::testing
