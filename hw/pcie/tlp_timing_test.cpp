// SPDX-License-Identifier: Apache-2.0
#include "hw/pcie/tlp_timing.h"

#include <gtest/gtest.h>

#include <array>
#include <ostream>

namespace solidtlm::hw {

void PrintTo(const TlpTiming::Wire& wire, std::ostream* out) {
    *out << wire.tlps << " TLPs of " << wire.bytes << " bytes";
}
static bool operator==(const TlpTiming::Wire& a, const TlpTiming::Wire& b) {
    return a.tlps == b.tlps && a.bytes == b.bytes;
}

namespace {

using Wire = TlpTiming::Wire;
constexpr std::uint64_t kHigh = std::uint64_t{1} << 32U;  // addresses from here on take 64 bits
constexpr std::uint64_t kPage = 4096;

PcieConfig link(PcieGeneration generation, std::uint32_t lanes, std::uint32_t max_payload) {
    PcieConfig config;
    config.generation = generation;
    config.lanes = lanes;
    config.max_payload = max_payload;
    return config;
}

double megabytes(hal::Ps page) {
    return 1e6 * static_cast<double>(kPage) / static_cast<double>(page.count());
}

// Rates in MB/s that follow from pcie-bench's model (model/pcie.py, model/mem_bw.py) for 4 KiB, 64-bit
// addresses and MRRS 512, at MPS 128, 256 and 512, and for completions of 64 bytes at MPS 256.
struct Row {
    PcieGeneration generation;
    std::uint32_t lanes;
    std::array<double, 3> writes;
    std::array<double, 3> reads;
    double reads_of_64;
};
constexpr std::array<Row, 7> kRows{{
    {PcieGeneration::gen1, 4, {655, 788, 853}, {673, 799, 860}, 657},
    {PcieGeneration::gen2, 4, {1463, 1651, 1756}, {1502, 1675, 1770}, 1376},
    {PcieGeneration::gen3, 1, {787, 870, 915}, {808, 882, 922}, 725},
    {PcieGeneration::gen3, 2, {1536, 1704, 1798}, {1577, 1728, 1812}, 1420},
    {PcieGeneration::gen3, 4, {2994, 3322, 3512}, {3075, 3370, 3538}, 2769},
    {PcieGeneration::gen4, 4, {5988, 6645, 7023}, {6150, 6741, 7076}, 5537},
    {PcieGeneration::gen5, 4, {11976, 13289, 14046}, {12300, 13482, 14152}, 11074},
}};

TEST(TlpTiming, RatesOfPagesAreThoseOfPcieBench) {
    for (const Row& row : kRows) {
        for (unsigned i = 0; i < 3; ++i) {
            const TlpTiming timing(link(row.generation, row.lanes, 128U << i));
            EXPECT_NEAR(megabytes(timing.time(timing.write(kHigh, kPage))), row.writes.at(i), 1);
            EXPECT_NEAR(megabytes(timing.time(timing.completions(kHigh, kPage))), row.reads.at(i), 1);
        }
        PcieConfig old_root = link(row.generation, row.lanes, 256);
        old_root.completion_bytes = 64;
        const TlpTiming timing(old_root);
        EXPECT_NEAR(megabytes(timing.time(timing.completions(kHigh, kPage))), row.reads_of_64, 1);
    }
}

// ACK latency limits of the standard's tables: (interval, share in millionths without SKP).
TEST(TlpTiming, TheGuideShareFollowsFromTheTablesOfAckLatency) {
    constexpr std::uint32_t kSkp = 2601;  // 4 / 1538
    const auto share = [](PcieGeneration generation, std::uint32_t lanes, std::uint32_t max_payload) {
        return dllp_share_ppm(link(generation, lanes, max_payload)) - kSkp;
    };
    EXPECT_EQ(share(PcieGeneration::gen1, 1, 128), 67511U);   // 16 / 237
    EXPECT_EQ(share(PcieGeneration::gen1, 4, 256), 135593U);  // 16 / 118
    EXPECT_EQ(share(PcieGeneration::gen2, 2, 512), 47059U);   // 16 / 340
    EXPECT_EQ(share(PcieGeneration::gen3, 4, 128), 94675U);   // 16 / 169
    EXPECT_EQ(share(PcieGeneration::gen3, 4, 256), 74766U);   // 16 / 214
    EXPECT_EQ(share(PcieGeneration::gen5, 1, 4096), 3774U);   // 16 / 4239
}

// Without DLLPs: gen3 carries 8 GT/s x 128/130, in 253.90625 ps for a byte on four lanes.
TEST(TlpTiming, WireTimesOfA4KReadsParts) {
    PcieConfig config = link(PcieGeneration::gen3, 4, 256);
    config.dllps = PcieDllps::none;
    const TlpTiming timing(config);
    EXPECT_EQ(timing.time(timing.write(kHigh, 4)), hal::Ps{7'109});            // doorbell, MSI-X: 28 bytes
    EXPECT_EQ(timing.time(timing.read_requests(kHigh, 64)), hal::Ps{6'094});   // 24
    EXPECT_EQ(timing.time(timing.completions(kHigh, 64)), hal::Ps{21'328});    // 84
    EXPECT_EQ(timing.time(timing.write(kHigh, kPage)), hal::Ps{1'137'500});    // 16 x 24 + 4096
    EXPECT_EQ(timing.time(timing.write(kHigh, 16)), hal::Ps{10'156});          // 40
    EXPECT_NEAR(megabytes(timing.time(timing.write(kHigh, kPage))), 3601, 1);  // 3938 x 256 / 280
    config.generation = PcieGeneration::gen1;
    config.lanes = 1;
    EXPECT_EQ(TlpTiming(config).time({1, 1}), hal::Ps{4'000});  // ten bits of 400 ps
}

TEST(TlpTiming, WritesEndAtMultiplesOfTheirLimit) {
    const TlpTiming timing(link(PcieGeneration::gen3, 4, 256));
    EXPECT_EQ(timing.write(kHigh, kPage), (Wire{16, 16 * 24 + 4096}));
    EXPECT_EQ(timing.write(kHigh + 0x10, kPage), (Wire{17, 17 * 24 + 4096}));
    EXPECT_EQ(timing.write(kHigh + 0xFC, 8), (Wire{2, 2 * 24 + 8}));
    EXPECT_EQ(timing.write(0x1000, 16), (Wire{1, 20 + 16}));      // 32-bit address: a dword less
    EXPECT_EQ(timing.write(0x2FF0, 32), (Wire{2, 2 * 20 + 32}));  // crosses 4 KiB
    EXPECT_EQ(timing.write(0x1001, 1), (Wire{1, 20 + 4}));        // whole dwords
    EXPECT_EQ(timing.write(0x10FE, 4), (Wire{2, 2 * 20 + 8}));    // two bytes of each of two dwords
    PcieConfig large = link(PcieGeneration::gen3, 4, 4096);
    EXPECT_EQ(TlpTiming(large).write(kHigh + 0x800, kPage), (Wire{2, 2 * 24 + 4096}));  // 4 KiB, still
    large.ecrc = true;
    EXPECT_EQ(TlpTiming(large).write(kHigh, kPage), (Wire{1, 28 + 4096}));
}

TEST(TlpTiming, ReadsAreRequestsAndCompletions) {
    PcieConfig config = link(PcieGeneration::gen3, 4, 256);
    TlpTiming timing(config);
    EXPECT_EQ(timing.read_requests(kHigh, kPage), (Wire{8, 8 * 24}));
    EXPECT_EQ(timing.read_requests(kHigh + 0x100, kPage), (Wire{9, 9 * 24}));
    EXPECT_EQ(timing.completions(kHigh, kPage), (Wire{16, 16 * 20 + 4096}));
    // 512 bytes from 20h on: up to 100h, 200h and 220h
    EXPECT_EQ(timing.completions(kHigh + 0x20, 512), (Wire{3, 3 * 20 + 512}));
    EXPECT_EQ(timing.completions(kHigh + 0x30, 64), (Wire{1, 20 + 64}));

    config.completion_bytes = 64;
    timing = TlpTiming(config);
    EXPECT_EQ(timing.completions(kHigh, kPage), (Wire{64, 64 * 20 + 4096}));
    EXPECT_EQ(timing.completions(kHigh + 0x30, 64), (Wire{2, 2 * 20 + 64}));

    config.completion_bytes = 0;
    config.max_read_request = 128;  // no completion answers two requests
    EXPECT_EQ(TlpTiming(config).completions(kHigh, kPage), (Wire{32, 32 * 20 + 4096}));
}

}  // namespace
}  // namespace solidtlm::hw
