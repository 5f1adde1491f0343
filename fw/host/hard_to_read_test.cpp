// SPDX-License-Identifier: Apache-2.0
//
// Pages that are hard to read are moved before their data is lost. For lost pages the host learns which
// sectors failed.
#include <gtest/gtest.h>

#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint16_t kLimit = 50;

FirmwareConfig reclaiming(Ps patrol) {
    FirmwareConfig config = tiny_config();
    config.exported_sectors = config.exported_sectors / 2 / 16 * 16;
    config.reliability.reclaim_bits = kLimit;
    config.reliability.patrol = patrol;
    return config;
}

TEST(ReadReclaim, MovesASuperblockAtTheLimitButNotBelow) {
    for (const std::uint16_t corrected : {static_cast<std::uint16_t>(kLimit - 1), kLimit}) {
        FakeDevice device(reclaiming(Ps{0}), 3);
        ShadowHost host(device, 3);
        host.write_everything_to_flash();
        const Lpn lpn{5};
        const hal::FlashAddress before = page_of(device, lpn);
        device.flash.corrected_bits[before] = corrected;
        host.read(std::uint64_t{lpn.value} * device.config.unit_bytes / 512, 1, false);
        device.run();
        const bool moves = corrected == kLimit;
        EXPECT_EQ(page_of(device, lpn) != before, moves);
        EXPECT_EQ(device.firmware->metrics().count("gc.weak_victims"), moves ? 1U : 0U);
        EXPECT_EQ(device.firmware->metrics().count("gc.erased_superblocks"), moves ? 1U : 0U);
        host.read_everything();
        expect_sound(device, host);
        EXPECT_EQ(host.failed, 0U);
    }
}

// The host does not read the page. The patrol does, once in the pass after the write, and then rests.
TEST(Patrol, FindsDataThatTheHostDoesNotRead) {
    FakeDevice device(reclaiming(Ps{1'000'000'000}), 3);
    ShadowHost host(device, 3);
    host.write_everything_to_flash();
    const std::uint64_t pass = device.firmware->metrics().count("patrol.superpages");
    EXPECT_GT(pass, 0U);
    device.run();
    EXPECT_EQ(device.firmware->metrics().count("patrol.superpages"), pass) << "it rests";
    const auto reads_of = [&device](hal::Cause cause) {
        return device.flash.by_cause[{cause, hal::FlashOpcode::read}];
    };
    EXPECT_EQ(reads_of(hal::Cause::patrol), pass * device.firmware->layout().planes_per_pu());
    EXPECT_EQ(reads_of(hal::Cause::wear), 0U) << "nothing is moved to level wear";
    EXPECT_TRUE(device.firmware->at_rest());
    const Lpn lpn{5};
    const hal::FlashAddress before = page_of(device, lpn);
    device.flash.corrected_bits[before] = kLimit;
    const std::uint64_t far = device.config.exported_sectors - 64;
    host.write(far, 64, true);
    device.run();
    EXPECT_NE(page_of(device, lpn), before);
    EXPECT_GT(device.firmware->metrics().count("gc.weak_victims"), 0U);
    host.read_everything();
    expect_sound(device, host);
}

TEST(Patrol, GivesWayToTheHostAndBreaksNothing) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        FirmwareConfig config = variant(seed);
        config.reliability.reclaim_bits = kLimit;
        config.reliability.patrol = Ps{100'000'000};
        FakeDevice device(config, seed);
        for (std::uint16_t die = 0; die < 4;
             ++die) {  // one page of every die is hard to read, with any contents
            device.flash.corrected_bits[{hal::Channel{static_cast<std::uint16_t>(die / 2)},
                                         hal::Die{static_cast<std::uint16_t>(die % 2)}, hal::Plane{0},
                                         hal::Block{5}, hal::Page{2}}] = kLimit;
        }
        ShadowHost host(device, seed);
        host.write_everything();
        host.run(ShadowHost::Mix{}, 2000);
        host.read_everything();
        host.simple(hal::HostOpcode::flush, false);
        device.run();
        expect_sound(device, host);
        EXPECT_EQ(host.failed, 0U);
        EXPECT_GT(device.firmware->metrics().count("patrol.superpages"), 0U);
        EXPECT_TRUE(device.firmware->at_rest());
    }
}

// A read of 64 sectors with one unreadable page in the middle: the data before it reaches the host, so that
// the device names the first sector that failed.
TEST(UncorrectableReads, SendTheDataBeforeTheError) {
    FirmwareConfig config = tiny_config();
    FakeDevice device(config, 4);
    ShadowHost host(device, 4);
    host.write_everything_to_flash();
    const std::uint32_t unit = config.unit_bytes / 512;
    const Lpn bad{6};
    device.flash.unreadable[page_of(device, bad)] = true;
    std::uint64_t first_bad = bad.value;  // as LPN: another unit may share its page
    while (first_bad > 0 &&
           page_of(device, Lpn{static_cast<std::uint32_t>(first_bad - 1)}) == page_of(device, bad)) {
        --first_bad;
    }
    auto issued = FakeHost::make(hal::HostOpcode::read, 0, 16 * unit);
    bool ended = false;
    issued->completed = [&](FakeHost::Issued& done) {
        ended = true;
        EXPECT_EQ(done.status, hal::HostStatus::uncorrectable);
        EXPECT_EQ(done.latency, done.ledger.total());
        for (std::uint32_t sector = 0; sector < 16 * unit; ++sector) {
            // write_everything() numbers the sectors from 1.
            EXPECT_EQ(done.identity(sector), sector < first_bad * unit ? sector + 1 : 0U) << sector;
        }
    };
    device.host.submit(std::move(issued));
    device.run();
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace solidtlm::fw::testing
