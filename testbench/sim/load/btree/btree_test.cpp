// SPDX-License-Identifier: Apache-2.0
//
// Small trees worked by hand, and large ones against std::map. A page of 40 bytes has room for four entries
// of 8 bytes, so the fifth entry splits it.
#include "testbench/sim/load/btree/btree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "testbench/sim/load/btree/load.h"

namespace solidtlm::testbench::btree {
namespace {

constexpr std::uint32_t kSmallPage = 40;

class SmallTree {
  public:
    explicit SmallTree(std::uint32_t frames = 64, bool pin_root = false)
        : buffer_(file_, kSmallPage, frames), tree(buffer_, TreeShape{8, pin_root}) {}

    void insert(std::initializer_list<Key> keys) {
        for (const Key key : keys) {
            EXPECT_TRUE(tree.insert(key, key * 10));
        }
    }
    /// A page as text: "leaf 1 2 -> 3" or "inner 0 | 5 > 1 | 9 > 2".
    std::string page(std::uint32_t number) {
        const BufferManager::Pin pin = buffer_.fetch(PageId{number});
        const ConstNode node(pin.bytes(), 8);
        std::string text = node.leaf() ? "leaf" : "inner " + std::to_string(node.link().value);
        for (std::uint32_t i = 0; i < node.entries(); ++i) {
            text += (node.leaf() ? " " : " | ") + std::to_string(node.key(i));
            text += node.leaf() ? "" : " > " + std::to_string(node.child(i).value);
        }
        return text +
               (node.leaf() && node.link() != kNoPage ? " -> " + std::to_string(node.link().value) : "");
    }

  private:
    MemoryPages file_{kSmallPage};
    BufferManager buffer_;

