// SPDX-License-Identifier: Apache-2.0
//
// HostOpcode::verify, for READ VERIFY SECTOR(S) and self-tests: reads from flash what a read would, sends
// nothing, and names the first sector that cannot be read.
#include <gtest/gtest.h>

#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

using hal::HostOpcode;
using hal::HostStatus;

struct Verified {
    HostStatus status = HostStatus::aborted;
    std::uint32_t good = 0;  ///< sectors before the first unreadable one
};

Verified verify(FakeDevice& device, std::uint64_t lba, std::uint32_t sectors) {
    auto issued = FakeHost::make(HostOpcode::verify, lba, sectors);
    Verified result;
    issued->completed = [&](FakeHost::Issued& done) {
        result = {done.status, done.command.verified};
        EXPECT_EQ(done.latency, done.ledger.total()) << "the stages add up";
        for (std::uint32_t sector = 0; sector < sectors; ++sector) {
            EXPECT_EQ(done.identity(sector), 0U) << "no data moves";
        }
    };
    device.host.submit(std::move(issued));
    device.run();
    return result;
}

TEST(Verify, ReadsWhatIsOnFlash) {
    FakeDevice device(tiny_config(), 4);
    ShadowHost host(device, 4);
    host.write_everything_to_flash();
    const std::uint32_t unit = device.config.unit_bytes / 512;
    const std::uint64_t before = device.firmware->metrics().count("host.read_units");
    const Verified all = verify(device, 0, 16 * unit);
    EXPECT_EQ(all.status, HostStatus::ok);
    EXPECT_EQ(all.good, 16 * unit);
    EXPECT_EQ(device.firmware->metrics().count("host.read_units"), before + 16);
    host.read_everything();
    expect_sound(device, host);
}

TEST(Verify, WritesTheBufferFirst) {
    FakeDevice device(tiny_config(), 4);
    ShadowHost host(device, 4);
    host.write_everything_to_flash();
    const Lpn lpn{5};
    const std::uint32_t unit = device.config.unit_bytes / 512;
    const hal::FlashAddress old = page_of(device, lpn);
    host.write(std::uint64_t{lpn.value} * unit, unit, false);
    EXPECT_EQ(verify(device, std::uint64_t{lpn.value} * unit, unit).status, HostStatus::ok);
    EXPECT_NE(page_of(device, lpn), old) << "it is on flash now";
}

TEST(Verify, NamesTheFirstUnreadableSector) {
    FakeDevice device(tiny_config(), 4);
    ShadowHost host(device, 4);
    host.write_everything_to_flash();
    const std::uint32_t unit = device.config.unit_bytes / 512;
    const Lpn bad{6};
    device.flash.unreadable[page_of(device, bad)] = true;
    std::uint32_t first_bad = bad.value;  // another unit may share its page
    while (first_bad > 0 && page_of(device, Lpn{first_bad - 1}) == page_of(device, bad)) {
        --first_bad;
    }
    ASSERT_GT(first_bad, 0U);
    const Verified result = verify(device, 1, 16 * unit - 1);
    EXPECT_EQ(result.status, HostStatus::uncorrectable);
    EXPECT_EQ(result.good, first_bad * unit - 1);
    EXPECT_EQ(verify(device, 0, first_bad * unit).status, HostStatus::ok);
}

TEST(Verify, FindsMarkedSectors) {
    FakeDevice device(tiny_config(), 4);
    ShadowHost host(device, 4);
    host.write_everything_to_flash();
    auto mark = FakeHost::make(HostOpcode::write_uncorrectable, 21, 1);
    mark->completed = [](const FakeHost::Issued& done) { EXPECT_EQ(done.status, HostStatus::ok); };
    device.host.submit(std::move(mark));
    device.run();
    const Verified result = verify(device, 3, 40);
    EXPECT_EQ(result.status, HostStatus::uncorrectable);
    EXPECT_EQ(result.good, 18U);
    EXPECT_EQ(verify(device, 21, 1).good, 0U);
    EXPECT_EQ(verify(device, 22, 8).status, HostStatus::ok);
}

}  // namespace
}  // namespace solidtlm::fw::testing
