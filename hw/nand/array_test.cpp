// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <numeric>
#include <random>

#include "hw/nand/test_bench.h"
#include "hw/tlm/test_printing.h"

namespace solidtlm::hw {
namespace {

using hal::ContentMode;
using test::at;
using test::small_config;

NandArray make(const NandConfig& config) {
    return {config, hal::Channel{0}, hal::Die{0}};
}

std::vector<std::byte> bytes(std::size_t count, unsigned value) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
}

using test::FlashAddress;
using test::FlashStatus;

class Rules : public testing::Test {
  protected:
    FlashStatus program(NandArray& array, const FlashAddress& page) {
        return array.program_page(page, {}, {});
    }
    NandConfig config = small_config();
};

TEST_F(Rules, EraseBeforeProgram) {
    NandArray array = make(config);
    EXPECT_EQ(program(array, at(0, 0, 3, 0)), FlashStatus::ok);
    EXPECT_EQ(program(array, at(0, 0, 3, 0)), FlashStatus::rule_violation);
    EXPECT_EQ(array.violations().count(Violation::not_erased), 1U);
    EXPECT_EQ(array.violations().total(), 1U);
    EXPECT_NE(array.violations().first().find("not_erased at channel 0 die 0 plane 0 block 3 page 0"),
              std::string::npos)
        << array.violations().first();
    EXPECT_EQ(array.erase(at(0, 0, 3, 0)), FlashStatus::ok);
    EXPECT_EQ(program(array, at(0, 0, 3, 0)), FlashStatus::ok);
    EXPECT_EQ(array.erase_count(at(0, 0, 3, 0)), 1U);
}

TEST_F(Rules, PagesInAscendingOrderUnlessSwitchedOff) {
    NandArray strict = make(config);
    EXPECT_EQ(program(strict, at(0, 0, 0, 2)), FlashStatus::ok) << "ascending order may skip";
    EXPECT_EQ(program(strict, at(0, 0, 0, 1)), FlashStatus::rule_violation);
    EXPECT_EQ(strict.violations().count(Violation::page_order), 1U);
    EXPECT_EQ(program(strict, at(0, 1, 0, 1)), FlashStatus::ok) << "another block";
    EXPECT_EQ(strict.read_page(at(0, 0, 0, 1), {}, {}), FlashStatus::erased);
    config.rules.sequential_pages = false;
    NandArray free = make(config);
    EXPECT_EQ(program(free, at(0, 0, 0, 2)), FlashStatus::ok);
    EXPECT_EQ(program(free, at(0, 0, 0, 1)), FlashStatus::ok);
    EXPECT_EQ(program(free, at(0, 0, 0, 2)), FlashStatus::rule_violation) << "still erase before program";
    EXPECT_EQ(free.violations().count(Violation::not_erased), 1U);
}

TEST_F(Rules, AddressesMustExist) {
    NandArray array = make(config);
    for (const FlashAddress& wrong : {at(0, 2, 0, 0), at(0, 0, 8, 0), at(0, 0, 0, 16), at(1, 0, 0, 0)}) {
        EXPECT_EQ(array.read_page(wrong, {}, {}), FlashStatus::rule_violation);
        EXPECT_EQ(program(array, wrong), FlashStatus::rule_violation);
    }
    EXPECT_EQ(array.erase(at(0, 0, 8, 0)), FlashStatus::rule_violation);
    EXPECT_EQ(array.violations().count(Violation::bad_address), 9U);
    const ProgramSlice beyond{3584, 1024, nullptr};
    EXPECT_EQ(array.program(at(0, 0, 0, 0), {&beyond, 1}, {}), FlashStatus::rule_violation);
    EXPECT_EQ(array.violations().count(Violation::bad_request), 1U);
}

TEST_F(Rules, PlanesOfOneOperationMatch) {
    NandArray array = make(config);
    const std::array good{at(0, 0, 1, 4), at(0, 1, 2, 4)};
    EXPECT_FALSE(array.breaks_plane_rules(good, false));
    const std::array twice{at(0, 0, 1, 4), at(0, 0, 2, 4)};
    EXPECT_TRUE(array.breaks_plane_rules(twice, false));
    const std::array pages{at(0, 0, 1, 4), at(0, 1, 2, 5)};
    EXPECT_TRUE(array.breaks_plane_rules(pages, false));
    EXPECT_FALSE(array.breaks_plane_rules(pages, true)) << "an erase has no page";
    EXPECT_EQ(array.violations().count(Violation::plane_conflict), 2U);
    config.rules.multi_plane_same_block = true;
    NandArray strict = make(config);
    EXPECT_TRUE(strict.breaks_plane_rules(good, false));
}

TEST_F(Rules, ErasedAndTornPagesAreNotData) {
    NandArray array = make(config);
    EXPECT_EQ(array.read_page(at(0, 0, 0, 0), {}, {}), FlashStatus::erased);
    EXPECT_EQ(program(array, at(0, 0, 0, 0)), FlashStatus::ok);
    EXPECT_EQ(program(array, at(0, 0, 0, 1)), FlashStatus::ok);
    EXPECT_FALSE(array.torn(at(0, 0, 0, 1)));
    array.tear_page(at(0, 0, 0, 1));
    EXPECT_TRUE(array.torn(at(0, 0, 0, 1)));
    EXPECT_FALSE(array.torn(at(0, 0, 0, 0)));
    EXPECT_EQ(array.read_page(at(0, 0, 0, 0), {}, {}), FlashStatus::ok);
    EXPECT_EQ(array.read_page(at(0, 0, 0, 1), {}, {}), FlashStatus::uncorrectable);
    EXPECT_EQ(program(array, at(0, 0, 0, 1)), FlashStatus::rule_violation);
    EXPECT_EQ(program(array, at(0, 0, 0, 2)), FlashStatus::ok);
    array.tear_block(at(0, 0, 0, 0));
    EXPECT_TRUE(array.torn(at(0, 0, 0, 0)));
    EXPECT_EQ(array.read_page(at(0, 0, 0, 0), {}, {}), FlashStatus::uncorrectable);
    EXPECT_EQ(program(array, at(0, 0, 0, 3)), FlashStatus::rule_violation) << "has to be erased again";
    EXPECT_EQ(array.erase(at(0, 0, 0, 0)), FlashStatus::ok);
    EXPECT_EQ(array.read_page(at(0, 0, 0, 1), {}, {}), FlashStatus::erased);
    EXPECT_EQ(program(array, at(0, 0, 0, 0)), FlashStatus::ok);
}

TEST_F(Rules, EnduranceEndsABlock) {
    config.rules.endurance_cycles = 3;
    NandArray array = make(config);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(array.erase(at(0, 0, 5, 0)), FlashStatus::ok);
        EXPECT_EQ(program(array, at(0, 0, 5, 0)), FlashStatus::ok);
    }
    EXPECT_EQ(array.erase(at(0, 0, 5, 0)), FlashStatus::erase_failed);
    EXPECT_EQ(program(array, at(0, 0, 5, 1)), FlashStatus::program_failed);
    EXPECT_EQ(array.read_page(at(0, 0, 5, 1), {}, {}), FlashStatus::uncorrectable);
    EXPECT_EQ(array.read_page(at(0, 0, 5, 0), {}, {}), FlashStatus::ok) << "what was there stays readable";
    EXPECT_EQ(array.erase_count(at(0, 0, 5, 0)), 3U);
    EXPECT_EQ(array.violations().total(), 0U) << "a worn block is no bug of firmware";
}

