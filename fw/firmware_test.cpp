// SPDX-License-Identifier: Apache-2.0
//
// The whole firmware on fake hardware: random command streams against a shadow model. Every command ends,
// every read returns the data that the order of acceptance demands, the ledger adds up, the flash rules hold,
// and the tables agree.
#include "fw/firmware.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fw/needs.h"
#include "fw/testing/deduplicating.h"
#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

class RandomStreams : public ::testing::TestWithParam<int> {};

TEST_P(RandomStreams, EndSoundOnAFullDevice) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    FakeDevice device(variant(seed), seed);
    ShadowHost host(device, seed);
    host.write_everything();
    ShadowHost::Mix mix;
    mix.max_sectors = seed % 2 == 0 ? 96 : 600;  // more than a segment: transfers overlap reads
    host.run(mix, 1500);
    host.read_everything();
    expect_sound(device, host);
    EXPECT_EQ(host.failed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomStreams, ::testing::Range(1, 41));

TEST(Firmware, OverwritesAFullDeviceAtRandomForEverAtTheSmallestLegalSpare) {
    for (const AllocationMode mode : {AllocationMode::dynamic, AllocationMode::static_address}) {
        FirmwareConfig config = tiny_config();
        config.allocation.mode = mode;
        FakeDevice device(config, 3);
        ShadowHost host(device, 3);
        host.write_everything();
        ShadowHost::Mix mix{0, 100, 0, 0, 0, 32, 8, true};
        host.run(mix, 20'000);
        host.read_everything();
        expect_sound(device, host);
        EXPECT_GT(device.firmware->metrics().at("gc.erased_superblocks"), 100.0);
    }
}

/// Keeps eight one-unit writes outstanding, in ascending addresses, and collects the latencies of the second
/// half. `equal` writes in a row have the same contents.
struct SteadyWrites {
    SteadyWrites(FirmwareConfig config, WriteAdmission admission, std::uint64_t writes = 20'000,
                 std::uint64_t equal = 1)
        : device(admitting(std::move(config), admission), 4), writes_(writes), equal_(equal) {
        for (int i = 0; i < 8; ++i) {
            write();
        }
        device.run();
        std::ranges::sort(latencies);
    }
    static FirmwareConfig admitting(FirmwareConfig config, WriteAdmission admission) {
        config.write_buffer.admission = admission;
        return config;
    }
    void write() {
        if (begun == writes_) {
            return;
        }
        const std::uint64_t units = device.config.exported_sectors / 8;
        auto issued = FakeHost::make(hal::HostOpcode::write, begun % units * 8, 8);
        for (std::uint32_t sector = 0; sector < 8; ++sector) {
            issued->set_identity(sector, begun / equal_ * 8 + sector + 1);
        }
        ++begun;
        issued->completed = [this](FakeHost::Issued& done) {
            if (done.number > writes_ / 2) {
                latencies.push_back(done.latency);
            }
            write();
        };
        device.host.submit(std::move(issued));
    }
    [[nodiscard]] double quantile(double share) const {
        const auto at = static_cast<std::size_t>(share * static_cast<double>(latencies.size() - 1));
        return static_cast<double>(latencies[at].count());
    }
    [[nodiscard]] double took() const { return static_cast<double>(device.clock.now().count()); }

    FakeDevice device;
    std::uint64_t begun = 0;
    std::vector<Ps> latencies;

  private:
    std::uint64_t writes_;
    std::uint64_t equal_;
};

FirmwareConfig with_buffer(std::uint64_t units) {
    FirmwareConfig config = tiny_config();
    config.flash.blocks = 32;
    config.exported_sectors = 3 * tiny_config().exported_sectors / 2;
    config.write_buffer.size_bytes = units * config.unit_bytes;
    return config;
}

TEST(Firmware, EvenAdmissionLetsWritesWaitEquallyLongAndCostsNoThroughput) {
    const SteadyWrites burst(with_buffer(1024), WriteAdmission::burst);
    const SteadyWrites even(with_buffer(1024), WriteAdmission::even);
    EXPECT_LT(even.quantile(0.99) / even.quantile(0.5), 1.2);
    EXPECT_GT(burst.quantile(0.99) / burst.quantile(0.5), 5.0);
    EXPECT_NEAR(even.took(), burst.took(), 0.001 * burst.took());
}

/// Each of four parallel units takes two superpages of four units, and one more is gathered: 36 units.
TEST(Firmware, EvenAdmissionLeavesAsManySlotsInUseAsFlashTakesAtOnce) {
    for (const std::uint64_t units : {36, 39, 40, 48}) {
        const SteadyWrites burst(with_buffer(units), WriteAdmission::burst);
        const SteadyWrites even(with_buffer(units), WriteAdmission::even);
        EXPECT_NEAR(even.took(), burst.took(), units < 40 ? 0.0 : 0.02 * burst.took()) << units;
    }
}

/// Pages are hashed, and kept until pages of their kind fill a superpage; equal pages wait for the first one.
TEST(Firmware, EvenAdmissionDoesNotWaitForPagesThatAreKeptBack) {
    for (const std::string_view system : {"online", "offline", "offline_separated", "offline_crc32"}) {
        for (const AllocationMode mode : {AllocationMode::dynamic, AllocationMode::static_address}) {
            FirmwareConfig config = with_buffer(384);
            config.flash.page_bytes *= 4;
            config.allocation.mode = mode;
            config = deduplicating(config, system, std::chrono::microseconds(200));
            const SteadyWrites burst(config, WriteAdmission::burst);
            const SteadyWrites even(config, WriteAdmission::even);
            EXPECT_NEAR(even.took(), burst.took(), 0.02 * burst.took()) << system;
            const SteadyWrites equal_burst(config, WriteAdmission::burst, 4000, 400);
            const SteadyWrites equal_even(config, WriteAdmission::even, 4000, 400);
            EXPECT_LT(equal_even.took(), 1.5 * equal_burst.took()) << system << ", nearly all are kept back";
        }
    }
}

// 33 commands that read 16 units each, 64 slots of write buffer, 2 superpages of 4 units that move and 2
// searches of a boot on each of 4 parallel units: 33 * 16 + 64 + 4 * 2 * 4 + 4 * 2 = 632. After random writes
// of single units, 32 reads of 8.5 units on average need 272 operations.
TEST(Firmware, ReadsComeCloseToTheMostFlashOperations) {
    const FirmwareConfig config = tiny_config();
    FakeDevice device(config, 6);
    EXPECT_EQ(most_flash_operations(config, device.firmware->layout()), 632U);
    ShadowHost host(device, 6);
    host.write_everything();
    host.run(ShadowHost::Mix{0, 100, 0, 0, 0, 32, 8, true}, 4000);
    host.run(ShadowHost::Mix{100, 0, 0, 0, 0, 32, 128, true}, 1000);
    expect_sound(device, host);
    EXPECT_GE(device.flash.most_outstanding, 632U / 4);
}

// For 33 commands, one that fetches them and one that flushes; for 64 slots and one that chooses them; for 2
// superpages and the collector of each of 4 parallel units and one that waits for an idle host; for 2
// searches of a boot on each; for the boot; for 128 blocks: 35 + 65 + 13 + 8 + 1 + 128 = 250. A cached map
// adds 4 moves, 16 buffers, 8 planes, a collector, 32 units that move and 4 that are shared, and a miss for
// each task: (250 + 65) * 2.
TEST(Firmware, MostTasks) {
    FirmwareConfig config = tiny_config();
    EXPECT_EQ(most_tasks(config, media_layout(config)), 250U);
    config.map_cache.policy = "dftl";
    EXPECT_EQ(most_tasks(config, media_layout(config)), 630U);
}

TEST(Firmware, GrownBadBlocksLoseNoData) {
    FirmwareConfig config = tiny_config();
    config.flash.blocks = 64;
    config.exported_sectors = tiny_config().exported_sectors;  // a quarter of the drive: room to lose blocks
    EXPECT_GT(grow_bad_blocks(config, 0.0005, 0.002, 4000).at("ftl.retired_superblocks"), 0.0);
}

TEST(Firmware, FactoryBadBlocksAreNeverTouched) {
    FirmwareConfig config = tiny_config();
    config.exported_sectors = config.exported_sectors * 7 / 10;
    FakeDevice device(config, 5, mark_factory_bad_blocks);
    ASSERT_TRUE(Firmware::fits_on(config, device.flash));
    ShadowHost host(device, 5);
    host.write_everything();
    host.run(ShadowHost::Mix{}, 2000);
    host.read_everything();
    expect_sound(device, host);
}

TEST(Firmware, AWornOutDeviceFailsWritesButEndsEveryCommand) {
    wear_out(tiny_config(), 0, 5000);
}

TEST(Firmware, AbortedTransfersLeaveOldDataWhole) {
    FirmwareConfig config = tiny_config();
    FakeDevice device(config, 21);
    ShadowHost host(device, 21);
    host.write_everything();
    device.host.abort_probability = 1.0;
    // The host must see none of these writes: the shadow model does not record them.
    for (int i = 0; i < 50; ++i) {
        auto issued = std::make_unique<FakeHost::Issued>();
        issued->command.opcode = hal::HostOpcode::write;
        issued->command.lba = hal::Lba{static_cast<std::uint64_t>(i) * 37};
        issued->command.sectors = 30;
        issued->command.fua = i % 2 == 0;
        issued->content.assign(30 * 8, std::byte{0xEE});
        issued->completed = [](FakeHost::Issued& done) { EXPECT_EQ(done.status, hal::HostStatus::aborted); };
        device.host.submit(std::move(issued));
        device.run();
    }
    device.host.abort_probability = 0.0;
    host.read_everything();
    expect_sound(device, host);
}

/// The NAND page that holds `lpn` after a sequential fill.
hal::FlashAddress page_of(const FakeDevice& device, std::uint32_t lpn) {
    const MediaLayout& layout = device.firmware->layout();
    const SuperpageAddress at = layout.superpage_of(device.firmware->translation().locate(Lpn{lpn}));
    return layout.address(
        at, layout.slot_of(device.firmware->translation().locate(Lpn{lpn})) / layout.units_per_page());
}

TEST(Firmware, AnUnreadablePageDoesNotKeepCollectionBusyForEver) {
    FirmwareConfig config = tiny_config();
    config.exported_sectors = config.exported_sectors * 8 / 10;
    FakeDevice device(config, 4);
    ShadowHost host(device, 4);
    host.write_everything_to_flash();
    const hal::FlashAddress bad = page_of(device, 77);
    device.flash.unreadable[bad] = true;
    host.run(ShadowHost::Mix{0, 100, 0, 0, 0, 32, 8, true}, 8000);
    EXPECT_EQ(host.completed, host.submitted);
    EXPECT_EQ(host.failed, 0U);
    EXPECT_LE(device.flash.reads[bad], 2U);
    EXPECT_EQ(device.firmware->check(), "");
}

TEST(Firmware, AFailedFillLosesOnlyItsOwnUnit) {
    FakeDevice device(tiny_config(), 6);
    ShadowHost host(device, 6);
    host.write_everything_to_flash();
    device.flash.unreadable[page_of(device, 500)] = true;
    host.write(500 * 8 + 2, 3, false);  // part of the unreadable unit
    host.write(100 * 8, 8, false);      // a whole unit in the same superpage
    device.run();
    host.simple(hal::HostOpcode::flush, false);
    device.run();
    EXPECT_EQ(host.failed, 1U) << "the flush tells that something was lost";
    host.read(100 * 8, 8, false);
    device.run();
    EXPECT_EQ(host.mismatches, 0U);
    host.read(500 * 8 + 2, 3, false);
    device.run();
    EXPECT_EQ(host.failed, 2U) << "the unit itself stays unreadable";
}

TEST(Firmware, AnAbortedReadLeavesItsContextClean) {
    FirmwareConfig config = tiny_config();
    FakeDevice device(config, 8);
    ShadowHost host(device, 8);
    host.write_everything_to_flash();
    for (int i = 0; i < 40; ++i) {  // as many as there are contexts
        device.host.abort_probability = 1.0;
        host.read(0, 400, false);
        device.run();
        device.host.abort_probability = 0.0;
        host.write(5000, 30, false);
        host.read(5000, 30, false);
        device.run();
    }
    EXPECT_EQ(host.worst_residual_ps, 0);
}

TEST(Firmware, ASingleParallelUnitWithOneMoveAtATimeNeverGivesUp) {
    for (const std::uint32_t depth : {1U, 2U}) {
        FirmwareConfig config = tiny_config();
        config.flash.channels = config.flash.dies = 1;
        config.gc.pipeline_depth = depth;
        export_everything(config);
        FakeDevice device(config, 5);
        ShadowHost host(device, 5);
        host.write_everything();
        host.run(ShadowHost::Mix{0, 100, 0, 0, 0, 32, 8, true}, 5000);
        expect_sound(device, host);
        EXPECT_EQ(host.failed, 0U);
    }
}

TEST(Firmware, ALongTrimLetsOtherCommandsHaveTheCore) {
    FirmwareConfig config = tiny_config();
    FakeDevice device(config, 12);
    ShadowHost host(device, 12);
    host.write_everything_to_flash();
    const auto half = static_cast<std::uint32_t>(config.exported_sectors / 2 / 8 * 8);
    std::vector<hal::HostOpcode> order;
    host.ended = [&order](hal::HostOpcode opcode) { order.push_back(opcode); };
    host.trim({hal::TrimRange{hal::Lba{0}, half}});  // takes several slices of the core's time
    host.simple(hal::HostOpcode::flush, false);      // nothing to flush: ends at once, if it gets the core
    device.run();
    const std::vector<hal::HostOpcode> expected{hal::HostOpcode::flush, hal::HostOpcode::trim};
    EXPECT_EQ(order, expected);
}

TEST(Firmware, ASequentialFillWritesEveryPageOnce) {
    FirmwareConfig config = tiny_config();
    FakeDevice device(config, 1);
    ShadowHost host(device, 1);
    host.write_everything_to_flash();
    const std::uint64_t units = config.exported_sectors * 512 / config.unit_bytes;
    const std::uint64_t units_per_page = config.flash.page_bytes / config.unit_bytes;
    EXPECT_EQ(device.flash.operations[hal::FlashOpcode::program] * units_per_page, units);
    EXPECT_EQ(device.flash.operations[hal::FlashOpcode::erase], 0U);
    EXPECT_EQ(device.flash.operations[hal::FlashOpcode::read], 0U);
}

TEST(Firmware, APowerCutDestroysItInAnyState) {
    for (int events = 0; events < 4000; events += 97) {
        cut_power_after(tiny_config(), events);
    }
}

}  // namespace
}  // namespace solidtlm::fw::testing
