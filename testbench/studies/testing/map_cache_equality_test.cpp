// SPDX-License-Identifier: Apache-2.0
//
// The firmware's map caches against reference models that were written only from the definitions
// (docs/map-cache.md): they must count the same hits, evictions, reads and programs on 100,000 page requests,
// without time and with it.
#include <gtest/gtest.h>

#include <random>
#include <variant>

#include "fw/map_cache/untimed_map.h"
#include "fw/testing/map_bench.h"
#include "testbench/studies/testing/map_cache_reference.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint32_t kRequests = 100'000;
constexpr std::uint32_t kPages = 64;  ///< translation pages of the device
constexpr std::uint32_t kUnits = kPages * reference::kEntries;

struct PageRequest {
    hal::Lpn lpn;
    bool write = false;
};

/// Forward runs, jumps back to earlier places, and random requests: every policy hits and misses.
std::vector<PageRequest> requests(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<PageRequest> stream;
    std::uint32_t at = 0;
    while (stream.size() < kRequests) {
        const std::uint64_t draw = random() % 16;
        if (draw < 8) {
            at = (at + 1) % kUnits;
        } else if (draw < 12 && !stream.empty()) {
            const std::size_t back = 1 + random() % std::min<std::size_t>(stream.size(), 3000);
            at = stream[stream.size() - back].lpn.value;
        } else if (draw < 15) {
            at = (at / reference::kEntries * reference::kEntries) +
                 static_cast<std::uint32_t>(random() % reference::kEntries);
        } else {
            at = static_cast<std::uint32_t>(random() % kUnits);
        }
        stream.push_back({hal::Lpn{at}, random() % 3 == 0});
    }
    return stream;
}

using Reference = std::variant<reference::RunCache, reference::DftlCache>;

struct Case {
    std::string_view policy;
    std::uint32_t tafp_bytes;
    std::uint32_t size_bytes;

    [[nodiscard]] Reference make_reference() const {
        if (policy == "full_page") {
            return reference::RunCache::full(size_bytes);
        }
        if (policy == "half_page") {
            return reference::RunCache::half(size_bytes);
        }
        return policy == "tafp" ? Reference(reference::RunCache::tafp(tafp_bytes, size_bytes))
                                : Reference(reference::DftlCache(size_bytes));
    }
    [[nodiscard]] fw::FirmwareConfig config() const {
        fw::FirmwareConfig config;
        config.flash = fw::FlashLayout{2, 2, 1, 1, 300, 64, 4096};
        config.unit_bytes = 4096;
        config.exported_sectors = std::uint64_t{kUnits} * 8;
        config.write_buffer.size_bytes = 1U << 20;
        config.content = hal::ContentMode::none;
        config.map_cache.policy = policy;
        config.map_cache.size_bytes = size_bytes;
        config.map_cache.tafp_bytes = tafp_bytes;
        return config;
    }
};

struct Sums {
    std::uint64_t hits = 0;
    std::uint64_t evictions = 0;
    std::uint64_t dirty_evictions = 0;
    std::uint64_t miss_reads = 0;
    std::uint64_t merge_reads = 0;
    std::uint64_t programs = 0;
    std::uint64_t miss_bytes = 0;
    std::uint64_t merge_bytes = 0;
    std::uint64_t program_bytes = 0;

    Sums& operator+=(const reference::Outcome& outcome) {
        hits += outcome.hit ? 1 : 0;
        evictions += outcome.evictions;
        dirty_evictions += outcome.dirty_evictions;
        miss_reads += outcome.miss_reads;
        merge_reads += outcome.flush_reads;
        programs += outcome.flush_programs;
        miss_bytes += outcome.miss_read_bytes;
        merge_bytes += outcome.flush_read_bytes;
        program_bytes += outcome.flush_program_bytes;
        return *this;
    }
};

/// `Told`: fw::MapCache or fw::MapCounters.
template <class Told>
hal::Metrics metrics_of(const Told& told) {
    hal::Metrics metrics;
    told.tell(metrics);
    return metrics.of("map_cache");
}

Sums of(const hal::Metrics& counted) {
    return Sums{counted.count("hits"),
                counted.count("evictions"),
                counted.count("evictions_dirty"),
                counted.count("flash.miss_reads") + counted.count("misses_unwritten"),
                counted.count("flash.merge_reads") + counted.count("evictions_unwritten"),
                counted.count("flash.write_backs"),
                counted.count("miss_bytes.entries"),
                counted.count("merge_bytes.entries"),
                counted.count("program_bytes.entries")};
}