TEST_F(Rules, CopyBackStaysInItsPlane) {
    NandArray array = make(config);
    const auto data = bytes(64, 9), metadata = bytes(16, 3);
    ASSERT_EQ(array.program_page(at(0, 1, 0, 0), data, metadata), FlashStatus::ok);
    EXPECT_EQ(array.copy_back(at(0, 1, 0, 0), at(0, 0, 1, 0), {}), FlashStatus::rule_violation);
    EXPECT_EQ(array.violations().count(Violation::copy_back_plane), 1U);
    EXPECT_EQ(array.copy_back(at(0, 1, 0, 0), at(0, 1, 1, 0), {}), FlashStatus::ok);
    std::vector<std::byte> read(64), spare(16);
    EXPECT_EQ(array.read_page(at(0, 1, 1, 0), read, spare), FlashStatus::ok);
    EXPECT_EQ(read, data);
    EXPECT_EQ(spare, metadata);
    const auto changed = bytes(16, 4);
    EXPECT_EQ(array.copy_back(at(0, 1, 0, 0), at(0, 1, 1, 1), changed), FlashStatus::ok);
    EXPECT_EQ(array.read_page(at(0, 1, 1, 1), read, spare), FlashStatus::ok);
    EXPECT_EQ(spare, changed);
    EXPECT_EQ(array.copy_back(at(0, 1, 0, 5), at(0, 1, 1, 2), {}), FlashStatus::erased);
    array.tear_page(at(0, 1, 0, 1));
    EXPECT_EQ(array.copy_back(at(0, 1, 0, 1), at(0, 1, 1, 2), {}), FlashStatus::ok) << "the die cannot know";
    EXPECT_EQ(array.read_page(at(0, 1, 1, 2), {}, {}), FlashStatus::uncorrectable);
}

