// SPDX-License-Identifier: Apache-2.0
//
// WRITE UNCORRECTABLE EXT: the named sectors, and no others, read as uncorrectable until they are written or
// trimmed.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "fw/block_map/block_layer.h"
#include "fw/host/marked_sectors.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {
namespace {

using hal::HostOpcode;
using hal::HostStatus;

/// Sends commands and records how they ended.
class MarkingHost {
  public:
    struct Ended {
        bool ended = false;
        HostStatus status = HostStatus::ok;
        std::vector<std::uint64_t> identities;  ///< read: one per sector; 0 if the sector did not arrive
    };
    explicit MarkingHost(FakeDevice& device) : device_(device) {}

    /// Each written sector has the identity `first_identity` + its LBA.
    std::shared_ptr<Ended> submit(HostOpcode opcode, std::uint64_t lba, std::uint32_t sectors,
                                  std::uint64_t first_identity = 0) {
        auto issued = FakeHost::make(opcode, lba, sectors);
        for (std::uint32_t i = 0; opcode == HostOpcode::write && i < sectors; ++i) {
            issued->set_identity(i, first_identity + lba + i);
        }
        if (opcode == HostOpcode::trim) {
            issued->ranges = {{hal::Lba{lba}, sectors}};
        }
        auto ended = std::make_shared<Ended>();
        issued->completed = [ended](FakeHost::Issued& command) {
            ended->ended = true;
            ended->status = command.status;
            for (std::uint32_t i = 0; i < command.command.sectors; ++i) {
                ended->identities.push_back(command.identity(i));
            }
            EXPECT_EQ(command.ledger.total(), command.latency) << "the stages add up";
        };
        device_.host.submit(std::move(issued));
        return ended;
    }
    Ended run(HostOpcode opcode, std::uint64_t lba, std::uint32_t sectors, std::uint64_t first_identity = 0) {
        const auto ended = submit(opcode, lba, sectors, first_identity);
        device_.run();
        EXPECT_TRUE(ended->ended);
        return *ended;
    }
    void mark(std::uint64_t lba, std::uint32_t sectors) {
        EXPECT_EQ(run(HostOpcode::write_uncorrectable, lba, sectors).status, HostStatus::ok);
    }
    HostStatus read_status(std::uint64_t lba, std::uint32_t sectors = 1) {
        return run(HostOpcode::read, lba, sectors).status;
    }
    /// The unreadable sectors below `end`.
    std::set<std::uint64_t> unreadable(std::uint64_t end) {
        std::set<std::uint64_t> found;
        for (std::uint64_t lba = 0; lba < end; ++lba) {
            if (const Ended read = run(HostOpcode::read, lba, 1); read.status != HostStatus::ok) {
                EXPECT_EQ(read.status, HostStatus::uncorrectable);
                found.insert(lba);
            }
        }
        return found;
    }

