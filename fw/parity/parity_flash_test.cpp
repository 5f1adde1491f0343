// SPDX-License-Identifier: Apache-2.0
//
// Parity over dies on fake hardware: where pages and their parity lie, what is rebuilt and what cannot be,
// and that nothing is lost with a die, power cuts included.
#include "fw/parity/parity_flash.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fw/flash/spare.h"
#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"
#include "fw/testing/survive.h"

namespace solidtlm::fw::testing {
namespace {

/// tiny_config() with more channels, in groups of `dies`, exporting a share of what it may. Word lines of
/// `word_line` pages are programmed at once.
FirmwareConfig in_groups(std::uint32_t dies, std::uint32_t planes, std::uint32_t tenths = 8,
                         std::uint32_t word_line = 1) {
    FirmwareConfig config = tiny_config();
    if (word_line > 1) {
        config.flash.slc_pages = config.flash.pages / 2;
        config.flash.pages = config.flash.slc_pages * word_line;
        config.flash.pages_per_program = word_line;
    }
    config.flash.channels = 2 * dies;
    config.flash.planes = planes;
    config.flash = grouped(config.flash, dies);
    config.reliability.parity_dies = dies;
    export_everything(config);
    config.exported_sectors = config.exported_sectors * tenths / 10 / 16 * 16;
    return config;
}

hal::FlashAddress at(std::uint32_t channel, std::uint32_t plane, std::uint32_t block) {
    return {hal::Channel{static_cast<std::uint16_t>(channel)}, hal::Die{1},
            hal::Plane{static_cast<std::uint8_t>(plane)}, hal::Block{block}, hal::Page{5}};
}

// Three dies of two planes on channels 3, 4, 5, seen as channel 1 with four planes. Block 7 has its parity on
// the second of them (7 mod 3), so that planes 0 and 1 lie on the first, 2 and 3 on the third.
TEST(DieGroup, ByHand) {
    const FirmwareConfig config = in_groups(3, 2);
    EXPECT_EQ(config.flash.channels, 2U);
    EXPECT_EQ(config.flash.planes, 4U);
    const FlashLayout physical = physical_layout(config);
    EXPECT_EQ(physical.channels, 6U);
    EXPECT_EQ(physical.planes, 2U);
    const DieGroup group(config);
    EXPECT_EQ(group.place_of(at(1, 0, 7)), at(3, 0, 7));
    EXPECT_EQ(group.place_of(at(1, 1, 7)), at(3, 1, 7));
    EXPECT_EQ(group.parity_die(hal::Block{7}), 1U);
    EXPECT_EQ(group.place_of(at(1, 2, 7)), at(5, 0, 7));
    EXPECT_EQ(group.place_of(at(1, 3, 7)), at(5, 1, 7));
    EXPECT_EQ(group.on_die(at(1, 3, 7), group.parity_die(hal::Block{7})), at(4, 1, 7));
}

TEST(DieGroup, EveryPageHasAPlaceOfItsOwnAndParityHasTheRest) {
    for (const auto& [dies, planes] : {std::pair{2U, 1U}, {2U, 4U}, {3U, 2U}, {4U, 2U}, {9U, 1U}}) {
        const FirmwareConfig config = in_groups(dies, planes);
        const DieGroup group(config);
        std::set<hal::FlashAddress> taken;
        for (std::uint32_t channel = 0; channel < 2; ++channel) {
            for (std::uint32_t block = 0; block < dies; ++block) {
                for (std::uint32_t plane = 0; plane < group.data_planes(); ++plane) {
                    EXPECT_TRUE(taken.insert(group.place_of(at(channel, plane, block))).second);
                }
                for (std::uint32_t plane = 0; plane < planes; ++plane) {
                    EXPECT_TRUE(taken
                                    .insert(group.on_die(at(channel, plane, block),
                                                         group.parity_die(hal::Block{block})))
                                    .second);
                }
            }
        }
        EXPECT_EQ(taken.size(), std::size_t{2} * dies * planes * dies);
    }
}

TEST(DieGroup, ABlockIsBadIfOneOfItsStripeIs) {
    const FirmwareConfig config = in_groups(3, 2);
    for (const std::uint32_t channel : {3U, 4U, 5U}) {
        FakeDevice device(config, 1, [channel](FakeFlash& flash) {
            hal::FlashAddress bad = at(channel, 1, 7);
            bad.page = hal::Page{0};
            flash.bad_blocks[bad] = true;
        });
        const MediaLayout& layout = device.firmware->layout();
        EXPECT_EQ(layout.superblocks(), 15U);
        for (std::uint32_t plane = 0; plane < layout.planes_per_pu(); ++plane) {
            // Two dies per channel: parallel unit 3 is die 1 of the second group.
            EXPECT_EQ(layout.address({Pu{3}, Superblock{7}, 0}, plane).block, hal::Block{8});
            EXPECT_EQ(layout.address({Pu{2}, Superblock{7}, 0}, plane).block, hal::Block{7});
        }
    }
}

struct Group {
    std::uint32_t dies;
    std::uint32_t planes;
    std::uint32_t word_line = 1;
};

class Parity : public ::testing::TestWithParam<Group> {
  protected:
    [[nodiscard]] static FirmwareConfig config(std::uint32_t tenths = 8) {
        return in_groups(GetParam().dies, GetParam().planes, tenths, GetParam().word_line);
    }
    [[nodiscard]] static std::uint32_t dies() { return GetParam().dies; }
};

/// Makes every page on one die of a group unreadable, programmed or not.
void lose_pages(FakeFlash& flash, const FirmwareConfig& config, std::uint16_t channel) {
    for (std::uint32_t block = 0; block < config.flash.blocks; ++block) {
        for (std::uint32_t page = 0; page < config.flash.pages; ++page) {
            for (std::uint8_t plane = 0; plane < physical_layout(config).planes; ++plane) {
                flash.unreadable[{hal::Channel{channel}, hal::Die{1}, hal::Plane{plane}, hal::Block{block},
                                  hal::Page{page}}] = true;
            }
        }
    }
}

TEST_P(Parity, RebuildsEveryPageOfADie) {
    for (std::uint32_t die = 0; die < dies(); ++die) {
        FakeDevice device(config(), die);
        ShadowHost host(device, die);
        host.write_everything_to_flash();
        lose_pages(device.flash, device.config, static_cast<std::uint16_t>(dies() + die));
        host.read_everything();
        expect_sound(device, host);
        EXPECT_EQ(host.failed, 0U);
        const hal::Metrics metrics = device.firmware->metrics();
        EXPECT_GT(metrics.count("parity.rebuilt_pages"), 0U);
        EXPECT_EQ(metrics.count("parity.lost_pages"), 0U);
        // Two groups of channels with as many dies; parity is a page of each stripe.
        EXPECT_EQ(device.flash.operations[hal::FlashOpcode::program], metrics.count("parity.pages") * dies());
    }
}

TEST_P(Parity, TwoDiesOfAGroupAreTooMany) {
    FakeDevice device(config(), 1);
    ShadowHost host(device, 1);
    host.write_everything_to_flash();
    lose_pages(device.flash, device.config, 0);
    lose_pages(device.flash, device.config, 1);
    host.read_everything();
    EXPECT_GT(host.failed, 0U);
    EXPECT_EQ(host.mismatches, 0U) << "what is read is right";
    EXPECT_GT(device.firmware->metrics().count("parity.lost_pages"), 0U);
}

// Programs and erases of the die fail from then on, and its pages are rebuilt by the host's reads, by partial
// writes and by collection.
TEST_P(Parity, NothingIsLostWithADie) {
    FakeDevice device(config(4), 1);
    ShadowHost host(device, 1);
    host.write_everything();
    host.run(ShadowHost::Mix{}, 500);
    device.flash.dead.insert({hal::Channel{1}, hal::Die{0}});
    host.run(ShadowHost::Mix{}, 1500);
    host.read_everything();
    expect_sound(device, host);
    EXPECT_EQ(host.failed, 0U);
    EXPECT_GT(device.firmware->metrics().count("ftl.retired_superblocks"), 0U);
}

TEST_P(Parity, RandomTrafficIsAsWithout) {
    for (std::uint64_t seed = 1; seed < usual_or_sanitized(7U, 3U); ++seed) {
        FirmwareConfig random = variant(seed);
        const FirmwareConfig config = Parity::config();
        random.flash = config.flash;
        random.allocation.order = seed % 2 == 0 ? "PCWD" : "PWCD";
        random.reliability = config.reliability;
        export_everything(random);
        FakeDevice device(random, seed);
        ShadowHost host(device, seed);
        host.write_everything();
        host.run(ShadowHost::Mix{}, 1500);
        lose_pages(device.flash, random, 1);
        host.run(ShadowHost::Mix{}, 500);
        host.read_everything();
        expect_sound(device, host);
        EXPECT_EQ(host.failed, 0U);
    }
}

TEST_P(Parity, SurvivesPowerCuts) {
    for (std::uint64_t seed = 1; seed < usual_or_sanitized(7U, 3U); ++seed) {
        survive(config(7), seed, 8);
    }
}

// A cut had left the first pages of a superblock on all dies of a group but one, and later an erase failed on
// that one alone, where higher pages are programmed. The superblock is not free.
TEST_P(Parity, SeesPagesBehindAGap) {
    FakeDevice device(config(7), 1);
    PowerHost host(device, 1);
    const std::uint32_t die = dies() - 1;
    const std::uint32_t word_line = GetParam().word_line;
    std::vector<std::byte> spare(word_line * spare_bytes(2));  // of no logical page
    for (const std::uint32_t superpage : {2U, 3U}) {
        hal::FlashOp op;
        op.opcode = hal::FlashOpcode::program;
        op.word_line_pages = static_cast<std::uint8_t>(word_line);
        op.spare = spare;
        for (std::uint32_t page = 0; page < word_line; ++page) {
            op.address[page] = at(die, 0, 9);
            op.address[page].page = hal::Page{superpage * word_line + page};
        }
        op.done = {[](void*) {}, nullptr};
        device.flash.submit(op);
        device.run();
    }
    host.power_cut();
    device.run();
    host.keep_busy(3000, 16);
    device.run();
    EXPECT_TRUE(device.flash.violations.empty()) << device.flash.violations.front();
    EXPECT_EQ(device.firmware->check(), "");
}

// The metadata of the dead die is rebuilt while the drive boots, as its data is afterwards.
TEST_P(Parity, SurvivesPowerCutsWithADeadDie) {
    FakeDevice device(config(4), 1);
    PowerHost host(device, 1);
    host.keep_busy(400, 32);
    device.run();
    device.flash.dead.insert({hal::Channel{1}, hal::Die{0}});
    std::mt19937_64 random(7);
    for (int cut = 0; cut < 4; ++cut) {
        host.keep_busy(100'000, 16);
        run_events(device, random() % 4000);
        host.power_cut();
        device.run();
        ASSERT_TRUE(device.firmware->ready());
        EXPECT_FALSE(device.firmware->translation().lost());
        host.settle();
        ASSERT_EQ(host.mismatches, 0U) << host.first_mismatch << ", cut " << cut;
        ASSERT_EQ(device.firmware->check(), "");
    }
    EXPECT_EQ(host.failed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Groups, Parity,
                         ::testing::Values(Group{2, 1}, Group{2, 2}, Group{3, 2}, Group{4, 2}, Group{2, 1, 3},
                                           Group{3, 2, 3}, Group{2, 2, 4}),
                         [](const auto& of) {
                             const Group& group = of.param;
                             return std::to_string(group.dies) + "_dies_of_" + std::to_string(group.planes) +
                                    "_planes" +
                                    (group.word_line == 1 ? "" : "_by_" + std::to_string(group.word_line));
                         });

}  // namespace
}  // namespace solidtlm::fw::testing
