// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/plane_block_table.h"

#include <gtest/gtest.h>

#include <set>

#include "fw/needs.h"

namespace solidtlm::fw {
namespace {

// Parallel units of both planes of a die, and of one plane.
TEST(PlaneBlockTable, SpreadsNeighboursOverThePlanesOfItsSuperblocks) {
    for (const char* order : {"PDCW", "CWDP"}) {
        FirmwareConfig config;
        config.flash = FlashLayout{2, 4, 2, 2, 8, 40, 8192};
        config.allocation.order = order;
        const MediaLayout layout = media_layout(config);
        const Superblock first{layout.superblocks() - 2};
        PlaneBlockTable table(layout, first, 2 * layout.pus() * layout.planes_per_pu());
        std::set<hal::FlashAddress> seen;
        for (BlockIndex block = 0; block < table.size(); ++block) {
            const hal::FlashAddress at = table.address(block, 17);
            EXPECT_EQ(at.page.value, 17);
            EXPECT_EQ(at.block.value, first.value + block / table.planes());
            seen.insert(at);
        }
        EXPECT_EQ(seen.size(), table.size()) << order;
        EXPECT_EQ(table.planes(), 2 * 4 * 2) << order;
    }
}

}  // namespace
}  // namespace solidtlm::fw