  private:
    FakeDevice& device_;
};

constexpr std::uint64_t kOld = 1'000'000;
constexpr std::uint64_t kNew = 2'000'000;

/// Page mapping, then each block-mapped layer.
FirmwareConfig config_of_layer(std::size_t index) {
    FirmwareConfig config = tiny_config();
    if (index > 0) {
        config.unit_bytes = config.flash.page_bytes;
        config.translation = *translation_layers()[index - 1];
        export_everything(config);
    }
    return config;
}

class WriteUncorrectable : public ::testing::TestWithParam<std::size_t> {
  protected:
    WriteUncorrectable() {
        EXPECT_EQ(host.run(HostOpcode::write, 0, 512, kOld).status, HostStatus::ok);
        host.run(HostOpcode::flush, 0, 0);
    }
    FakeDevice device{config_of_layer(GetParam()), 1};
    MarkingHost host{device};
    std::uint32_t per_unit = device.config.unit_bytes / hal::kSectorBytes;
};

TEST_P(WriteUncorrectable, IsReadAtThatLbaAndNowhereElse) {
    host.mark(13, 1);
    host.mark(38, 4);
    EXPECT_EQ(host.unreadable(64), (std::set<std::uint64_t>{13, 38, 39, 40, 41}));
}

// The sectors before the first marked one arrive, also across segments of 128 sectors.
TEST_P(WriteUncorrectable, ALongReadEndsBeforeTheFirstSector) {
    for (const std::uint64_t lba :
         {300U, 256U, 255U, 129U, 128U, 127U, 5U, 1U, 0U}) {  // the lowest marked sector decides
        host.mark(lba, 1);
        const MarkingHost::Ended read = host.run(HostOpcode::read, 0, 512);
        EXPECT_EQ(read.status, HostStatus::uncorrectable);
        for (std::uint64_t at = 0; at < 512; ++at) {
            EXPECT_EQ(read.identities[at], at < lba ? kOld + at : 0) << "sector " << at << ", marked " << lba;
        }
    }
    EXPECT_EQ(host.read_status(301, 211), HostStatus::ok);
}

TEST_P(WriteUncorrectable, EndsWhereTheHostWrites) {
    host.mark(10, 20);
    EXPECT_EQ(host.run(HostOpcode::write, 12, 3, kNew).status, HostStatus::ok);
    EXPECT_EQ(host.run(HostOpcode::read, 12, 3).identities,
              (std::vector<std::uint64_t>{kNew + 12, kNew + 13, kNew + 14}));
    EXPECT_EQ(host.read_status(11), HostStatus::uncorrectable);
    EXPECT_EQ(host.read_status(15), HostStatus::uncorrectable);
    host.run(HostOpcode::flush, 0, 0);
    EXPECT_EQ(host.read_status(15), HostStatus::uncorrectable) << "the unit was programmed with the rest";
    EXPECT_EQ(host.run(HostOpcode::read, 9, 1).identities[0], kOld + 9);
    EXPECT_EQ(host.run(HostOpcode::write, 0, 64, kNew).status, HostStatus::ok);
    EXPECT_TRUE(host.unreadable(64).empty());
}

TEST_P(WriteUncorrectable, EndsWhereTheHostTrims) {
    host.mark(0, 4 * per_unit);
    EXPECT_EQ(host.run(HostOpcode::trim, per_unit, per_unit).status, HostStatus::ok);
    EXPECT_EQ(host.run(HostOpcode::trim, 3, 2).status, HostStatus::ok) << "part of a unit";
    const MarkingHost::Ended whole = host.run(HostOpcode::read, per_unit, per_unit);
    EXPECT_EQ(whole.status, HostStatus::ok);
    EXPECT_EQ(whole.identities, std::vector<std::uint64_t>(per_unit, 0));
    const MarkingHost::Ended part = host.run(HostOpcode::read, 3, 2);
    EXPECT_EQ(part.status, HostStatus::ok);
    EXPECT_EQ(part.identities, std::vector<std::uint64_t>(2, 0));
    EXPECT_EQ(host.read_status(2), HostStatus::uncorrectable);
    EXPECT_EQ(host.read_status(5), HostStatus::uncorrectable);
    EXPECT_EQ(host.read_status(2 * per_unit), HostStatus::uncorrectable);
}

TEST_P(WriteUncorrectable, OverlappingCommandsRunInTheirOrder) {
    const auto before = host.submit(HostOpcode::read, 0, 32);
    const auto first = host.submit(HostOpcode::write, 0, 32, kNew);
    const auto mark = host.submit(HostOpcode::write_uncorrectable, 4, 8);
    const auto marked = host.submit(HostOpcode::read, 0, 32);
    const auto other = host.submit(HostOpcode::read, 12, 20);
    const auto second = host.submit(HostOpcode::write, 4, 8, 2 * kNew);
    const auto written = host.submit(HostOpcode::read, 0, 32);
    const auto again = host.submit(HostOpcode::write_uncorrectable, 4, 1);
    const auto trim = host.submit(HostOpcode::trim, 0, 32);
    const auto trimmed = host.submit(HostOpcode::read, 0, 32);
    device.run();
    for (const auto& command : {before, first, mark, marked, other, second, written, again, trim, trimmed}) {
        ASSERT_TRUE(command->ended);
        EXPECT_EQ(command->status, command == marked ? HostStatus::uncorrectable : HostStatus::ok);
    }
    EXPECT_EQ(before->identities[4], kOld + 4);
    EXPECT_EQ(marked->identities[3], kNew + 3);
    EXPECT_EQ(marked->identities[4], 0U);
    EXPECT_EQ(written->identities[4], 2 * kNew + 4);
    EXPECT_EQ(written->identities[12], kNew + 12);
    EXPECT_EQ(trimmed->identities[4], 0U);
}

TEST_P(WriteUncorrectable, ADriveThatMovesItsDataKeepsTheMarks) {
    host.mark(21, 1);
    std::mt19937_64 random(7);
    const std::uint64_t sectors = device.config.exported_sectors;
    for (int i = 0; i < 4000; ++i) {
        const std::uint64_t lba = 64 + random() % (sectors - 64 - 8);
        host.submit(HostOpcode::write, lba, 8, kNew);
        if (i % 16 == 0) {
            device.run();
        }
    }
    device.run();
    EXPECT_EQ(host.unreadable(64), std::set<std::uint64_t>{21});
    EXPECT_EQ(device.firmware->check(), "");
    EXPECT_TRUE(device.flash.violations.empty());
}

INSTANTIATE_TEST_SUITE_P(Layers, WriteUncorrectable,
                         ::testing::Range<std::size_t>(0, translation_layers().size() + 1));

// docs/reliability.md: the old contents of the sectors come back.
TEST(WriteUncorrectableExt, DoesNotSurviveALossOfPower) {
    FakeDevice device(tiny_config(), 1);
    MarkingHost host(device);
    host.run(HostOpcode::write, 0, 32, kOld);
    host.run(HostOpcode::flush, 0, 0);
    host.mark(5, 2);
    device.cycle_power([](FakeHost::Issued&) {});
    device.run();
    EXPECT_EQ(host.run(HostOpcode::read, 5, 1).identities[0], kOld + 5);
    EXPECT_TRUE(host.unreadable(32).empty());
}

TEST(WriteUncorrectableExt, TrimKeepsTheMarksOfSectorsThatItDoesNotCover) {
    FirmwareConfig config = tiny_config();
    config.zero_partial_trim = false;
    FakeDevice device(config, 1);
    MarkingHost host(device);
    host.run(HostOpcode::write, 0, 32, kOld);
    host.mark(3, 2);
    host.run(HostOpcode::trim, 3, 2);
    EXPECT_EQ(host.read_status(3), HostStatus::uncorrectable);
}

TEST(WriteUncorrectableExt, SectorsThatWereNeverWrittenCanBeMarked) {
    FakeDevice device(tiny_config(), 1);
    MarkingHost host(device);
    host.mark(100, 1);
    EXPECT_EQ(host.read_status(100), HostStatus::uncorrectable);
    EXPECT_EQ(host.read_status(101), HostStatus::ok);
    host.run(HostOpcode::trim, 100, 1);
    EXPECT_EQ(host.read_status(100), HostStatus::ok);
}

// Compared with a set of sectors.
TEST(MarkedSectors, AgreeWithASetOfSectors) {
    for (const std::uint32_t per_unit : {1U, 8U, 64U}) {
        MarkedSectors marked(per_unit);
        std::set<std::uint64_t> reference;
        std::mt19937_64 random(per_unit);
        for (int i = 0; i < 3000; ++i) {
            const std::uint64_t lba = random() % 500;
            const std::uint64_t sectors = 1 + random() % 150;
            switch (random() % 4) {
                case 0:
                    ASSERT_TRUE(marked.mark(lba, sectors % 8 + 1));
                    for (std::uint64_t at = lba; at < lba + sectors % 8 + 1; ++at) {
                        reference.insert(at);
                    }
                    break;
                case 1:
                    marked.clear(lba, sectors);
                    reference.erase(reference.lower_bound(lba), reference.lower_bound(lba + sectors));
                    break;
                default: {
                    const auto first = reference.lower_bound(lba);
                    const bool any = first != reference.end() && *first < lba + sectors;
                    ASSERT_EQ(marked.readable(lba, sectors), any ? *first - lba : sectors);
                    break;
                }
            }
            ASSERT_EQ(marked.empty(), reference.empty());
        }
    }
}

TEST(MarkedSectors, RefuseMoreUnitsThanTheTableHolds) {
    MarkedSectors marked(8);
    EXPECT_TRUE(marked.mark(0, 8 * (MarkedSectors::kMostUnits - 1)));
    EXPECT_FALSE(marked.mark(8 * MarkedSectors::kMostUnits, 16)) << "two units, and room for one";
    EXPECT_EQ(marked.readable(8 * MarkedSectors::kMostUnits, 16), 16U) << "nothing has changed";
    EXPECT_TRUE(marked.mark(8 * MarkedSectors::kMostUnits, 8));
    EXPECT_TRUE(marked.mark(0, 800)) << "known units take no room";
    EXPECT_FALSE(marked.mark(8 * MarkedSectors::kMostUnits + 80, 1));
    marked.clear(4, 8);
    EXPECT_FALSE(marked.mark(8 * MarkedSectors::kMostUnits + 80, 1)) << "both units still have marks";
    marked.clear(0, 8);
    EXPECT_TRUE(marked.mark(8 * MarkedSectors::kMostUnits + 80, 1));
}

}  // namespace
}  // namespace solidtlm::fw::testing
