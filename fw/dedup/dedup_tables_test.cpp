// SPDX-License-Identifier: Apache-2.0
//
// The tables of deduplication, each against a plain model.
#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>

#include "fw/dedup/page_index.h"
#include "fw/dedup/shared_pages.h"
#include "fw/dedup/unchecked_pages.h"

namespace solidtlm::fw {
namespace {

PageIndex::Key key_of(unsigned value) {
    PageIndex::Key key{};
    key[0] = static_cast<std::byte>(value);
    key[3] = static_cast<std::byte>(value / 256);
    return key;
}

TEST(SharedPages, NamesDifferFromPlacesAndMarks) {
    EXPECT_FALSE(is_shared(kUnmapped, kMostVirtual));
    EXPECT_FALSE(is_shared(kNoLpn, kMostVirtual));
    EXPECT_FALSE(is_shared(Ppa{kFirstVirtual - 1}, kMostVirtual));
    EXPECT_TRUE(is_shared(entry_of(VirtualBlock{0}), kMostVirtual));
    EXPECT_TRUE(is_shared(name_of(VirtualBlock{kMostVirtual - 1}), kMostVirtual));
    EXPECT_FALSE(is_shared(name_of(VirtualBlock{77}), 77)) << "0 to 76";
    EXPECT_FALSE(is_shared(Ppa{kFirstVirtual}, 0)) << "a page of a large drive";
    EXPECT_FALSE(is_shared(Ppa{0xFFFF'FFFE}, kMostVirtual)) << "MapUpdate::kAnyPpa";
    EXPECT_EQ(block_of(name_of(VirtualBlock{77})), VirtualBlock{77});
}

TEST(SharedPages, AreFreedWithTheLastReference) {
    SharedPages pages(2);
    const std::optional<VirtualBlock> first = pages.share(Ppa{10});
    ASSERT_TRUE(first);
    pages.refer(*first);
    pages.refer(*first);
    EXPECT_EQ(pages.find(Ppa{10}), first);
    pages.move(*first, Ppa{20});
    EXPECT_EQ(pages.find(Ppa{10}), std::nullopt);
    EXPECT_EQ(pages.find(Ppa{20}), first);
    const std::optional<VirtualBlock> second = pages.share(Ppa{11});
    ASSERT_TRUE(second);
    EXPECT_EQ(pages.share(Ppa{12}), std::nullopt) << "no more than two";
    EXPECT_FALSE(pages.release(*first));
    EXPECT_EQ(pages.place(*first), Ppa{20});
    EXPECT_TRUE(pages.release(*first));
    EXPECT_EQ(pages.place(*first), kUnmapped);
    EXPECT_EQ(pages.find(Ppa{20}), std::nullopt);
    EXPECT_TRUE(pages.share(Ppa{12}));
}

TEST(SharedPages, RestoredVirtualBlocksAreNotGivenOutAgain) {
    SharedPages pages(3);
    pages.restore(VirtualBlock{0}, Ppa{5});
    pages.refer(VirtualBlock{0});
    EXPECT_EQ(pages.share(Ppa{6}), VirtualBlock{1});
    EXPECT_EQ(pages.share(Ppa{7}), VirtualBlock{2});
    EXPECT_EQ(pages.share(Ppa{8}), std::nullopt);
    EXPECT_EQ(pages.used(), 3U);
}

/// A list, oldest entry first, that is searched from end to end.
class PlainIndex {
  public:
    explicit PlainIndex(std::size_t most) : most_(most) {}
    void insert(const PageIndex::Entry& entry) {
        if (entries_.size() == most_) {
            const auto candidates = std::count_if(entries_.begin(), entries_.end(), [](const auto& e) {
                return e.kind == PageIndex::Kind::candidate;
            });
            const bool known = entries_.size() - static_cast<std::size_t>(candidates) >=
                               static_cast<std::size_t>(candidates);
            const auto kind = known ? PageIndex::Kind::known : PageIndex::Kind::candidate;
            entries_.erase(std::find_if(entries_.begin(), entries_.end(),
                                        [kind](const auto& e) { return e.kind == kind; }));
        }
        entries_.push_back(entry);
    }
    std::list<PageIndex::Entry>::iterator find(Ppa place) {
        return std::find_if(entries_.begin(), entries_.end(),
                            [place](const auto& e) { return e.place == place; });
    }
    std::list<PageIndex::Entry> entries_;

  private:
    std::size_t most_;
};

TEST(PageIndex, DoesWhatAPlainListDoes) {
    std::mt19937_64 random(17);
    PageIndex index(50);
    PlainIndex plain(50);
    for (int step = 0; step < 60'000; ++step) {
        const Ppa place{static_cast<std::uint32_t>(random() % 100)};
        const auto known = plain.find(place);
        switch (random() % 8) {
            case 0:
                index.erase(place);
                if (known != plain.entries_.end()) {
                    plain.entries_.erase(known);
                }
                break;
            case 1: {
                const Ppa to{static_cast<std::uint32_t>(100 + random() % 1000)};
                if (plain.find(to) == plain.entries_.end()) {
                    index.move(place, to);
                    if (known != plain.entries_.end()) {
                        known->place = to;
                    }
                }
                break;
            }
            case 2:
                if (known != plain.entries_.end()) {
                    index.touch(index.find(place));
                    plain.entries_.splice(plain.entries_.end(), plain.entries_, known);
                }
                break;
            case 3:
                if (known != plain.entries_.end()) {
                    index.make_known(index.find(place));
                    known->kind = PageIndex::Kind::known;
                    plain.entries_.splice(plain.entries_.end(), plain.entries_, known);
                }
                break;
            default:
                if (known == plain.entries_.end()) {
                    const PageIndex::Entry entry{
                        key_of(static_cast<unsigned>(random() % 600)), place,
                        Lpn{static_cast<std::uint32_t>(random() % 1000)},
                        random() % 3 == 0 ? PageIndex::Kind::candidate : PageIndex::Kind::known};
                    index.insert(entry);
                    plain.insert(entry);
                }
                break;
        }
        ASSERT_EQ(index.size(), plain.entries_.size());
        std::multimap<PageIndex::Key, std::uint32_t> by_key;
        for (const PageIndex::Entry& entry : plain.entries_) {
            const PageIndex::Position position = index.find(entry.place);
            ASSERT_NE(position, PageIndex::kNone);
            ASSERT_EQ(index.at(position).key, entry.key);
            ASSERT_EQ(index.at(position).lpn, entry.lpn);
            ASSERT_EQ(index.at(position).kind, entry.kind);
            by_key.emplace(entry.key, entry.place.value);
        }
        const PageIndex::Key asked = key_of(static_cast<unsigned>(random() % 600));
        std::size_t found = 0;
        for (auto i = index.first(asked); i != PageIndex::kNone; i = index.next(i)) {
            ++found;
        }
        ASSERT_EQ(found, by_key.count(asked));
        const auto candidate = std::find_if(plain.entries_.begin(), plain.entries_.end(), [](const auto& e) {
            return e.kind == PageIndex::Kind::candidate;
        });
        ASSERT_EQ(index.count(PageIndex::Kind::candidate) == 0, candidate == plain.entries_.end());
        if (candidate != plain.entries_.end()) {
            ASSERT_EQ(index.at(index.oldest_candidate()).place, candidate->place);
        }
    }
    EXPECT_GT(index.forgotten(), 0U);
}

TEST(PageIndex, ATableWithoutRoomKeepsNothing) {
    PageIndex index(0);
    index.insert(PageIndex::Entry{key_of(1), Ppa{1}, Lpn{1}});
    EXPECT_EQ(index.size(), 0U);
    EXPECT_EQ(index.first(key_of(1)), PageIndex::kNone);
}

TEST(UncheckedPages, GivesEachPageOncePerRound) {
    UncheckedPages pages(200);
    for (const std::uint32_t place : {3U, 64U, 199U}) {
        pages.add(Ppa{place});
        pages.add(Ppa{place});
    }
    EXPECT_EQ(pages.count(), 3U);
    EXPECT_EQ(pages.next(), Ppa{3});
    EXPECT_EQ(pages.next(), Ppa{64});
    pages.remove(Ppa{64});
    pages.remove(Ppa{65});
    EXPECT_EQ(pages.count(), 2U);
    EXPECT_EQ(pages.next(), Ppa{199});
    EXPECT_EQ(pages.next(), Ppa{3});
}

}  // namespace
}  // namespace solidtlm::fw
