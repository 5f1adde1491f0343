// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/fis.h"

#include <gtest/gtest.h>

#include <random>

#include "hw/sata/dsm.h"

namespace solidtlm::hw {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const FisHeader& header) {
    return {header.bytes.begin(), header.bytes.begin() + header.length};
}

TEST(Fis, DwordCountsOfTheStandard) {
    const std::vector<std::pair<FisType, int>> dwords{
        {FisType::register_h2d, 5},   {FisType::register_d2h, 5}, {FisType::dma_activate, 1},
        {FisType::dma_setup, 7},      {FisType::data, 1},         {FisType::pio_setup, 5},
        {FisType::set_device_bits, 2}};
    for (const auto& [type, count] : dwords) {
        EXPECT_EQ(fis_header_bytes(static_cast<std::uint8_t>(type)), 4 * count);
        EXPECT_LT(fis_index(static_cast<std::uint8_t>(type)), kFisTypes);
    }
    EXPECT_EQ(fis_header_bytes(0), 0);
}

// READ FPDMA QUEUED, tag 5, 8 sectors at LBA 123456789ABCh, FUA: worked by hand from clause 10.5.5.
TEST(Fis, ReadFpdmaQueuedByHand) {
    RegisterH2d fis;
    fis.command = 0x60;
    fis.features = 0x0108;
    fis.lba = hal::Lba{0x123456789ABC};
    fis.device = 0xC0;
    fis.count = 5U << 3U;
    fis.auxiliary = 1;
    const Bytes expected{0x27, 0x80, 0x60, 0x08, 0xBC, 0x9A, 0x78, 0xC0, 0x56, 0x34,
                         0x12, 0x01, 0x28, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00};
    EXPECT_EQ(bytes_of(encode(fis)), expected);
}

TEST(Fis, OthersByHand) {
    RegisterD2h d2h{true, 0x51, 0x04, hal::Lba{0x010203040506}, 0x40, 0x0708};
    EXPECT_EQ(bytes_of(encode(d2h)), (Bytes{0x34, 0x40, 0x51, 0x04, 0x06, 0x05, 0x04, 0x40, 0x03, 0x02,
                                            0x01, 0x00, 0x08, 0x07, 0,    0,    0,    0,    0,    0}));
    SetDeviceBits bits{false, true, 0x41, 0x40, 0x80000001};
    EXPECT_EQ(bytes_of(encode(bits)), (Bytes{0xA1, 0x40, 0x41, 0x40, 0x01, 0x00, 0x00, 0x80}));
    DmaSetup setup{true, false, false, 31, 0, 0x00012000};
    EXPECT_EQ(bytes_of(encode(setup)), (Bytes{0x41, 0x80, 0, 0, 31, 0, 0, 0,    0,    0, 0, 0, 0, 0,
                                              0,    0,    0, 0, 0,  0, 0, 0x20, 0x01, 0, 0, 0, 0, 0}));
    PioSetup pio{true, true, 0x58, 0, hal::Lba{0}, 0x40, 0, 0x50, 512};
    EXPECT_EQ(bytes_of(encode(pio)),
              (Bytes{0x5F, 0x60, 0x58, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x50, 0, 0x02, 0, 0}));
    EXPECT_EQ(bytes_of(encode_dma_activate()), (Bytes{0x39, 0, 0, 0}));
    EXPECT_EQ(bytes_of(encode_data()), (Bytes{0x46, 0, 0, 0}));
}

TEST(Fis, RoundTripOfRandomFields) {
    std::mt19937_64 random(11);
    const auto lba = [&] { return hal::Lba{random() & 0xFFFFFFFFFFFF}; };
    const auto u8 = [&] { return static_cast<std::uint8_t>(random()); };
    const auto u16 = [&] { return static_cast<std::uint16_t>(random()); };
    const auto u32 = [&] { return static_cast<std::uint32_t>(random()); };
    const auto flag = [&] { return (random() & 1U) != 0; };
    for (int i = 0; i < 20000; ++i) {
        const RegisterH2d h2d{flag(), u8(), u16(), lba(), u8(), u16(), u8(), u8(), u32()};
        EXPECT_EQ(decode<RegisterH2d>(encode(h2d).bytes.data()), h2d);
        const RegisterD2h d2h{flag(), u8(), u8(), lba(), u8(), u16()};
        EXPECT_EQ(decode<RegisterD2h>(encode(d2h).bytes.data()), d2h);
        const SetDeviceBits bits{flag(), flag(), static_cast<std::uint8_t>(u8() & 0x77U), u8(), u32()};
        EXPECT_EQ(decode<SetDeviceBits>(encode(bits).bytes.data()), bits);
        const DmaSetup setup{flag(), flag(), flag(), static_cast<std::uint8_t>(u8() & 31U), u32(), u32()};
        EXPECT_EQ(decode<DmaSetup>(encode(setup).bytes.data()), setup);
        const PioSetup pio{flag(), flag(), u8(), u8(), lba(), u8(), u16(), u8(), u16()};
        EXPECT_EQ(decode<PioSetup>(encode(pio).bytes.data()), pio);
    }
}

TEST(Dsm, EntryByHand) {
    const std::vector<hal::TrimRange> ranges{{hal::Lba{0x0102030405}, 0x0607}};
    std::vector<std::byte> blocks;
    encode_dsm(ranges, blocks);
    ASSERT_EQ(blocks.size(), 512U);
    const std::vector<int> expected{0x05, 0x04, 0x03, 0x02, 0x01, 0x00, 0x07, 0x06};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(std::to_integer<int>(blocks[i]), expected[i]);
    }
    EXPECT_EQ(blocks[8], std::byte{0});
}

TEST(Dsm, RoundTripOverSeveralBlocksAndTheCapacity) {
    std::mt19937_64 random(3);
    std::vector<hal::TrimRange> ranges;
    ranges.reserve(150);
    for (int i = 0; i < 150; ++i) {
        ranges.push_back({hal::Lba{random() % 1000000}, static_cast<std::uint32_t>(1 + random() % 65535)});
    }
    std::vector<std::byte> blocks;
    encode_dsm(ranges, blocks);
    EXPECT_EQ(blocks.size(), 3 * 512U) << "150 entries need three blocks of 64";
    std::vector<hal::TrimRange> parsed;
    hal::Lba bad;
    ASSERT_TRUE(parse_dsm(blocks, 1100000, parsed, bad));
    ASSERT_EQ(parsed.size(), ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        EXPECT_EQ(parsed[i].lba, ranges[i].lba);
        EXPECT_EQ(parsed[i].sectors, ranges[i].sectors);
    }
    const std::uint64_t end = ranges[0].lba.value + ranges[0].sectors;
    parsed.clear();
    EXPECT_FALSE(parse_dsm(blocks, end - 1, parsed, bad));
    EXPECT_EQ(bad, ranges[0].lba);
    EXPECT_TRUE(parsed.empty());
}

}  // namespace
}  // namespace solidtlm::hw