void expect_equal(const Sums& found, const Sums& expected, bool bytes) {
    EXPECT_EQ(found.hits, expected.hits);
    EXPECT_EQ(found.evictions, expected.evictions);
    EXPECT_EQ(found.dirty_evictions, expected.dirty_evictions);
    EXPECT_EQ(found.miss_reads, expected.miss_reads);
    EXPECT_EQ(found.merge_reads, expected.merge_reads);
    EXPECT_EQ(found.programs, expected.programs);
    if (bytes) {
        EXPECT_EQ(found.miss_bytes, expected.miss_bytes);
        EXPECT_EQ(found.merge_bytes, expected.merge_bytes);
        EXPECT_EQ(found.program_bytes, expected.program_bytes);
    }
}

class MapCacheEquality : public ::testing::TestWithParam<Case> {};

TEST_P(MapCacheEquality, WithoutTimeRequestByRequest) {
    Reference expected = GetParam().make_reference();
    fw::UntimedMap map(GetParam().config());
    Sums sums;
    std::uint32_t number = 0;
    for (const PageRequest& request : requests(GetParam().size_bytes)) {
        const reference::Outcome outcome =
            std::visit([&](auto& cache) { return cache.access(request.lpn, request.write); }, expected);
        sums += outcome;
        ASSERT_EQ(map.access(request.lpn, request.write), outcome.hit) << "request " << number;
        ASSERT_EQ(map.counters().dirty_evictions, sums.dirty_evictions) << "request " << number;
        ++number;
    }
    expect_equal(of(metrics_of(map.counters())), sums, true);
    EXPECT_EQ(map.policy().check(), "");
    EXPECT_GT(sums.hits, 0U);
    EXPECT_GT(sums.dirty_evictions, 0U);
}

fw::Task<void> play(fw::testing::MapBench& bench, const std::vector<PageRequest>& stream) {
    std::uint32_t place = 0;
    for (const PageRequest& request : stream) {
        if (request.write) {
            co_await bench.write(request.lpn, fw::Ppa{place++});
        } else {
            co_await bench.read(request.lpn);
        }
    }
}

/// A device begins without translation pages, so some pages that the reference reads do not exist yet.
TEST_P(MapCacheEquality, WithTimeOneAtATime) {
    Reference expected = GetParam().make_reference();
    const std::vector<PageRequest> stream = requests(GetParam().size_bytes + 1);
    Sums sums;
    for (const PageRequest& request : stream) {
        sums += std::visit([&](auto& cache) { return cache.access(request.lpn, request.write); }, expected);
    }
    fw::testing::MapBench bench(GetParam().config());
    bench.run(play(bench, stream));
    const hal::Metrics counted = metrics_of(*bench.map);
    expect_equal(of(counted), sums, false);
    EXPECT_EQ(counted.count("misses_joined"), 0U);
    EXPECT_EQ(bench.wrong, 0U);
    EXPECT_EQ(bench.map->check(), "");
    EXPECT_TRUE(bench.flash.violations.empty()) << bench.flash.violations.front();
}

INSTANTIATE_TEST_SUITE_P(
    Caches, MapCacheEquality,
    ::testing::Values(Case{"full_page", 0, 4108}, Case{"full_page", 0, 16'384}, Case{"full_page", 0, 131'072},
                      Case{"half_page", 0, 2060}, Case{"half_page", 0, 16'384}, Case{"half_page", 0, 65'536},
                      Case{"tafp", 8, 22}, Case{"tafp", 8, 16'384}, Case{"tafp", 16, 16'384},
                      Case{"tafp", 32, 32'768}, Case{"tafp", 64, 16'384}, Case{"tafp", 128, 32'768},
                      Case{"tafp", 256, 16'384}, Case{"dftl", 0, 16}, Case{"dftl", 0, 1000},
                      Case{"dftl", 0, 16'384}, Case{"dftl", 0, 65'536}),
    [](const auto& test) {
        const std::string window =
            test.param.policy == "tafp" ? "_" + std::to_string(test.param.tafp_bytes) : "";
        return std::string(test.param.policy) + window + "_of_" + std::to_string(test.param.size_bytes);
    });

}  // namespace
}  // namespace solidtlm::testbench
