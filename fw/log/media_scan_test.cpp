// SPDX-License-Identifier: Apache-2.0
//
// The rules of booting by scanning, each on flash contents laid out by hand.
#include "fw/log/media_scan.h"

#include <gtest/gtest.h>

#include "fw/flash/program_op.h"
#include "fw/flash/superblock_table.h"
#include "fw/log/needs.h"
#include "fw/page_map/page_recovery.h"
#include "fw/testing/power_host.h"

namespace solidtlm::fw::testing {
namespace {

/// One parallel unit of two planes: 16 superblocks of 8 superpages of 4 units. With `dies`, one such unit per
/// die.
FirmwareConfig small_config(std::uint32_t dies = 1) {
    FirmwareConfig config = tiny_config();
    config.flash.channels = 1;
    config.flash.dies = dies;
    export_everything(config);
    config.exported_sectors = config.exported_sectors / 2 / 16 * 16;
    return config;
}

/// A superpage that is being written to flash.
struct Program {
    Program(FakeDevice& device, const SuperpageAddress& at, std::uint64_t sequence, std::uint32_t first_lpn,
            PageKind kind = PageKind::host, bool slc = false) {
        Executor executor(device.clock);
        const MediaLayout& layout = device.firmware->layout();
        SuperblockTable modes(layout, true);
        modes.info(at.pu, at.superblock).slc = slc;
        Services services{device.config, executor, &device.flash, &device.dram, layout};
        services.modes = &modes;
        std::vector<UnitWrite> units(layout.shape(slc).units);
        for (std::uint32_t i = 0; i < units.size(); ++i) {
            units[i].lpn = Lpn{first_lpn + i};
        }
        program.prepare(services, at, units, SpareHeader{sequence, kind, 3}, Cause::host);
        program.op().done =
            hal::Completion{[](void* self) { static_cast<Program*>(self)->done = true; }, this};
        device.flash.submit(program.op());
    }
    ProgramOp program;
    bool done = false;
};

void lay_out(FakeDevice& device, const SuperpageAddress& at, std::uint64_t sequence, std::uint32_t first_lpn,
             PageKind kind = PageKind::host, bool slc = false) {
    Program program(device, at, sequence, first_lpn, kind, slc);
    while (!program.done) {
        ASSERT_TRUE(device.clock.run_one());
    }
}

struct Scan : public ::testing::Test {
    explicit Scan(const FirmwareConfig& config = small_config()) : device(config, 1) { device.run(); }
    void boot() {
        device.cycle_power([](FakeHost::Issued&) {});
        device.run();
        ASSERT_TRUE(device.firmware->ready());
        EXPECT_EQ(device.firmware->check(), "");
    }
    [[nodiscard]] SuperpageAddress place_of(std::uint32_t lpn) const {
        return device.firmware->layout().superpage_of(device.firmware->translation().locate(Lpn{lpn}));
    }
    /// What the boot has found.
    [[nodiscard]] std::uint64_t found(std::string_view what) const {
        return device.firmware->boot_report().count(what);
    }
    FakeDevice device;
};

const SuperpageAddress kFirst{Pu{0}, Superblock{3}, 0};
const SuperpageAddress kSecond{Pu{0}, Superblock{7}, 0};

TEST_F(Scan, AnEmptyDriveIsEmpty) {
    boot();
    EXPECT_EQ(found(boot_count::kSuperpages), 16U) << "one page of each superblock";
    EXPECT_EQ(device.firmware->free_superblocks(), 16U);
    EXPECT_EQ(found(boot_count::kUnits), 0U);
}

TEST_F(Scan, TheLargerSequenceNumberIsTheNewer) {
    lay_out(device, kFirst, 9, 20);
    lay_out(device, kSecond, 8, 20);
    boot();
    EXPECT_EQ(place_of(20), kFirst);
    EXPECT_EQ(found(boot_count::kUnits), 4U);
}

TEST_F(Scan, TheOrderOfTheSuperblocksDoesNotMatter) {
    lay_out(device, kFirst, 8, 20);
    lay_out(device, kSecond, 9, 22);
    boot();
    EXPECT_EQ(place_of(21), kFirst);
    EXPECT_EQ(place_of(22), kSecond);
    EXPECT_EQ(place_of(25), kSecond);
}

TEST_F(Scan, ATornPageDoesNotCountAndWritingContinuesAfterIt) {
    lay_out(device, kFirst, 8, 20);
    lay_out(device, {Pu{0}, Superblock{3}, 1}, 9, 30);
    const Program torn(device, {Pu{0}, Superblock{3}, 2}, 10, 20);
    boot();
    EXPECT_FALSE(torn.done);
    EXPECT_EQ(place_of(20), kFirst) << "the version before the torn one";
    EXPECT_EQ(place_of(30).page, 1U);
    EXPECT_EQ(found(boot_count::kTorn), 1U);
    PowerHost host(device, 1);
    host.write(0, 32, true);
    device.run();
    EXPECT_EQ(place_of(0), (SuperpageAddress{Pu{0}, Superblock{3}, 3}));
    EXPECT_TRUE(device.flash.violations.empty());
}

// ECC was wrong. If the number counted and no larger one existed, the drive could never write again.
TEST_F(Scan, AHeaderThatFirmwareNeverWritesDoesNotCount) {
    lay_out(device, kFirst, 8, 20);
    lay_out(device, {Pu{0}, Superblock{3}, 1}, kSequenceLimit - 1, 20);
    lay_out(device, {Pu{0}, Superblock{3}, 2}, 9, 20, PageKind::journal);
    lay_out(device, {Pu{0}, Superblock{3}, 3}, 9, 20, static_cast<PageKind>(0xFF));
    lay_out(device, kSecond, kSequenceLimit - 1, 40);
    boot();
    EXPECT_EQ(place_of(20), kFirst);
    EXPECT_EQ(device.firmware->translation().locate(Lpn{40}), kUnmapped);
    EXPECT_EQ(found(boot_count::kTorn), 4U);
    EXPECT_EQ(found(boot_count::kErased), 1U) << "nothing else was in that superblock";
    PowerHost host(device, 1);
    host.write(0, 32, true);
    device.run();
    EXPECT_EQ(place_of(0), (SuperpageAddress{Pu{0}, Superblock{3}, 4}));
}

TEST_F(Scan, AnInterruptedEraseIsRepeated) {
    lay_out(device, kFirst, 8, 20);
    hal::FlashOp erase;
    erase.opcode = hal::FlashOpcode::erase;
    erase.planes = 2;
    for (std::uint8_t plane = 0; plane < 2; ++plane) {
        erase.address[plane] = device.firmware->layout().address(kFirst, plane);
    }
    device.flash.submit(erase);
    boot();
    EXPECT_EQ(found(boot_count::kErased), 1U);
    EXPECT_EQ(device.firmware->free_superblocks(), 16U);
    EXPECT_EQ(device.firmware->translation().locate(Lpn{20}), kUnmapped);
}

TEST_F(Scan, ASuperblockWhoseOnlyPageIsTornBecomesFree) {
    const Program torn(device, kFirst, 8, 20);
    boot();
    EXPECT_EQ(found(boot_count::kErased), 1U);
    EXPECT_EQ(device.firmware->free_superblocks(), 16U);
}

TEST_F(Scan, AFullScanReadsEveryWrittenPageAndOneErasedPagePerSuperblock) {
    for (std::uint32_t page = 0; page < 8; ++page) {  // a full superblock
        lay_out(device, {Pu{0}, Superblock{5}, page}, 1 + page, 4 * page);
    }
    for (std::uint32_t page = 0; page < 3; ++page) {  // an open superblock
        lay_out(device, {Pu{0}, Superblock{6}, page}, 9 + page, 4 * page);
    }
    boot();
    EXPECT_EQ(found(boot_count::kSuperpages), 8U + (3 + 1) + 14 * 1);
    EXPECT_EQ(device.firmware->free_superblocks(), 14U);
}

struct JournalledScan : Scan {
    static FirmwareConfig config() {
        FirmwareConfig config = small_config();
        config.recovery.trims = TrimPersistence::journal;
        export_everything(config);
        config.exported_sectors = config.exported_sectors / 2 / 16 * 16;
        return config;
    }
    JournalledScan() : Scan(config()) {}
    /// Runs until a die is at work.
    void run_until_busy() {
        while (device.flash.pending(hal::Channel{0}, hal::Die{0}) == 0) {
            ASSERT_TRUE(device.clock.run_one());
        }
    }
};

/// Checks that each step begins when the previous one ends, the first at power-on, and that together they
/// take the whole boot.
void expect_steps(FakeDevice& device, const std::vector<std::string_view>& names) {
    const hal::Ps power_on = device.clock.now();
    device.cycle_power([](FakeHost::Issued&) {});
    while (!device.firmware->ready()) {
        ASSERT_TRUE(device.clock.run_one());
    }
    const hal::Ps ready = device.clock.now();
    const BootReport& report = device.firmware->boot_report();
    std::vector<std::string_view> steps;
    hal::Ps at = power_on;
    for (const BootStep& step : report.steps()) {
        steps.push_back(step.name);
        EXPECT_EQ(step.begin, at) << step.name;
        EXPECT_EQ(report.time(step.name), step.time);
        at += step.time;
    }
    EXPECT_EQ(steps, names);
    EXPECT_EQ(at, ready);
    EXPECT_EQ(report.total(), ready - power_on);
}

TEST_F(Scan, TheStepsOfABootAddUp) {
    lay_out(device, kFirst, 8, 20);
    expect_steps(device, {boot_step::kScan, boot_step::kMapping});
    EXPECT_GT(device.firmware->boot_report().time(boot_step::kMapping), hal::Ps{0}) << "four units";
}

TEST_F(JournalledScan, TheLogIsReadFirst) {
    expect_steps(device, {boot_step::kLog, boot_step::kScan, boot_step::kMapping});
}

TEST_F(JournalledScan, APageTrimmedDuringItsProgramStaysTrimmed) {
    PowerHost host(device, 1);
    host.write(160, 32, false);
    host.flush();
    run_until_busy();
    host.trim({hal::TrimRange{hal::Lba{160}, 32}});
    device.run();
    host.flush();
    device.run();
    host.power_cut();
    device.run();
    EXPECT_EQ(device.firmware->translation().locate(Lpn{20}), kUnmapped);
    host.settle();
    EXPECT_EQ(host.mismatches, 0U) << host.first_mismatch;
}

TEST_F(JournalledScan, APageWrittenAfterATrimIsFound) {
    PowerHost host(device, 1);
    host.write(160, 32, true);
    device.run();
    host.trim({hal::TrimRange{hal::Lba{160}, 32}});
    device.run();
    host.write(168, 8, true);
    host.flush();
    device.run();
    host.power_cut();
    device.run();
    EXPECT_EQ(device.firmware->translation().locate(Lpn{20}), kUnmapped);
    EXPECT_NE(device.firmware->translation().locate(Lpn{21}), kUnmapped);
    host.settle();
    EXPECT_EQ(host.mismatches, 0U) << host.first_mismatch;
}

TEST_F(JournalledScan, AJournalIsCompactedForEver) {
    PowerHost host(device, 1);
    host.write(0, 64, true);
    device.run();
    const double pages = 2.0 * 8 * device.firmware->layout().superblocks(kLogArea);  // of both planes
    for (int i = 0; i < 3 * static_cast<int>(pages); ++i) {
        host.trim({hal::TrimRange{hal::Lba{static_cast<std::uint64_t>(8 * (i % 8))}, 8}});
        host.flush();
        device.run();
    }
    EXPECT_GE(device.firmware->metrics().at("log.checkpoints"), 3.0);
    host.power_cut();
    device.run();
    EXPECT_EQ(found(boot_count::kUnits), 0U);
    host.settle();
    EXPECT_EQ(host.mismatches, 0U) << host.first_mismatch;
}

/// Two bits per cell: in SLC mode a superblock has 4 superpages.
FirmwareConfig with_dynamic_cache() {
    FirmwareConfig config = small_config();
    config.flash.slc_pages = 4;
    config.slc_cache.mode = SlcCacheMode::dynamic;
    return config;
}

FirmwareConfig with_dynamic_cache_and_word_lines() {
    FirmwareConfig config = with_dynamic_cache();
    config.flash.pages_per_program = 2;
    return config;
}

struct ScanOfModes : public Scan, public ::testing::WithParamInterface<FirmwareConfig (*)()> {
    ScanOfModes() : Scan(GetParam()()) {}
    void lay_out_slc(const SuperpageAddress& at, std::uint64_t sequence, std::uint32_t first_lpn) {
        lay_out(device, at, sequence, first_lpn, PageKind::host, true);
    }
    void be_unreadable(const SuperpageAddress& at, bool slc) {
        const MediaLayout& layout = device.firmware->layout();
        for (std::uint32_t page = 0; page < layout.shape(slc).pages; ++page) {
            device.flash.unreadable[layout.address(at, page, slc)] = true;
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Programs, ScanOfModes,
                         ::testing::Values(with_dynamic_cache, with_dynamic_cache_and_word_lines),
                         [](const auto& config) {
                             return std::string(config.index == 0 ? "of_pages" : "of_word_lines");
                         });

// The first page of the superblock in SLC mode is read in both modes. One page after the written ones is read
// in each of the two superblocks, and one page in each of the other 14.
TEST_P(ScanOfModes, AreFoundByReadingInBoth) {
    lay_out_slc(kFirst, 8, 20);
    lay_out_slc({Pu{0}, Superblock{3}, 1}, 9, 34);
    lay_out(device, kSecond, 10, 22);
    boot();
    EXPECT_EQ(found(boot_count::kSuperpages), (1U + 2 + 1) + (1U + 1) + 14U);
    EXPECT_EQ(found(boot_count::kTorn), 0U);
    EXPECT_EQ(place_of(21), kFirst);
    EXPECT_EQ(place_of(23), kSecond);
    EXPECT_EQ(place_of(36), (SuperpageAddress{Pu{0}, Superblock{3}, 1}));
    PowerHost host(device, 1);
    host.write(0, 32, true);
    device.run();
    EXPECT_EQ(place_of(0), (SuperpageAddress{Pu{0}, Superblock{3}, 2})) << "the cache goes on there";
    EXPECT_EQ(device.flash.violations, std::vector<std::string>());
}

// The first page of each superblock can no longer be read.
TEST_P(ScanOfModes, AreFoundByALaterPage) {
    lay_out_slc(kFirst, 8, 20);
    lay_out_slc({Pu{0}, Superblock{3}, 1}, 9, 24);
    lay_out(device, kSecond, 10, 30);
    lay_out(device, {Pu{0}, Superblock{7}, 1}, 11, 40);
    be_unreadable(kFirst, true);
    be_unreadable(kSecond, false);
    boot();
    EXPECT_EQ(found(boot_count::kTorn), 2U);
    EXPECT_EQ(place_of(24), (SuperpageAddress{Pu{0}, Superblock{3}, 1}));
    EXPECT_EQ(place_of(40), (SuperpageAddress{Pu{0}, Superblock{7}, 1}));
    PowerHost host(device, 1);
    host.write(0, 32, true);
    device.run();
    EXPECT_EQ(place_of(0), (SuperpageAddress{Pu{0}, Superblock{3}, 2}));
    EXPECT_EQ(device.flash.violations, std::vector<std::string>());
}

// No page can be read: the superblock is erased again, as any superblock without a readable page.
TEST_P(ScanOfModes, OfASuperblockWithoutReadablePagesDoNotMatter) {
    const Program torn(device, kFirst, 8, 20, PageKind::host, true);
    boot();
    EXPECT_EQ(device.firmware->free_superblocks(), 16U);
    EXPECT_EQ(found(boot_count::kErased), 1U);
}

}  // namespace
}  // namespace solidtlm::fw::testing
