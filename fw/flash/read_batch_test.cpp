// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/read_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "fw/testing/written_flash.h"

namespace solidtlm::fw::testing {
namespace {

using hal::Block;
using hal::Page;

class ReadBatches : public ::testing::TestWithParam<std::uint32_t> {};

// Reads of parts of units, in any order, while some pages are unreadable: each row of a superpage is read
// once, every sector comes from its place, and every read learns whether its page could be read and which
// units it holds.
TEST_P(ReadBatches, ReadEachRowOnceAndEverySectorFromItsPlace) {
    WrittenFlash bench(GetParam());
    const MediaLayout& layout = bench.layout;
    std::mt19937_64 random(3);
    ReadBatch batch(bench.services);
    for (int round = 0; round < 300; ++round) {
        std::vector<Ppa> places = bench.written;
        std::ranges::shuffle(places, random);
        places.resize(1 + random() % 40);
        if (round % 2 == 0) {
            std::ranges::sort(places);  // as reads of consecutively written data
        }
        bench.flash.unreadable.clear();
        std::vector<UnitRead> reads;
        std::set<std::tuple<hal::Channel, Die, Block, Page>> rows;
        for (const Ppa place : places) {
            const auto first = static_cast<std::uint32_t>(random() % layout.sectors_per_unit());
            const auto count = static_cast<std::uint32_t>(
                random() % (layout.sectors_per_unit() - first + 1));  // 0: only the names
            const DramAddress dram{std::uint64_t{reads.size()} * layout.unit_bytes()};
            reads.push_back(UnitRead{place, dram, first, count});
            const hal::FlashAddress page = bench.page_of(place);
            rows.emplace(page.channel, page.die, page.block, page.page);
            if (random() % 16 == 0) {
                bench.flash.unreadable[bench.page_of(place)] = true;
            }
            for (std::uint32_t sector = 0; sector < layout.sectors_per_unit(); ++sector) {
                bench.put(dram, sector, 0);
            }
        }
        Join join(bench.executor, "reads");
        batch.prepare(reads, Cause::gc, true);
        EXPECT_EQ(batch.operations(), rows.size());
        batch.start(join, nullptr, false);
        bench.run();
        EXPECT_EQ(join.pending(), 0U);
        EXPECT_EQ(batch.ok(), bench.flash.unreadable.empty());
        for (std::size_t i = 0; i < reads.size(); ++i) {
            const UnitRead& read = reads[i];
            const bool sound = !bench.flash.unreadable.contains(bench.page_of(read.ppa));
            ASSERT_EQ(batch.readable(i), sound) << round << ": " << i;
            if (!sound) {
                continue;
            }
            Lpn name;
            batch.read_names(i, std::span(&name, 1));
            EXPECT_EQ(name, Lpn{read.ppa.value});
            for (std::uint32_t sector = 0; sector < layout.sectors_per_unit(); ++sector) {
                const bool asked_for = sector < read.sectors;
                EXPECT_EQ(bench.get(read.dram, sector),
                          asked_for ? WrittenFlash::identity(read.ppa, read.first_sector + sector) : 0);
            }
        }
    }
    EXPECT_TRUE(bench.flash.violations.empty());
}

TEST_P(ReadBatches, AWholeSuperpageTakesOneReadOfEachPage) {
    WrittenFlash bench(GetParam());
    const MediaLayout& layout = bench.layout;
    std::vector<UnitRead> reads;
    const std::uint64_t unit = layout.unit_bytes();
    for (std::uint32_t slot = 0; slot < layout.units_per_superpage(); ++slot) {
        reads.push_back(UnitRead{Ppa{slot}, DramAddress{slot * unit}, 0, layout.sectors_per_unit()});
    }
    ReadBatch batch(bench.services);
    Join join(bench.executor, "reads");
    const std::uint64_t before = bench.flash.operations[hal::FlashOpcode::read];
    batch.prepare(reads, Cause::host, false);
    EXPECT_EQ(batch.operations(), GetParam());
    batch.start(join, nullptr, false);
    bench.run();
    EXPECT_EQ(bench.flash.operations[hal::FlashOpcode::read] - before, 2 * GetParam()) << "on 2 planes";
    for (std::uint32_t slot = 0; slot < layout.units_per_superpage(); ++slot) {
        EXPECT_EQ(bench.get(DramAddress{slot * unit}, 3), WrittenFlash::identity(Ppa{slot}, 3));
    }
}

INSTANTIATE_TEST_SUITE_P(PagesPerProgram, ReadBatches, ::testing::Values(1U, 2U, 3U, 4U));

}  // namespace
}  // namespace solidtlm::fw::testing
