// SPDX-License-Identifier: Apache-2.0
#include "fw/drive/layout.h"

#include <gtest/gtest.h>

#include <set>

#include "fw/flash/spare.h"
#include "fw/log/needs.h"
#include "fw/needs.h"

namespace solidtlm::fw {
namespace {

/// 2 channels, 2 ways of 2 dies, 2 planes.
FirmwareConfig config_with(const std::string& order) {
    FirmwareConfig config;
    config.flash = FlashLayout{2, 4, 2, 2, 4, 4, 8192};
    config.allocation.order = order;
    return config;
}

FlashAddress place(const MediaLayout& layout, std::uint64_t position) {
    return layout.address(SuperpageAddress{layout.stripe(position), Superblock{0}, 0}, 0);
}

TEST(MediaLayout, TheFirstLetterVariesFastest) {
    // CWDP by hand: channel 0, 1; then way 0 -> 1 (dies 0 and 2); then die in way (1, 3); then plane.
    const MediaLayout layout = media_layout(config_with("CWDP"));
    EXPECT_EQ(layout.planes_per_pu(), 1U);
    ASSERT_EQ(layout.pus(), 16U);
    const int channels[] = {0, 1, 0, 1, 0, 1, 0, 1};
    const int dies[] = {0, 0, 2, 2, 1, 1, 3, 3};
    for (std::uint64_t i = 0; i < 16; ++i) {
        const FlashAddress at = place(layout, i);
        EXPECT_EQ(at.channel.value, channels[i % 8]) << i;
        EXPECT_EQ(at.die.value, dies[i % 8]) << i;
        EXPECT_EQ(at.plane.value, i / 8) << i;
    }
}

TEST(MediaLayout, PlaneFirstMakesADieOneParallelUnit) {
    const MediaLayout layout = media_layout(config_with("PDCW"));
    EXPECT_EQ(layout.planes_per_pu(), 2U);
    ASSERT_EQ(layout.pus(), 8U);
    EXPECT_EQ(layout.units_per_superpage(), 4U);  // 2 planes x 2 units of 4 KiB
    const int dies[] = {0, 1, 0, 1, 2, 3, 2, 3};
    const int channels[] = {0, 0, 1, 1, 0, 0, 1, 1};
    for (std::uint64_t i = 0; i < 8; ++i) {
        EXPECT_EQ(place(layout, i).die.value, dies[i]) << i;
        EXPECT_EQ(place(layout, i).channel.value, channels[i]) << i;
    }
}

TEST(MediaLayout, PpasAndSuperpagesAreInverseAndDistinct) {
    for (const char* order : {"PCWD", "CWDP", "DWPC"}) {
        const MediaLayout layout = media_layout(config_with(order));
        std::set<FlashAddress> seen;
        for (std::uint32_t ppa = 0; ppa < layout.pus() * layout.superblocks() * layout.units_per_superblock();
             ++ppa) {
            const SuperpageAddress at = layout.superpage_of(Ppa{ppa});
            EXPECT_EQ(layout.ppa(at, layout.slot_of(Ppa{ppa})), Ppa{ppa});
            EXPECT_EQ(layout.pu_of(Ppa{ppa}), at.pu);
            EXPECT_EQ(layout.superblock_index(Ppa{ppa}),
                      at.pu.value * layout.superblocks() + at.superblock.value);
            seen.insert(layout.address(at, layout.slot_of(Ppa{ppa}) / layout.units_per_page()));
        }
        EXPECT_EQ(seen.size(), 2U * 4 * 2 * 4 * 4) << "every page of the device, each once";
    }
}

/// The blocks of a drive, each once, by superblocks of data.
std::set<FlashAddress> blocks_of(const MediaLayout& layout) {
    std::set<FlashAddress> blocks;
    for (std::uint32_t pu = 0; pu < layout.pus(); ++pu) {
        for (std::uint32_t i = 0; i < layout.superblocks(Pu{pu}); ++i) {
            for (std::uint32_t plane = 0; plane < layout.planes_per_pu(); ++plane) {
                EXPECT_TRUE(blocks.insert(layout.nand_page(Pu{pu}, Superblock{i}, plane, 0)).second);
            }
        }
    }
    return blocks;
}

// Channel 0 has dies 0, 2 and 3 of 4, 3 and 1 blocks per plane, channel 1 dies 1 and 2 of 4 and 2.
TEST(MediaLayout, DiesMayDifferAndNumbersMayStandForNoDie) {
    for (const char* order : {"PCWD", "CWDP"}) {
        FirmwareConfig config = config_with(order);
        config.flash.die_blocks = {4, 0, 3, 1, 0, 4, 2, 0};
        const MediaLayout layout = media_layout(config);
        const std::uint32_t pus = order[0] == 'P' ? 5 : 10;
        ASSERT_EQ(layout.pus(), pus) << "five dies";
        EXPECT_EQ(layout.superblocks(), 4U);
        EXPECT_EQ(layout.total_superblocks(), (4 + 3 + 1 + 4 + 2) * pus / 5);
        std::vector<std::uint32_t> met(pus);
        for (std::uint32_t position = 0; position < pus; ++position) {
            const Pu pu = layout.stripe(position);
            EXPECT_EQ(layout.stripe_position(pu), position);
            ++met[pu.value];
            const std::uint32_t die = layout.channel_of(pu).value * 4 + layout.die_of(pu).value;
            EXPECT_EQ(layout.superblocks(pu), config.flash.die_blocks[die]) << die;
        }
        EXPECT_EQ(met, std::vector<std::uint32_t>(pus, 1)) << "each once";
        const std::set<FlashAddress> blocks = blocks_of(layout);
        EXPECT_EQ(blocks.size(), 2U * (4 + 3 + 1 + 4 + 2));
        for (const FlashAddress& at : blocks) {
            EXPECT_LT(at.block.value, config.flash.die_blocks[at.channel.value * 4 + at.die.value]);
        }
    }
}

// The areas take the last blocks of every die, of a large one and of a small one.
TEST(MediaLayout, AreasFollowTheDataOfEachDie) {
    FirmwareConfig config = config_with("PCWD");
    config.flash = FlashLayout{1, 2, 1, 2, 40, 4, 8192};
    config.flash.die_blocks = {40, 24};
    config.recovery.trims = TrimPersistence::journal;
    config.exported_sectors = 1024;
    const MediaLayout layout = media_layout(config);
    const std::uint32_t log = layout.superblocks(kLogArea);
    ASSERT_GT(log, 0U);
    EXPECT_EQ(layout.superblocks(Pu{0}), 40 - log);
    EXPECT_EQ(layout.superblocks(Pu{1}), 24 - log);
    const Superblock first = layout.first(kLogArea);
    EXPECT_EQ(layout.nand_page(Pu{0}, first, 0, 0).block.value, 40 - log);
    EXPECT_EQ(layout.nand_page(Pu{1}, first, 1, 0).block.value, 24 - log);
}

// 4 pages of a block in word lines of 2: a superpage is 2 pages on each plane.
TEST(MediaLayout, ASuperpageIsAWordLineWhereTheFlashProgramsItAtOnce) {
    for (const char* order : {"PCWD", "CWDP"}) {
        FirmwareConfig config = config_with(order);
        const MediaLayout by_page = media_layout(config);
        config.flash.pages_per_program = 2;
        const MediaLayout layout = media_layout(config);
        EXPECT_EQ(layout.pages(), 2U);
        EXPECT_EQ(layout.rows(), 2U);
        EXPECT_EQ(layout.units_per_superpage(), 2 * by_page.units_per_superpage());
        EXPECT_EQ(layout.units_per_superblock(), by_page.units_per_superblock());
        const std::uint32_t units = layout.pus() * layout.superblocks() * layout.units_per_superblock();
        for (std::uint32_t ppa = 0; ppa < units; ++ppa) {
            const SuperpageAddress at = layout.superpage_of(Ppa{ppa});
            const SuperpageAddress row = by_page.superpage_of(Ppa{ppa});
            EXPECT_EQ(at, (SuperpageAddress{row.pu, row.superblock, row.page / 2}));
            const std::uint32_t slot = layout.slot_of(Ppa{ppa});
            EXPECT_EQ(layout.row_of(slot), row.page % 2);
            EXPECT_EQ(layout.address(at, layout.page_of(slot)),
                      by_page.address(row, by_page.page_of(by_page.slot_of(Ppa{ppa}))))
                << "units keep their places";
            EXPECT_EQ(layout.ppa(at, slot), Ppa{ppa});
        }
    }
}

// In SLC mode the blocks of 4 pages have 2, one for each word line, and a superpage holds one on each plane:
// half of what it holds otherwise, in the slots that its first row has.
TEST(MediaLayout, ASuperpageInSlcModeIsOnePageOnEachPlane) {
    FirmwareConfig config = config_with("PCWD");
    config.flash.pages_per_program = 2;
    config.flash.slc_pages = 2;
    const MediaLayout layout = media_layout(config);
    const SuperpageShape& shape = layout.shape(true);
    EXPECT_EQ(shape.rows, 1U);
    EXPECT_EQ(shape.pages, layout.planes_per_pu());
    EXPECT_EQ(shape.units, layout.units_per_superpage() / 2);
    for (std::uint32_t word_line = 0; word_line < 2; ++word_line) {
        const SuperpageAddress at{Pu{1}, Superblock{2}, word_line};
        for (std::uint32_t slot = 0; slot < shape.units; ++slot) {
            EXPECT_EQ(layout.superpage_of(layout.ppa(at, slot)), at);
            EXPECT_EQ(layout.row_of(slot), 0U);
            const std::uint32_t plane = layout.page_of(slot);
            EXPECT_EQ(layout.address(at, plane, true),
                      layout.nand_page(at.pu, at.superblock, plane, word_line));
        }
    }
}

TEST(MediaLayout, WithoutStripingAParallelUnitHoldsAWholeSuperblockInARow) {
    FirmwareConfig config = config_with("PCWD");
    config.allocation.striping = StripingMode::none;
    const MediaLayout layout = media_layout(config);
    const std::uint32_t run = layout.units_per_superblock();
    EXPECT_EQ(layout.home_of(Lpn{0}), layout.home_of(Lpn{run - 1}));
    EXPECT_NE(layout.home_of(Lpn{0}), layout.home_of(Lpn{run}));
}

/// Reports only which blocks are bad.
class FlashWithBadBlocks : public hal::Flash {
  public:
    explicit FlashWithBadBlocks(std::set<FlashAddress> bad) : bad_(std::move(bad)) {}
    void submit(hal::FlashOp& /*op*/) override {}
    [[nodiscard]] bool factory_bad(const FlashAddress& block) const override { return bad_.contains(block); }
    [[nodiscard]] std::uint32_t pending(hal::Channel /*channel*/, Die /*die*/) const override { return 0; }

