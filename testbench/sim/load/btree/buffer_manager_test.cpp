// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/btree/buffer_manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

namespace solidtlm::testbench::btree {
namespace {

constexpr std::uint32_t kPageBytes = 16;

/// Logs all reads and writes: "r3 w0 ...".
class LoggedPages : public MemoryPages {
  public:
    LoggedPages() : MemoryPages(kPageBytes) {}
    void read(PageId page, std::span<std::byte> bytes) override {
        log += "r" + std::to_string(page.value) + " ";
        MemoryPages::read(page, bytes);
    }
    void write(PageId page, std::span<const std::byte> bytes) override {
        log += "w" + std::to_string(page.value) + " ";
        MemoryPages::write(page, bytes);
    }
    std::string take() { return std::exchange(log, {}); }
    std::string log;
};

/// A file of `pages` pages; page p is filled with bytes of value p.
class BufferManagerTest : public ::testing::Test {
  protected:
    BufferManagerTest() {
        for (std::uint32_t page = 0; page < 8; ++page) {
            const std::vector<std::byte> bytes(kPageBytes, std::byte(page));
            file_.write(PageId{page}, bytes);
        }
        (void)file_.take();
    }
    static std::byte look(BufferManager& buffer, std::uint32_t page) {
        return buffer.fetch(PageId{page}).bytes()[0];
    }
    static void change(BufferManager& buffer, std::uint32_t page, unsigned value) {
        buffer.fetch(PageId{page}).change()[0] = std::byte(value);
    }
    LoggedPages file_;
};

TEST_F(BufferManagerTest, TheLeastRecentlyUsedPageLeaves) {
    BufferManager buffer(file_, kPageBytes, 3);
    for (const std::uint32_t page : {0, 1, 2}) {
        EXPECT_EQ(look(buffer, page), std::byte(page));
    }
    EXPECT_EQ(file_.take(), "r0 r1 r2 ");
    look(buffer, 0);  // order of use is now 1, 2, 0
    EXPECT_EQ(file_.take(), "");
    look(buffer, 3);  // 1 is evicted: 2, 0, 3
    look(buffer, 2);
    look(buffer, 0);
    EXPECT_EQ(file_.take(), "r3 ");
    look(buffer, 1);  // 3 is evicted
    look(buffer, 3);  // 2 is evicted
    EXPECT_EQ(file_.take(), "r1 r3 ");
    EXPECT_EQ(buffer.counters().hits, 3U);
    EXPECT_EQ(buffer.counters().reads, 6U);
    EXPECT_EQ(buffer.counters().writes, 0U);
}

TEST_F(BufferManagerTest, ADirtyPageIsWrittenWhenItLeavesAndOnlyOnce) {
    BufferManager buffer(file_, kPageBytes, 2);
    change(buffer, 0, 40);
    change(buffer, 0, 41);
    look(buffer, 1);
    look(buffer, 2);  // 0 is evicted
    EXPECT_EQ(file_.take(), "r0 r1 w0 r2 ");
    EXPECT_EQ(look(buffer, 0), std::byte{41}) << "the newest content comes back";
    look(buffer, 1);
    look(buffer, 2);
    EXPECT_EQ(file_.take(), "r0 r1 r2 ") << "it was not changed since it was read";
    EXPECT_EQ(buffer.counters().writes, 1U);
}

TEST_F(BufferManagerTest, APinnedPageStays) {
    BufferManager buffer(file_, kPageBytes, 2);
    const BufferManager::Pin pin = buffer.fetch(PageId{0});
    look(buffer, 1);
    look(buffer, 2);
    look(buffer, 3);
    EXPECT_EQ(file_.take(), "r0 r1 r2 r3 ");
    EXPECT_EQ(pin.bytes()[0], std::byte{0});
    look(buffer, 0);
    EXPECT_EQ(file_.take(), "");
}

TEST_F(BufferManagerTest, AllPinnedIsAMistakeOfTheCaller) {
    BufferManager buffer(file_, kPageBytes, 1);
    const BufferManager::Pin pin = buffer.fetch(PageId{0});
    EXPECT_THROW((void)buffer.fetch(PageId{1}), std::logic_error);
}

TEST_F(BufferManagerTest, AMovedPinHoldsThePageOnce) {
    BufferManager buffer(file_, kPageBytes, 1);
    {
        BufferManager::Pin first = buffer.fetch(PageId{0});
        const BufferManager::Pin second = std::move(first);
        EXPECT_EQ(second.page(), PageId{0});
    }
    EXPECT_EQ(look(buffer, 1), std::byte{1});
}

TEST_F(BufferManagerTest, ANewPageIsZeroDirtyAndNotRead) {
    BufferManager buffer(file_, kPageBytes, 2);
    look(buffer, 5);
    (void)file_.take();
    EXPECT_EQ(buffer.create(PageId{8}).bytes()[15], std::byte{0});
    look(buffer, 6);
    look(buffer, 7);
    EXPECT_EQ(file_.take(), "r6 w8 r7 ");
}

TEST_F(BufferManagerTest, AFlushWritesDirtyPagesInOrder) {
    BufferManager buffer(file_, kPageBytes, 4);
    change(buffer, 6, 1);
    change(buffer, 2, 1);
    look(buffer, 3);
    change(buffer, 4, 1);
    (void)file_.take();
    buffer.flush();
    EXPECT_EQ(file_.take(), "w2 w4 w6 ");
    buffer.flush();
    EXPECT_EQ(file_.take(), "");
}

// Compares with a model of a list and a map.
TEST_F(BufferManagerTest, RandomUseAgreesWithAPlainModel) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        const std::uint32_t frames = 1 + seed % 7;
        BufferManager buffer(file_, kPageBytes, frames);
        std::list<std::pair<std::uint32_t, bool>> order;  // last used first; with its dirty flag
        std::map<std::uint32_t, unsigned> content;
        for (int step = 0; step < 2000; ++step) {
            const auto page = static_cast<std::uint32_t>(random() % 8);
            std::string expected;
            auto found = std::ranges::find(order, page, &std::pair<std::uint32_t, bool>::first);
            if (found == order.end()) {
                if (order.size() == frames) {
                    expected += order.back().second ? "w" + std::to_string(order.back().first) + " " : "";
                    order.pop_back();
                }
                expected += "r" + std::to_string(page) + " ";
                order.emplace_front(page, false);
            } else {
                order.splice(order.begin(), order, found);
            }
            if (random() % 3 == 0) {
                content[page] = static_cast<unsigned>(random() % 256);
                change(buffer, page, content[page]);
                order.front().second = true;
            } else {
                const std::byte seen = look(buffer, page);
                if (content.contains(page)) {
                    ASSERT_EQ(seen, std::byte(content[page])) << "seed " << seed << ", step " << step;
                }
            }
            ASSERT_EQ(file_.take(), expected) << "seed " << seed << ", step " << step;
        }
        buffer.flush();
        (void)file_.take();
    }
}

}  // namespace
}  // namespace solidtlm::testbench::btree
