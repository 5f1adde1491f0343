// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/identify.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "fw/hal/fnv1a.h"

namespace solidtlm::hw {
namespace {

constexpr std::size_t kWords = 256;
constexpr std::uint16_t kAlwaysOne = 0x4000;  // bit 14 one, bit 15 zero: the word is valid
constexpr std::uint64_t kMaxLba28 = 0x0FFFFFFF;
constexpr std::uint8_t kSignature = 0xA5;

constexpr std::uint16_t bit(unsigned number) {
    return static_cast<std::uint16_t>(1U << number);
}

constexpr std::uint16_t bit_if(bool set, unsigned number) {
    return set ? bit(number) : std::uint16_t{0};
}

struct TextField {
    std::size_t first_word;
    std::size_t words;
};
constexpr TextField kSerial{10, 10};
constexpr TextField kFirmware{23, 4};
constexpr TextField kModel{27, 20};

using Words = std::array<std::uint16_t, kWords>;

// ATA strings: two characters per word, the first in the high byte, padded with spaces (ACS-3 3.4.9).
void put_text(Words& words, TextField field, std::string_view text) {
    for (std::size_t i = 0; i < field.words; ++i) {
        const auto character = [&](std::size_t at) {
            return static_cast<std::uint8_t>(at < text.size() ? text[at] : ' ');
        };
        words[field.first_word + i] =
            static_cast<std::uint16_t>(character(2 * i) << 8U | character(2 * i + 1));
    }
}

void put_number(Words& words, std::size_t first, std::size_t count, std::uint64_t value) {
    for (std::size_t i = 0; i < count; ++i) {
        words[first + i] = static_cast<std::uint16_t>(value >> (16U * i));
    }
}

void fixed_words(Words& words) {
    words[0] = bit(6);  // not removable, ATA device
    words[1] = 16383;   // obsolete geometry, as every drive above 8 GB reports it
    words[3] = 16;
    words[6] = 63;
    words[47] = 0x8000 | ata::kMostMultiple;
    words[48] = kAlwaysOne;
    words[49] = bit(8) | bit(9) | bit(10) | bit(11) | bit(13);  // DMA, LBA, IORDY, Standby timer
    words[50] = kAlwaysOne;
    words[53] = bit(1) | bit(2);                          // words 64-70 and 88 are valid
    words[63] = 0x0007;                                   // multiword DMA 0-2
    words[64] = 0x0003;                                   // PIO 3 and 4
    words[65] = words[66] = words[67] = words[68] = 120;  // ns per cycle
    words[80] = 0x07F0;                                   // ATA/ATAPI-4 to ACS-3
    words[88] = 0x407F;                                   // Ultra DMA 0-6, 6 selected
    words[119] = kAlwaysOne | bit(2) | bit(3);            // WRITE UNCORRECTABLE EXT, logs by DMA
    words[120] = words[119];
    words[168] = 3;           // 2.5 inches
    words[206] = bit(0);      // SCT, without any of its commands
    words[209] = kAlwaysOne;  // logical sector 0 is the first of a physical sector
    words[217] = 1;           // does not rotate
    words[222] = 0x107F;      // serial transport, ATA8-AST to SATA 3.1
}

void link_words(Words& words, const SataConfig& config, const IdentifyState& state) {
    // An ideal link reports 6 Gb/s, the highest speed that hosts know.
    const auto generation = static_cast<unsigned>(std::min(config.generation, SataGeneration::gen3));
    words[75] = static_cast<std::uint16_t>(config.queue_depth - 1);
    words[76] = static_cast<std::uint16_t>(bit(8) | bit(10) |
                                           bit_if(config.power[0].used() || config.power[1].used(), 9));
    for (unsigned speed = 1; speed <= generation; ++speed) {
        words[76] = static_cast<std::uint16_t>(words[76] | bit(speed));
    }
    words[77] = static_cast<std::uint16_t>(generation << 1U | bit(6));  // speed, SEND/RECEIVE FPDMA QUEUED
    const unsigned devsleep = bit_if(config.power[2].used(), 8);        // supported and enabled
    words[78] = static_cast<std::uint16_t>(bit_if(config.auto_activate, 2) | devsleep);
    words[79] = static_cast<std::uint16_t>(bit_if(state.auto_activate, 2) | devsleep);
}

void feature_words(Words& words, const SataConfig& config, const IdentifyState& state) {
    words[69] = static_cast<std::uint16_t>(bit_if(config.deterministic_after_trim, 14) |
                                           bit_if(config.zeros_after_trim, 5));
    words[82] = bit(0) | bit(3) | bit(5);                  // SMART, power management, write cache
    words[83] = kAlwaysOne | bit(10) | bit(12) | bit(13);  // LBA48, FLUSH CACHE, FLUSH CACHE EXT
    // SMART error logging and self-test, logs, WRITE DMA FUA EXT, world wide name
    words[84] = kAlwaysOne | bit(0) | bit(1) | bit(5) | bit(6) | bit(8);
    words[85] = static_cast<std::uint16_t>(bit_if(state.smart, 0) | bit(3) | bit_if(state.write_cache, 5));
    words[86] = bit(10) | bit(12) | bit(13) | bit(15);
    words[87] = words[84];
    words[59] = static_cast<std::uint16_t>(bit_if(state.multiple > 0, 8) | state.multiple);
    words[105] = static_cast<std::uint16_t>(config.max_dsm_blocks);
    words[169] = bit(0);
    const std::uint32_t per_physical = config.physical_sector_bytes / hal::kSectorBytes;
    words[106] = static_cast<std::uint16_t>(kAlwaysOne | bit_if(per_physical > 1, 13) |
                                            static_cast<unsigned>(std::countr_zero(per_physical)));
}

/// World wide name (ACS-3 7.12.7.49): NAA 5, an OUI that is locally administered, because the project has
/// none of its own, and 36 bits made from model and serial number (FNV-1a), so that drives with other serial
/// numbers have other names.
void name_words(Words& words, const SataConfig& config) {
    constexpr std::uint64_t kNaa = 5;
    constexpr std::uint64_t kOui = 0x020000;
    constexpr unsigned kOwnBits = 36;
    using std::literals::operator""sv;
    const std::uint64_t hash = hal::fnv1a(config.serial, hal::fnv1a("\0"sv, hal::fnv1a(config.model)));
    const std::uint64_t own = (hash ^ hash >> kOwnBits) & ((std::uint64_t{1} << kOwnBits) - 1);
    const std::uint64_t name = kNaa << 60U | kOui << kOwnBits | own;
    for (unsigned i = 0; i < 4; ++i) {  // the highest word first
        words[108 + i] = static_cast<std::uint16_t>(name >> (48U - 16U * i));
    }
}

std::uint16_t word(std::span<const std::byte> data, std::size_t index) {
    return static_cast<std::uint16_t>(get_little_endian(data.subspan(2 * index, 2)));
}

std::string text(std::span<const std::byte> data, TextField field) {
    std::string result;
    for (std::size_t i = 0; i < field.words; ++i) {
        const std::uint16_t pair = word(data, field.first_word + i);
        result.push_back(static_cast<char>(pair >> 8U));
        result.push_back(static_cast<char>(pair & 0xFFU));
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result;
}

}  // namespace

LogPage identify_data(const SataConfig& config, const IdentifyState& state) {
    Words words{};
    fixed_words(words);
    put_text(words, kSerial, config.serial);
    put_text(words, kFirmware, config.firmware_revision);
    put_text(words, kModel, config.model);
    put_number(words, 60, 2, std::min(config.exported_sectors, kMaxLba28));
    put_number(words, 100, 4, config.exported_sectors);
    link_words(words, config, state);
    feature_words(words, config, state);
    name_words(words, config);

    words[kWords - 1] = kSignature;
    LogPage data{};
    for (std::size_t i = 0; i < kWords; ++i) {
        put_bytes(data, 2 * i, 2, words[i]);
    }
    put_checksum(data);
    return data;
}

bool parse_identify(std::span<const std::byte> data, IdentifyFacts& facts) {
    if (data.size() != hal::kSectorBytes || (word(data, 255) & 0xFFU) != kSignature || byte_sum(data) != 0) {
        return false;
    }
    const auto has = [&](std::size_t index, unsigned number) {
        return (word(data, index) & bit(number)) != 0;
    };
    facts.serial = text(data, kSerial);
    facts.firmware_revision = text(data, kFirmware);
    facts.model = text(data, kModel);
    facts.capacity_sectors = get_little_endian(data.subspan(200, 8));
    facts.queue_depth = has(76, 8) ? (word(data, 75) & 0x1FU) + 1U : 0U;
    facts.max_dsm_blocks = word(data, 105);
    facts.trim = has(169, 0);
    facts.deterministic_after_trim = has(69, 14);
    facts.zeros_after_trim = has(69, 5);
    facts.send_receive = has(77, 6);
    facts.fua = has(84, 6);
    facts.flush_ext = has(83, 13);
    facts.smart_supported = has(82, 0);
    facts.smart_enabled = has(85, 0);
    facts.write_uncorrectable = has(119, 2);
    facts.log_dma = has(119, 3);
    facts.write_cache_supported = has(82, 5);
    facts.write_cache_enabled = has(85, 5);
    facts.auto_activate_enabled = has(79, 2);
    facts.non_rotating = word(data, 217) == 1;
    facts.generation = static_cast<SataGeneration>(word(data, 77) >> 1U & 7U);
    return true;
}

}  // namespace solidtlm::hw