  public:
    Btree tree;
};

TEST(BtreeByHand, ALeafKeepsItsKeysInOrder) {
    SmallTree small;
    small.insert({30, 10, 20, 40});
    EXPECT_EQ(small.page(0), "leaf 10 20 30 40");
    EXPECT_EQ(small.tree.height(), 1U);
    EXPECT_EQ(small.tree.search(20), 200U);
    EXPECT_FALSE(small.tree.search(25));
    EXPECT_FALSE(small.tree.insert(20, 7)) << "the key is there";
    EXPECT_EQ(small.tree.search(20), 7U);
    EXPECT_EQ(small.tree.check(4), "");
}

// Five entries: three stay, and two go to a new page, whose first key goes up to a new root.
TEST(BtreeByHand, TheFifthEntrySplitsALeaf) {
    SmallTree small;
    small.insert({10, 20, 30, 40, 50});
    EXPECT_EQ(small.page(0), "leaf 10 20 30 -> 1");
    EXPECT_EQ(small.page(1), "leaf 40 50");
    EXPECT_EQ(small.page(2), "inner 0 | 40 > 1");
    EXPECT_EQ(small.tree.height(), 2U);
    EXPECT_EQ(small.tree.root().page, PageId{2});
    EXPECT_EQ(small.tree.root().pages, 3U);
}

TEST(BtreeByHand, TheNewEntryMayStayOnTheLeft) {
    SmallTree small;
    small.insert({10, 20, 30, 40, 15});
    EXPECT_EQ(small.page(0), "leaf 10 15 20 -> 1");
    EXPECT_EQ(small.page(1), "leaf 30 40");
}

TEST(BtreeByHand, AKeyEqualToASeparatorIsOnItsRight) {
    SmallTree small;
    small.insert({10, 20, 30, 40, 50});
    EXPECT_EQ(small.tree.search(40), 400U);
    EXPECT_FALSE(small.tree.insert(40, 1));
    EXPECT_EQ(small.tree.check(5), "");
}

// Ascending keys leave three entries in each leaf. Keys 1 to 17 make six leaves. The separator of the sixth
// leaf is the root's fifth key: of 4 7 10 13 16, the first two stay, 10 moves up, and 13 and 16 go to a new
// page.
TEST(BtreeByHand, AFullInnerPageMovesItsMiddleKeyUp) {
    SmallTree small;
    for (Key key = 1; key <= 16; ++key) {
        small.insert({key});
    }
    EXPECT_EQ(small.page(2), "inner 0 | 4 > 1 | 7 > 3 | 10 > 4 | 13 > 5");
    EXPECT_EQ(small.tree.height(), 2U);
    small.insert({17});
    EXPECT_EQ(small.page(5), "leaf 13 14 15 -> 6");
    EXPECT_EQ(small.page(6), "leaf 16 17");
    EXPECT_EQ(small.page(2), "inner 0 | 4 > 1 | 7 > 3");
    EXPECT_EQ(small.page(7), "inner 4 | 13 > 5 | 16 > 6");
    EXPECT_EQ(small.page(8), "inner 2 | 10 > 7");
    EXPECT_EQ(small.tree.height(), 3U);
    EXPECT_EQ(small.tree.splits(), 6U);
    EXPECT_EQ(small.tree.check(17), "");
}

TEST(BtreeByHand, EntriesMayBeLargerThanTheyNeed) {
    EXPECT_EQ(TreeShape{8}.capacity(512), 63U);
    EXPECT_EQ(TreeShape{12}.capacity(512), 42U);
    EXPECT_EQ(TreeShape{16}.capacity(4096), 255U);
    EXPECT_EQ(TreeShape{16}.capacity(16384), 1023U);
}

// Every descent uses the root, so in a buffer of four frames the root is never the least recently used page:
// pinned or not, it is never read. Inner pages of the second level are not pinned.
TEST(BtreeByHand, TheRootStaysInTheBufferWithOrWithoutPin) {
    for (const bool pin_root : {false, true}) {
        Load load;
        load.inserts = 1500;
        load.page_bytes = 512;
        load.buffer_pages = Btree::kLeastFrames;
        load.shape.pin_root = pin_root;
        const LoadOutcome outcome = run_in_memory(load);
        const auto root_reads = std::ranges::count_if(outcome.traffic, [&outcome](const PageIo& io) {
            return !io.write && io.page == outcome.root.page;
        });
        EXPECT_EQ(outcome.height, 2U);
        EXPECT_EQ(root_reads, 0);
    }
}

TEST(Btree, RandomInsertsAgreeWithAMap) {
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        std::mt19937 random(seed);
        MemoryPages file(kSmallPage + 8 * (seed % 5));
        BufferManager buffer(file, file.page_bytes(), Btree::kLeastFrames + seed % 9);
        Btree tree(buffer, TreeShape{seed % 3 == 0 ? 12U : 8U, seed % 2 == 0});
        std::map<Key, Value> model;
        const std::uint32_t range = seed % 4 == 0 ? 0xFFFF'FFFF : 3000;
        for (Value value = 0; value < 1500; ++value) {
            const auto key = static_cast<Key>(random() % range);
            ASSERT_EQ(tree.insert(key, value), !model.contains(key)) << "seed " << seed;
            model[key] = value;
            const auto other = static_cast<Key>(random() % range);
            const auto found = tree.search(other);
            ASSERT_EQ(found.has_value(), model.contains(other)) << "seed " << seed;
            ASSERT_TRUE(!found || *found == model[other]) << "seed " << seed;
            if (value % 100 == 0) {
                ASSERT_EQ(tree.check(model.size()), "") << "seed " << seed;
            }
        }
        ASSERT_EQ(tree.check(model.size()), "") << "seed " << seed;
    }
}

TEST(Btree, ReopenedFromItsFileItIsTheSame) {
    MemoryPages file(512);
    TreeRoot root;
    {
        BufferManager buffer(file, 512, 10);
        Btree tree(buffer, TreeShape{16});
        for (Key key = 0; key < 5000; ++key) {
            tree.insert(key * 2'654'435'761U, key);
        }
        root = tree.root();
        buffer.flush();
    }
    BufferManager buffer(file, 512, 10);
    Btree tree(buffer, TreeShape{16}, root);
    EXPECT_EQ(tree.check(5000), "");
    EXPECT_EQ(tree.search(17 * 2'654'435'761U), 17U);
    EXPECT_EQ(tree.height(), 3U) << "about 234 leaves, 31 entries per inner page";
}

TEST(Btree, ACheckFindsErrors) {
    MemoryPages file(kSmallPage);
    BufferManager buffer(file, kSmallPage, 16);
    Btree tree(buffer, TreeShape{8});
    for (Key key = 1; key <= 12; ++key) {
        tree.insert(key, 0);
    }
    ASSERT_EQ(tree.check(12), "");
    EXPECT_EQ(tree.check(13), "12 keys, not 13");
    const auto node = [&](std::uint32_t page) { return Node(buffer.fetch(PageId{page}).change(), 8); };
    node(1).set_link(kNoPage);
    EXPECT_NE(tree.check(12).find("is not linked"), std::string::npos);
    node(1).set_link(PageId{3});
    node(1).truncate(1);
    node(1).insert(1, 3, 0);  // 3 is a key of the previous leaf
    EXPECT_NE(tree.check(12).find("out of order"), std::string::npos);
}

TEST(Keys, AreDistinctAndDifferForEverySeed) {
    std::set<Key> keys;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        keys.insert(key_of(i, 7));
    }
    EXPECT_EQ(keys.size(), 100'000U);
    EXPECT_NE(key_of(0, 1), key_of(0, 2));
    EXPECT_NE(key_of(0, 1), key_of(0, (std::uint64_t{1} << 32U) + 1));
    // The keys are spread evenly: a tenth of them in each tenth of the range, within four standard
    // deviations.
    std::array<int, 10> tenths{};
    for (const Key key : keys) {
        ++tenths[std::uint64_t{key} * 10 >> 32U];
    }
    for (const int count : tenths) {
        EXPECT_NEAR(count, 10'000, 4 * 95);
    }
}

// In the long run, random inserts fill leaves to ln 2 (Yao 1978).
TEST(Load, LeavesAreFilledToLn2) {
    Load load;
    load.page_bytes = 512;
    load.buffer_pages = 1024;
    const LoadOutcome outcome = run_in_memory(load);
    const double per_leaf = 100'000.0 / outcome.root.pages;  // includes inner pages, one in 45
    EXPECT_NEAR(per_leaf / 63, 0.693, 0.03);
    EXPECT_EQ(outcome.height, 3U);
}

// If all pages fit into the buffer, each is written once, at the end.
TEST(Load, ALargeBufferWritesEveryPageOnce) {
    Load load;
    load.inserts = 20'000;
    load.page_bytes = 16384;
    load.buffer_pages = 64;
    const LoadOutcome outcome = run_in_memory(load);
    EXPECT_LT(outcome.root.pages, 64U);
    ASSERT_EQ(outcome.traffic.size(), outcome.root.pages);
    for (std::uint32_t i = 0; i < outcome.traffic.size(); ++i) {
        EXPECT_TRUE(outcome.traffic[i].write);
        EXPECT_EQ(outcome.traffic[i].page, PageId{i});
    }
}

// With random keys, LRU works like random replacement. With L leaves and m frames for them, an insert finds
// its leaf with probability m / L; any page that is evicted is dirty, because every leaf that was fetched was
// changed. So the expected number of writes is the sum of 1 - m / L over all inserts with L > m.
TEST(Load, WritesFollowFromTheNumberOfLeaves) {
    for (const std::uint32_t frames : {16U, 64U, 128U}) {
        Load load;
        load.buffer_pages = frames + 1;  // one frame for the root, which stays
        MemoryPages file(load.page_bytes);
        Inserter inserter(load, file);
        double expected = 0;
        while (inserter.inserted() < load.inserts) {
            inserter.step();
            expected += std::max(0.0, 1 - static_cast<double>(frames) / (inserter.tree().root().pages - 1));
        }
        EXPECT_EQ(inserter.tree().height(), 2U);
        EXPECT_NEAR(static_cast<double>(inserter.counters().writes), expected, 4 * std::sqrt(expected) + 128)
            << frames << " frames";
    }
}

}  // namespace
}  // namespace solidtlm::testbench::btree
