// SPDX-License-Identifier: Apache-2.0
//
// Cache policies without time, on examples worked by hand from docs/map-cache.md. Translation pages have
// 1,024 entries.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "fw/map_cache/bsb_candidates.h"
#include "fw/map_cache/dirty_nodes.h"
#include "fw/map_cache/fullest_page.h"
#include "fw/map_cache/sector_cover.h"
#include "fw/map_cache/untimed_map.h"

namespace solidtlm::fw {
namespace {

FirmwareConfig config_of(const char* policy, std::uint64_t size_bytes) {
    FirmwareConfig config;
    config.flash = FlashLayout{1, 1, 1, 1, 64, 64, 4096};
    config.exported_sectors = 8 * 1024 * 8;  // eight translation pages
    config.map_cache.policy = policy;
    config.map_cache.size_bytes = size_bytes;
    return config;
}

/// Reads `lpns` in order; true for each hit.
std::vector<bool> hits(UntimedMap& map, const std::vector<std::uint32_t>& lpns) {
    std::vector<bool> found;
    for (const std::uint32_t lpn : lpns) {
        found.push_back(map.access(Lpn{lpn}, false));
    }
    return found;
}

using Hits = std::vector<bool>;

TEST(Bsb, TheFirstMissesTakeTheSmallestWindow) {
    UntimedMap map(config_of("bsb", 16'384));
    EXPECT_EQ(map.policy().window_entries(), 16U) << "tafp_64: no window has a score";
    EXPECT_EQ(hits(map, {100, 115, 116}), (Hits{false, true, false}));
}

TEST(Bsb, BackwardDistancesMakeTheWholePageWin) {
    UntimedMap map(config_of("bsb", 16'384));
    // 500: nothing is cached, so no window scores. 400 lies 100 before the run of 500: only the whole page
    // covers it.
    EXPECT_EQ(hits(map, {500, 400}), (Hits{false, false}));
    EXPECT_EQ(map.policy().window_entries(), 1024U);
    EXPECT_EQ(map.counters().miss_bytes.entries, 64U + 4096U);
    EXPECT_EQ(hits(map, {0, 1023, 500}), (Hits{true, true, true}));
}

TEST(Bsb, EqualScoresTakeTheSmallestAndDistanceDecidesOtherwise) {
    UntimedMap map(config_of("bsb", 16'384));
    hits(map, {100, 101});  // distance 1: every candidate covers it
    EXPECT_EQ(map.policy().window_entries(), 16U);
    hits(map, {135});  // a miss 20 entries after the run's last one: tafp_128 (32 entries) is the smallest
                       // that covers it
    EXPECT_EQ(map.policy().window_entries(), 32U);
}

TEST(Bsb, AWindowThatTheCacheCannotKeepDoesNotScore) {
    // Room for 10 runs of 64 bytes (86 bytes each), but not for a whole page (4,244 bytes).
    UntimedMap map(config_of("bsb", 4 * 8 + 10 * 86));
    hits(map, {500, 400});
    EXPECT_EQ(map.policy().window_entries(), 16U);
}

TEST(Bsb, ReadsItsCandidates) {
    EXPECT_EQ(bsb_windows("full,tafp_64,tafp_256", 1024), (std::vector<std::uint32_t>{1024, 16, 64}));
    for (const char* wrong :
         {"", "full,", ",full", "tafp_", "tafp_6", "tafp_0", "tafp_8192", "full,full", "x"}) {
        EXPECT_TRUE(bsb_windows(wrong, 1024).empty()) << wrong;
    }
}

TEST(Sftl, ASequentialPageShrinks) {
    UntimedMap map(config_of("sftl", 40'960));
    hits(map, {0});
    // Filled in order: one sequence. 12 + 128 + 4 bytes.
    EXPECT_EQ(map.policy().bytes_used(), 144U);
    map.access(Lpn{500}, true);  // breaks the sequence in three; one dirty position
    EXPECT_EQ(map.policy().bytes_used(), 144U + 8U + 2U);
    map.access(Lpn{501}, true);  // follows 500 in the write order, too: 0-499, 500-501, 502-1023
    EXPECT_EQ(map.policy().bytes_used(), 144U + 8U + 4U);
}

TEST(Sftl, FewDirtyEntriesWaitInTheBuffer) {
    // A buffer of 456 bytes, and room for one uncompressed page: for each page that comes, one leaves.
    UntimedMap map(config_of("sftl", 4564));
    map.access(Lpn{5}, true);
    EXPECT_FALSE(map.access(Lpn{1024}, false));
    EXPECT_EQ(map.counters().write_backs, 0U);
    EXPECT_TRUE(map.access(Lpn{5}, false)) << "from the buffer";
    EXPECT_FALSE(map.access(Lpn{6}, false)) << "its page comes back and takes it along";
    EXPECT_TRUE(map.access(Lpn{5}, false));
    EXPECT_EQ(map.policy().check(), "");
}

TEST(Sftl, ManyDirtyEntriesAreWrittenWithTheWholePage) {
    FirmwareConfig config = config_of("sftl", 4564);
    config.map_cache.sftl_sparse_limit = 3;
    UntimedMap map(config);
    for (std::uint32_t lpn = 0; lpn < 4; ++lpn) {
        map.access(Lpn{lpn * 10}, true);
    }
    map.access(Lpn{1024}, false);
    EXPECT_EQ(map.counters().write_backs, 1U);
    EXPECT_EQ(map.counters().merge_reads, 0U) << "the page is complete";
}

TEST(Cftl, AColdGroupInOrderGetsABlockEntry) {
    UntimedMap map(config_of("cftl", 512 + 8 * 32));
    EXPECT_EQ(hits(map, {16, 17, 23, 24}), (Hits{false, true, true, false})) << "groups of eight";
    EXPECT_EQ(map.counters().miss_bytes.entries, 2 * 32U) << "the group is what is read";
    map.access(Lpn{18}, true);  // found in the block entry, which the write drops
    EXPECT_FALSE(map.access(Lpn{20}, false));
    EXPECT_FALSE(map.access(Lpn{21}, false)) << "out of order now";
    EXPECT_TRUE(map.access(Lpn{18}, false));
    EXPECT_EQ(map.policy().check(), "");
}

TEST(Tpftl, TheRemainingEntriesOfACommandComeInTogether) {
    UntimedMap map(config_of("tpftl", 4096));
    EXPECT_FALSE(map.access(Lpn{1020}, false, 9));  // four of the ten lie in this translation page
    EXPECT_EQ(map.counters().miss_bytes.entries, 16U);
    EXPECT_EQ(hits(map, {1023, 1024}), (Hits{true, false}));
}

TEST(Tpftl, CleanEntriesLeaveFirstAndDirtyOnesTogether) {
    // Room for one node and three entries.
    UntimedMap map(config_of("tpftl", 24 + 3 * 12));
    map.access(Lpn{1}, true);
    map.access(Lpn{2}, true);
    map.access(Lpn{3}, false);
    EXPECT_FALSE(map.access(Lpn{4}, false)) << "over 3, although 1 is older: 3 is clean";
    EXPECT_EQ(hits(map, {1, 2}), (Hits{true, true}));
    map.access(Lpn{4}, true);
    EXPECT_FALSE(map.access(Lpn{5}, false));  // all are dirty: 1 leaves, and is written together with 2 and 4
    EXPECT_EQ(map.counters().write_backs, 1U);
    EXPECT_EQ(map.counters().merge_bytes.entries, 4096U - 3 * 4U);
    EXPECT_FALSE(map.access(Lpn{6}, false));
    EXPECT_EQ(map.counters().write_backs, 1U) << "2 and 4 are clean now";
}

/// Looks at every entry of the page. Policies but sftl, whose pages overlap its buffered entries.
std::vector<Node> dirty_nodes_of(const CachePolicy& policy, std::uint32_t page) {
    std::vector<Node> found;
    for (std::uint32_t lpn = page * 1024; lpn < (page + 1) * 1024; ++lpn) {
        const Node node = policy.find(Lpn{lpn});
        if (node != kNoNode && policy.dirty(node) && policy.range(node).first == Lpn{lpn}) {
            found.push_back(node);
        }
    }
    return found;
}

TEST(CollectPage, FindsWhatAWalkOverThePageFinds) {
    for (const char* policy : {"bsb", "cftl", "dftl", "full_page", "half_page", "tafp", "tpftl"}) {
        UntimedMap map(config_of(policy, 24'000));
        std::mt19937 random(1);
        std::size_t dirty = 0;
        for (int i = 0; i < 2000; ++i) {
            // In order for a while, then somewhere else.
            const auto begin = static_cast<std::uint32_t>(random() % (8 * 1024 - 8));
            for (std::uint32_t lpn = begin; lpn < begin + 8; ++lpn) {
                map.access(Lpn{lpn}, random() % 3 == 0);
            }
            const std::uint32_t page = begin / 1024;
            std::vector<MapPiece> pieces;
            map.policy().collect_page(Tpn{page}, pieces);
            std::sort(pieces.begin(), pieces.end(),
                      [](const MapPiece& a, const MapPiece& b) { return a.range.first < b.range.first; });
            std::vector<Node> nodes;
            for (const MapPiece& piece : pieces) {
                EXPECT_EQ(piece.range.first, map.policy().range(piece.node).first);
                EXPECT_EQ(piece.range.count, map.policy().range(piece.node).count);
                nodes.push_back(piece.node);
            }
            ASSERT_EQ(nodes, dirty_nodes_of(map.policy(), page)) << policy << " after " << i;
            dirty += nodes.size();
        }
        EXPECT_GT(dirty, 1000U) << policy;
        EXPECT_EQ(map.policy().check(), "") << policy;
    }
}

TEST(DirtyNodes, AreFoundInOrderAndWithinTheirRange) {
    constexpr std::uint32_t kEntries = 300;
    DirtyNodes nodes(kEntries);
    std::set<std::uint32_t> expected;
    std::mt19937 random(1);
    for (int i = 0; i < 5000; ++i) {
        const auto lpn = static_cast<std::uint32_t>(random() % kEntries);
        const bool dirty = random() % 2 == 0;
        nodes.put(Lpn{lpn}, dirty);
        dirty ? (void)expected.insert(lpn) : (void)expected.erase(lpn);
        const auto first = static_cast<std::uint32_t>(random() % kEntries);
        const auto count = static_cast<std::uint32_t>(random() % (kEntries - first + 1));
        std::vector<std::uint32_t> found;
        nodes.visit(MapRange{Lpn{first}, count}, [&found](Lpn each) { found.push_back(each.value); });
        ASSERT_EQ(found, std::vector<std::uint32_t>(expected.lower_bound(first),
                                                    expected.lower_bound(first + count)));
    }
}

TEST(FullestPage, FindsTheHighestCount) {
    FullestPage pages(4, 8);
    pages.increase(Tpn{1});
    pages.increase(Tpn{2});
    pages.increase(Tpn{2});
    EXPECT_EQ(pages.fullest(), Tpn{2});
    pages.decrease(Tpn{2});
    pages.decrease(Tpn{2});
    EXPECT_EQ(pages.fullest(), Tpn{1});
    EXPECT_EQ(pages.count(Tpn{2}), 0U);
}

TEST(SectorCover, CountsWholeCodewords) {
    FlashTimes times;
    times.codeword_bytes = 1024;
    times.codeword_bus_bytes = 1136;  // 112 of parity
    SectorCover cover(MapAreaSize{1024, 8, 1}, times);
    cover.clear();
    cover.add(
        MapRange{Lpn{1024 + 250}, 10});  // the end of the first codeword and the beginning of the second
    EXPECT_EQ(cover.bytes_to_read().entries, 40U);
    EXPECT_EQ(cover.bytes_to_read().bus, 2 * 1136U);
    EXPECT_EQ(cover.bytes_to_merge().bus, 4 * 1136U) << "no codeword is complete";
    cover.add(MapRange{Lpn{1024}, 250});
    EXPECT_EQ(cover.bytes_to_merge().bus, 3 * 1136U);
    EXPECT_EQ(cover.bytes_to_program().bus, 4 * 1136U);
    std::vector<hal::FlashPiece> pieces;
    cover.pieces(true, hal::DramAddress{8192}, pieces);
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(pieces[0].column_bytes, 1024U);
    EXPECT_EQ(pieces[0].length_bytes, 3072U);
    EXPECT_EQ(pieces[0].dram.value, 8192U + 1024U);
}

TEST(ClosedForm, AddsArrayAndBytes) {
    const FlashTimes study{Ps{200'000'000}, Ps{1'600'000'000}, 25'000'000, 25'000'000, 512, 512};
    EXPECT_EQ(closed_form({2, 8}, {}, {}, study).read_miss, Ps{400'200'000});
    EXPECT_EQ(closed_form({2, 1024}, {}, {}, study).read_miss, Ps{425'600'000});
    const MapPenalty penalty = closed_form({2, 8}, {1, 4096}, {}, study);
    EXPECT_EQ(penalty.program, Ps{1'702'400'000});
    EXPECT_EQ(penalty.read_merge, Ps{0});
}

}  // namespace
}  // namespace solidtlm::fw