  private:
    std::set<FlashAddress> bad_;
};

// Block 1 of plane 0 is bad. The second superblock of that die then has blocks 2 and 1. If multi-plane
// operations need equal block numbers, both planes leave block 1 out instead.
TEST(MediaLayout, LeavesBadBlocksOutPlaneByPlaneOrTogether) {
    FirmwareConfig config = config_with("PDCW");
    const FlashWithBadBlocks flash(
        {FlashAddress{hal::Channel{0}, Die{0}, hal::Plane{0}, hal::Block{1}, hal::Page{0}}});
    for (const bool same_block : {false, true}) {
        config.flash.same_block = same_block;
        const MediaLayout layout = media_layout(config, flash);
        EXPECT_EQ(layout.superblocks(), 3U);
        const SuperpageAddress second{Pu{0}, Superblock{1}, 0};
        EXPECT_EQ(layout.address(second, 0).block.value, 2U);
        EXPECT_EQ(layout.address(second, 1).block.value, same_block ? 2U : 1U);
        const SuperpageAddress of_other_die{Pu{1}, Superblock{1}, 0};
        EXPECT_EQ(layout.address(of_other_die, 1).block.value, 1U);
    }
}

TEST(Spare, RoundTripsAndIsLittleEndian) {
    const Lpn name{0x01020304};
    std::array<std::byte, 16> spare{};
    encode_spare(SpareHeader{0xBBCCDDEEFFULL, PageKind::gc, 0x1234}, name, spare);
    const std::array<unsigned, 16> bytes{0xFF, 0xEE, 0xDD, 0xCC, 0xBB, 0x34, 0x12, 0x02,
                                         0x04, 0x03, 0x02, 0x01, 0xFF, 0xFF, 0xFF, 0xFF};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_EQ(std::to_integer<unsigned>(spare[i]), bytes[i]) << i;
    }
    EXPECT_EQ(decode_header(spare).sequence, 0xBBCCDDEEFFULL);
    EXPECT_EQ(decode_header(spare).kind, PageKind::gc);
    EXPECT_EQ(decode_header(spare).erases, 0x1234U);
    EXPECT_EQ(decode_lpn(spare, 0), name);
    EXPECT_EQ(decode_lpn(spare, 1), kNoLpn);
    encode_spare(SpareHeader{1, PageKind::host, 70'000}, name, spare);
    EXPECT_EQ(decode_header(spare).erases, kMostErases) << "saturated";
}

}  // namespace
}  // namespace solidtlm::fw
