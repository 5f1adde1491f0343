// SPDX-License-Identifier: Apache-2.0
//
// Drives that copy lower pages, whose superblocks for copies wear out in one parallel unit or in all: they
// take no more writes at once, retire nothing that is healthy, and keep what they have acknowledged.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

#include "fw/flash/needs.h"
#include "fw/needs.h"
#include "fw/testing/copying_drive.h"
#include "fw/testing/death_host.h"
#include "fw/testing/seeds.h"
#include "fw/testing/survive.h"

namespace solidtlm::fw::testing {
namespace {

/// A third of the drives has a recovery log, and one an SLC cache, in each mode in turn.
FirmwareConfig mortal(std::uint64_t seed) {
    FirmwareConfig config = with_copies(seed);
    if (seed % 3 == 1) {
        keep_log(config, seed);
        export_everything(config);
    } else if (seed % 3 == 2) {
        config.slc_cache.mode =
            std::array{SlcCacheMode::fixed, SlcCacheMode::dynamic, SlcCacheMode::hybrid}[seed / 6 % 3];
        const std::uint64_t superblock =
            std::uint64_t{config.flash.total_planes()} * config.flash.slc_pages * config.flash.page_bytes;
        config.slc_cache.static_bytes = superblock;
        config.slc_cache.size_bytes = superblock * 2;
        config.slc_cache.full = seed / 3 % 2 == 0 ? SlcCacheFull::bypass : SlcCacheFull::fold;
        export_everything(config);
    }
    config.exported_sectors = config.exported_sectors * 6 / 10 / 16 * 16;
    return config;
}

/// Operations fail from now on in all superblocks for copies of one parallel unit, or of all.
void wear_out_copies(FakeDevice& device, bool everywhere) {
    const MediaLayout layout = media_layout(device.config);
    std::set<hal::FlashAddress> blocks;
    for (std::uint32_t pu = 0; pu < (everywhere ? layout.pus() : 1); ++pu) {
        const std::uint32_t first = layout.first(kBackupArea).value;
        for (std::uint32_t i = 0; i < layout.superblocks(kBackupArea); ++i) {
            for (std::uint32_t plane = 0; plane < layout.planes_per_pu(); ++plane) {
                blocks.insert(layout.nand_page(Pu{pu}, Superblock{first + i}, plane, 0));
            }
        }
    }
    device.flash.worn = [blocks](hal::FlashAddress page) {
        page.page = hal::Page{0};
        return blocks.contains(page);
    };
}

class CopiesWornOut : public ::testing::TestWithParam<int> {
  protected:
    CopiesWornOut() {
        host.wear_out(1, 500);
        device.run();
        EXPECT_EQ(host.failed, 0U);
        wear_out_copies(device, seed % 2 == 0);
        host.wear_out(20, 20'000);
        host.flush();
        device.run();
    }
    void expect_stopped() {
        const auto stop = device.firmware->translation().write_stop();
        ASSERT_TRUE(stop);
        EXPECT_EQ(stop->why, "no superblock is left for copies of lower pages");
        EXPECT_TRUE(stop->since);
    }
    /// Each command has ended, and no data is lost. `cut`: power was, since the last write.
    void expect_data(bool cut) {
        host.check(cut);
        EXPECT_EQ(host.ended, host.submitted) << "a command was lost";
        EXPECT_EQ(host.lost, 0U);
        EXPECT_TRUE(device.flash.violations.empty()) << device.flash.violations.front();
        EXPECT_EQ(device.firmware->check(), "");
    }

    const std::uint64_t seed = static_cast<std::uint64_t>(GetParam());
    FakeDevice device{mortal(seed), seed};
    DeathHost host{device, seed};
};

TEST_P(CopiesWornOut, ADriveTakesNoMoreWritesAndRetiresNothingHealthy) {
    expect_stopped();
    EXPECT_GE(host.failed, 20U);
    EXPECT_EQ(device.firmware->translation().wear().retired, 0U);
    EXPECT_EQ(device.firmware->metrics().count("ftl.program_failures"), 0U);
    expect_data(false);
    const std::uint64_t before = host.failed;
    host.write(0, 8, true);
    device.run();
    EXPECT_EQ(host.failed, before + 1);
    expect_data(false);
}

// What TRIM frees cannot be written either.
TEST_P(CopiesWornOut, ADriveThatIsTrimmedTakesNoWrites) {
    host.trim(0, static_cast<std::uint32_t>(device.config.exported_sectors));
    device.run();
    expect_stopped();
    expect_data(false);
}

// The boot does not know which superblocks are bad: the drive finds out again, and data is there as before.
TEST_P(CopiesWornOut, ADriveStopsAgainAfterAPowerCut) {
    device.cycle_power([](FakeHost::Issued&) {});
    device.run();
    host.ended = host.submitted = 0;
    expect_data(true);
    host.wear_out(host.failed + 20, 20'000);
    device.run();
    expect_stopped();
    EXPECT_EQ(device.firmware->translation().wear().retired, 0U);
    expect_data(false);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CopiesWornOut, ::testing::Range(1, usual_or_sanitized(37, 9)));

}  // namespace
}  // namespace solidtlm::fw::testing