TEST(BadBlocks, FollowSeedAndAddressOnly) {
    NandConfig config = small_config();
    config.geometry.blocks = 20'000;
    config.bad_blocks = NandBadBlocks{0.02, 42};
    NandArray one = make(config);
    NandArray two = make(config);
    config.bad_blocks.seed = 43;
    NandArray other = make(config);
    int bad = 0, differs = 0;
    for (unsigned block = 0; block < 20'000; ++block) {
        for (unsigned plane = 0; plane < 2; ++plane) {
            const FlashAddress address = at(0, plane, block, 0);
            EXPECT_EQ(one.is_factory_bad(address), two.is_factory_bad(address));
            bad += one.is_factory_bad(address) ? 1 : 0;
            differs += one.is_factory_bad(address) != other.is_factory_bad(address) ? 1 : 0;
        }
    }
    // Binomial: 800 expected of 40,000, standard deviation 28.
    EXPECT_NEAR(bad, 800, 5 * 28);
    EXPECT_GT(differs, 1000);
    EXPECT_EQ(one.touched_blocks(), 0U) << "asking costs no memory";
    unsigned block = 0;
    while (!one.is_factory_bad(at(0, 0, block, 0))) {
        ++block;
    }
    EXPECT_EQ(one.program_page(at(0, 0, block, 0), {}, {}), FlashStatus::program_failed);
    EXPECT_EQ(one.erase(at(0, 0, block, 0)), FlashStatus::erase_failed);
    EXPECT_EQ(one.erase_count(at(0, 0, block, 0)), 0U);
}

TEST(Memory, ATerabyteStartsAtOnceAndCostsMemoryWhereWritten) {
    NandConfig config;
    config.geometry = NandGeometry{8, 4, 1, 2, 8192, 256, 8192, 744};
    ASSERT_EQ(config.geometry.total_bytes(), 1ULL << 40U);
    const auto begin = std::chrono::steady_clock::now();
    std::vector<NandArray> dies;
    for (std::uint16_t i = 0; i < 32; ++i) {
        dies.emplace_back(config, hal::Channel{static_cast<std::uint16_t>(i / 4)},
                          hal::Die{static_cast<std::uint16_t>(i % 4)});
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    EXPECT_EQ(dies[0].content_memory(), 0U);
    std::array<std::uint64_t, 16> tags{};
    std::iota(tags.begin(), tags.end(), 1000);
    EXPECT_EQ(dies[0].program_page(at(0, 1, 8191, 0), std::as_bytes(std::span(tags)), {}), FlashStatus::ok);
    EXPECT_EQ(dies[0].touched_blocks(), 1U);
    EXPECT_EQ(dies[0].content_memory(), 256U * 2 * 8) << "one block of 256 pages of two runs of tags";
}

TEST(Memory, BytesAreKeptPageByPageAndReused) {
    NandConfig config = small_config();
    config.content = ContentMode::bytes;
    NandArray array = make(config);
    const auto data = bytes(4096, 1);
    EXPECT_EQ(array.program_page(at(0, 0, 0, 0), data, {}), FlashStatus::ok);
    EXPECT_EQ(array.program_page(at(0, 0, 0, 1), {}, {}), FlashStatus::ok);
    EXPECT_EQ(array.content_memory(), 4096U) << "a page of zeros costs nothing";
    EXPECT_EQ(array.erase(at(0, 0, 0, 0)), FlashStatus::ok);
    const ProgramSlice half{2048, 512, data.data()};
    EXPECT_EQ(array.program(at(0, 1, 0, 0), {&half, 1}, {}), FlashStatus::ok);
    EXPECT_EQ(array.content_memory(), 4096U) << "the erased page's memory is used again";
    std::vector<std::byte> read(4096);
    EXPECT_EQ(array.read_page(at(0, 1, 0, 0), read, {}), FlashStatus::ok);
    EXPECT_EQ(std::count(read.begin(), read.end(), std::byte{1}), 512);
    EXPECT_EQ(std::count(read.begin(), read.end(), std::byte{0}), 4096 - 512) << "nothing old shines through";
}

// Three erases, and two of the pages programmed: by operations, and put there.
TEST(BlockImage, IsTheBlockThatOperationsLeave) {
    for (const ContentMode mode : {ContentMode::none, ContentMode::tags, ContentMode::bytes}) {
        NandConfig config = small_config();
        config.content = mode;
        NandArray worked = make(config);
        NandArray put = make(config);
        const std::size_t page = hal::content_bytes(mode, config.geometry.page_bytes);
        std::vector<std::byte> content(2 * page);
        for (std::size_t i = 0; i < content.size(); ++i) {
            content[i] = static_cast<std::byte>(i * 7 + i / 256);
        }
        std::vector<std::byte> spare = bytes(32, 3);
        spare[16] = std::byte{4};
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(worked.erase(at(0, 1, 2, 0)), FlashStatus::ok);
        }
        for (std::uint32_t i = 0; i < 2; ++i) {
            EXPECT_EQ(worked.program_page(at(0, 1, 2, i), std::span(content).subspan(i * page, page),
                                          std::span(spare).subspan(std::size_t{16} * i, 16)),
                      FlashStatus::ok);
        }
        put.put(at(0, 1, 2, 5), {.erases = 3, .pages = 2, .spare = spare, .content = content});
        EXPECT_EQ(put.erase_count(at(0, 1, 2, 0)), 3U);
        EXPECT_EQ(put.content_memory(), worked.content_memory());
        EXPECT_EQ(put.touched_blocks(), 1U);
        for (std::uint32_t i = 0; i < 3; ++i) {
            std::vector<std::byte> expected(page);
            std::vector<std::byte> found(page);
            const FlashStatus status = worked.read_page(at(0, 1, 2, i), expected, {});
            EXPECT_EQ(put.read_page(at(0, 1, 2, i), found, {}), status);
            EXPECT_EQ(status, i < 2 ? FlashStatus::ok : FlashStatus::erased);
            EXPECT_EQ(found, expected);
            EXPECT_TRUE(std::ranges::equal(put.metadata(at(0, 1, 2, i)), worked.metadata(at(0, 1, 2, i))));
        }
        EXPECT_EQ(put.program_page(at(0, 1, 2, 1), {}, {}), FlashStatus::rule_violation);
        EXPECT_EQ(put.program_page(at(0, 1, 2, 2), {}, {}), FlashStatus::ok);
    }
}

