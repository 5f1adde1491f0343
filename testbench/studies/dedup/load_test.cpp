// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/load.h"

#include <gtest/gtest.h>

#include "platform/configuration.h"
#include "testbench/studies/dedup/compaction.h"

namespace solidtlm::testbench::dedup {
namespace {

Request request(Operation operation, std::uint64_t lba, std::uint64_t sectors) {
    Request made;
    made.operation = operation;
    made.lba = Lba{lba};
    made.sectors = sectors;
    return made;
}

Request trim(std::uint64_t lba, std::uint32_t sectors) {
    Request made;
    made.operation = Operation::trim;
    made.ranges.push_back(TrimRange{Lba{lba}, sectors});
    return made;
}

/// Pages 10, 11, 12 (sectors 80 to 103) and 100 (800 to 807) are touched: they become 0 to 3.
class Compacted : public ::testing::Test {
  protected:
    Compacted() {
        compaction.touch(request(Operation::read, 800, 8));
        compaction.touch(request(Operation::write, 86, 12));  // the end of 10, all of 11, the beginning of 12
        compaction.touch(request(Operation::write, 88, 8));
        compaction.touch(trim(4000, 800));
        compaction.seal();
    }
    /// First sector and sectors after compaction.
    std::pair<std::uint64_t, std::uint64_t> moved(Request made) {
        EXPECT_TRUE(compaction.apply(made));
        return made.operation == Operation::trim
                   ? std::pair<std::uint64_t, std::uint64_t>{made.ranges.at(0).lba.value,
                                                             made.ranges.at(0).sectors}
                   : std::pair<std::uint64_t, std::uint64_t>{made.lba.value, made.sectors};
    }
    Compaction compaction;
};

using Sectors = std::pair<std::uint64_t, std::uint64_t>;

TEST_F(Compacted, KeepsOrderOffsetsAndLengths) {
    EXPECT_EQ(compaction.pages(), 4U);
    EXPECT_EQ(moved(request(Operation::write, 86, 12)), (Sectors{6, 12}));
    EXPECT_EQ(moved(request(Operation::write, 88, 8)), (Sectors{8, 8}));
    EXPECT_EQ(moved(request(Operation::read, 803, 4)), (Sectors{27, 4}));
}

TEST_F(Compacted, TrimsWhatIsTouched) {
    EXPECT_EQ(moved(trim(0, 1000)), (Sectors{0, 32}));
    EXPECT_EQ(moved(trim(88, 8)), (Sectors{8, 8}));
    EXPECT_EQ(moved(trim(98, 704)), (Sectors{18, 8})) << "6 sectors of page 12, 2 of page 100";
    Request elsewhere = trim(4000, 800);
    EXPECT_FALSE(compaction.apply(elsewhere));
}

/// study_c exports 85 %: a load of 17 MiB that takes half of it needs 40 MiB of flash.
TEST(DedupDrive, FitsTheLoad) {
    const platform::Configuration base = platform::parse_configuration(
        "preset = \"study_c\"\n[nand.geometry]\nchannels = 1\ndies = 1\ndies_per_way = 1\nplanes = 1\nblocks "
        "= 1000\n",
        "test", {});
    Load load;
    load.touched_bytes = 17ULL << 20U;
    const platform::Configuration fitted = drive_for(load, 0.5, base);
    EXPECT_NEAR(fitted.nand.geometry.blocks, 160, 1) << "of 256 KiB";
    EXPECT_GE(fitted.exported_bytes(), 34ULL << 20U);
    load.touched_bytes = 4096;
    EXPECT_EQ(drive_for(load, 1.0, base).nand.geometry.blocks, kLeastBlocks);
}

TEST(DedupLoads, GiveTheirRequestsInOrder) {
    const std::vector<Request> requests{request(Operation::write, 0, 8), request(Operation::read, 8, 8)};
    LoadSource source(requests);
    Request given;
    ASSERT_TRUE(source.next(given));
    EXPECT_EQ(given.operation, Operation::write);
    ASSERT_TRUE(source.next(given));
    EXPECT_EQ(given.lba.value, 8U);
    EXPECT_FALSE(source.next(given));
}

}  // namespace
}  // namespace solidtlm::testbench::dedup
