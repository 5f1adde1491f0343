// SPDX-License-Identifier: Apache-2.0
//
// A boot with a cached map, on fake hardware: its translation pages are written again.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "fw/log/media_scan.h"
#include "fw/map_cache/cached_map.h"
#include "fw/testing/map_bench.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint32_t kPages = 40;
constexpr std::uint32_t kPerPage = 128;  // entries of 4 bytes in 512

FirmwareConfig forty_pages() {
    FirmwareConfig config = tiny_config();
    config.flash.blocks = 48;
    config.map_cache.policy = "dftl";
    config.map_cache.translation_page_bytes = 512;
    config.exported_sectors = std::uint64_t{kPages} * kPerPage * 8;
    config.map_cache.size_bytes = smallest_cache(config);
    return config;
}

Task<void> restore(MapBench& bench, const MediaScan& scan, BootReport& report) {
    report.begin_step(bench.services, boot_step::kTranslationPages);
    co_await bench.map->restore(scan, report);
}

/// Restores an entry in each page of `held`, with as few tasks as possible.
void restore_pages(const std::vector<std::uint32_t>& held) {
    MapBench bench(forty_pages());
    MediaScan scan(bench.services);
    for (const std::uint32_t page : held) {
        scan.set(Lpn{page * kPerPage + page}, Ppa{1000 + page});
    }
    // The boot, collection of the map area, and a buffer for each page that is being written.
    bench.executor.allow(2 + kMapJobs);
    BootReport report;
    bench.run(restore(bench, scan, report));
    EXPECT_EQ(report.count(boot_count::kTranslationPages), held.size());
    for (std::uint32_t page = 0; page < kPages; ++page) {
        const bool holds = std::ranges::find(held, page) != held.end();
        EXPECT_EQ(bench.map->peek(Lpn{page * kPerPage + page}), holds ? Ppa{1000 + page} : kUnmapped);
    }
    EXPECT_EQ(bench.map->check(), "");
    EXPECT_TRUE(bench.map->at_rest());
    EXPECT_TRUE(bench.flash.violations.empty());
}

TEST(MapRecovery, WritesMorePagesThanThereAreBuffers) {
    std::vector<std::uint32_t> all(kPages);
    std::iota(all.begin(), all.end(), 0U);
    restore_pages(all);
}

TEST(MapRecovery, WritesOnlyPagesThatHoldEntries) {
    restore_pages({});
    restore_pages({3, 17, 39});
}

}  // namespace
}  // namespace solidtlm::fw::testing