// Random operations against a map from page to programmed content.
class ArrayShadow : public testing::TestWithParam<ContentMode> {};

TEST_P(ArrayShadow, RandomOperations) {
    NandConfig config = small_config();
    config.content = GetParam();
    NandArray array = make(config);
    struct Written {
        std::vector<std::byte> data, spare;
    };
    std::map<FlashAddress, Written> shadow;
    std::mt19937_64 random(11);
    const std::size_t size = hal::content_bytes(config.content, 4096);
    const std::size_t stride = hal::content_stride(config.content);
    for (int step = 0; step < 20'000; ++step) {
        FlashAddress address = at(0, random() % 2, random() % 4, random() % 16);
        const auto kind = random() % 10;
        const auto first_of_block = at(0, address.plane.value, address.block.value, 0);
        const auto last_of_block = at(0, address.plane.value, address.block.value, 15);
        const auto above = shadow.lower_bound(address);
        const bool may_program = above == shadow.end() || above->first > last_of_block;
        if (kind < 5) {
            Written written{std::vector<std::byte>(size), bytes(16, static_cast<unsigned>(random()))};
            const std::uint64_t first = random();
            const std::uint64_t gap = random() % 2 == 0 ? 1 : random();  // 1: consecutive tags
            std::vector<std::byte> content(size);
            for (std::uint64_t i = 0; i < size / sizeof first; ++i) {
                const std::uint64_t word = first + i * gap;
                std::memcpy(content.data() + i * sizeof word, &word, sizeof word);
            }
            const bool whole = random() % 2 == 0;
            const std::uint32_t column = whole ? 0 : 512 * static_cast<std::uint32_t>(random() % 4);
            const std::uint32_t length = whole ? 4096 : 512 * static_cast<std::uint32_t>(1 + random() % 4);
            const ProgramSlice slice{column, length, content.data()};
            if (stride != 0) {
                std::memcpy(written.data.data() + column / 512 * stride, content.data(),
                            length / 512 * stride);
            }
            const FlashStatus status = array.program(address, {&slice, 1}, written.spare);
            ASSERT_EQ(status, may_program ? FlashStatus::ok : FlashStatus::rule_violation);
            if (may_program) {
                shadow[address] = written;
            }
        } else if (kind == 5) {
            ASSERT_EQ(array.erase(address), FlashStatus::ok);
            shadow.erase(shadow.lower_bound(first_of_block), shadow.upper_bound(last_of_block));
        } else if (kind == 6) {
            const FlashAddress source = at(0, address.plane.value, random() % 4, random() % 16);
            const auto from = shadow.find(source);
            const FlashStatus status = array.copy_back(source, address, {});
            ASSERT_EQ(status, !may_program           ? FlashStatus::rule_violation
                              : from == shadow.end() ? FlashStatus::erased
                                                     : FlashStatus::ok);
            if (status == FlashStatus::ok) {
                shadow[address] = Written(from->second);
            }
        } else {
            std::vector<std::byte> data(size), spare(16);
            const auto found = shadow.find(address);
            ASSERT_EQ(array.read_page(address, data, spare),
                      found == shadow.end() ? FlashStatus::erased : FlashStatus::ok);
            if (found != shadow.end()) {
                ASSERT_EQ(data, found->second.data);
                ASSERT_EQ(spare, found->second.spare);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, ArrayShadow,
                         testing::Values(ContentMode::none, ContentMode::tags, ContentMode::bytes));

}  // namespace
}  // namespace solidtlm::hw
