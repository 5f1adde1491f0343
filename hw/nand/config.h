// SPDX-License-Identifier: Apache-2.0
//
// Validated parameters of the NAND back end. Read from TOML and checked by platform/configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fw/hal/key.h"
#include "fw/hal/types.h"
#include "hw/nand/fault_config.h"

namespace solidtlm::hw {

using hal::Ps;

/// Blocks per plane of each die, where dies differ.
struct DieBlocks {
    std::vector<std::uint32_t> blocks;  ///< of each die of a channel, or of the drive; empty: dies are equal
    std::string text;                   ///< as the user wrote it

    [[nodiscard]] bool differ() const { return !blocks.empty(); }
};

struct NandGeometry {
    SOLIDTLM_KEYS(NandGeometry);
    SOLIDTLM_KEY(std::uint32_t, channels, 8, key.integer(1, 64),
                 "Channels, each with its own bus and flash controller.");
    SOLIDTLM_KEY(std::uint32_t, dies, 4, key.integer(1, 64), "Dies per channel.");
    SOLIDTLM_KEY(std::uint32_t, dies_per_way, 1, key.integer(1, 64),
                 "Dies that share a package and its chip enable; divides dies.");
    SOLIDTLM_KEY(std::uint32_t, planes, 2, key.integer(1, 8), "Planes per die.");
    SOLIDTLM_KEY(std::uint32_t, blocks, 256, key.integer(1, 65'536), "Blocks per plane.");
    SOLIDTLM_KEY(std::uint32_t, pages, 256, key.integer(1, 16'384), "Pages per block.");
    SOLIDTLM_KEY_AS("page_size", std::uint32_t, page_bytes, 16384, key.size(512, 64 * hal::kKiB),
                    "Data area of a page, a multiple of 512 bytes and of firmware.unit.");
    SOLIDTLM_KEY_AS("spare_size", std::uint32_t, spare_bytes, 1872, key.size(0, 64 * hal::kKiB),
                    "Spare area of a page; must hold the ECC parity and the firmware's metadata.");

    SOLIDTLM_KEY(
        DieBlocks, die_blocks, , key.die_blocks(),
        "Blocks per plane of each die, where dies differ: a number for each die of a channel, or for "
        "each die of the drive, channel by channel; at most blocks, and 0 where there is no die. "
        "Empty: all have blocks. page_map, without parity over dies.");

    /// Numbers of dies, with those that stand for no die.
    [[nodiscard]] std::uint32_t die_places() const { return channels * dies; }
    [[nodiscard]] std::uint32_t die_index(hal::Channel channel, hal::Die die) const {
        return channel.value * dies + die.value;
    }
    /// Blocks per plane of a die, by die_index(); 0: there is no such die.
    [[nodiscard]] std::uint32_t blocks_of(std::uint32_t die) const {
        const std::vector<std::uint32_t>& list = die_blocks.blocks;
        return list.size() == die_places() ? list[die] : list.size() == dies ? list[die % dies] : blocks;
    }
    [[nodiscard]] std::uint32_t total_dies() const {
        std::uint32_t sum = 0;
        for (std::uint32_t die = 0; die < die_places(); ++die) {
            sum += blocks_of(die) > 0 ? 1 : 0;
        }
        return sum;
    }
    [[nodiscard]] std::uint64_t total_blocks() const {
        std::uint64_t per_plane = 0;
        for (std::uint32_t die = 0; die < die_places(); ++die) {
            per_plane += blocks_of(die);
        }
        return per_plane * planes;
    }
    [[nodiscard]] std::uint64_t block_bytes() const { return std::uint64_t{pages} * page_bytes; }
    [[nodiscard]] std::uint64_t total_bytes() const { return total_blocks() * block_bytes(); }
    /// What firmware numbers: as if every die had `blocks`.
    [[nodiscard]] std::uint64_t numbered_bytes() const {
        return std::uint64_t{die_places()} * planes * blocks * block_bytes();
    }
};

/// Data interface of the bus (ONFI 4.x).
enum class NandInterface : std::uint8_t {
    sdr,        ///< asynchronous, timing modes 0-5
    nv_ddr,     ///< modes 0-5: 40-200 MT/s
    nv_ddr2,    ///< modes 0-9: 67-533 MT/s
    nv_ddr3,    ///< modes 0-12: 67-1200 MT/s
    byte_time,  ///< old studies: a fixed time per byte, command and address cycles included
};

struct NandBusConfig {
    SOLIDTLM_KEYS(NandBusConfig);
    SOLIDTLM_KEY(
        NandInterface, interface, NandInterface::nv_ddr2,
        key.enumerator({"sdr", "nv_ddr", "nv_ddr2", "nv_ddr3", "byte_time"}),
        "Data interface of the channel bus (ONFI 4.x); byte_time: a fixed time per byte, for old studies.");
    /// Mode 7 of nv_ddr2 is 400 MT/s.
    SOLIDTLM_KEY(std::uint32_t, mode, 7, key.integer(0, 12),
                 "ONFI timing mode: sdr 0-5, nv_ddr 0-5, nv_ddr2 0-9, nv_ddr3 0-12. Not for byte_time.");
    SOLIDTLM_KEY(
        Ps, byte_time, 25'000, key.duration(Ps{1}, 1us),
        "Time of one byte on the bus, command and address cycles included; byte_time interface only.");
};

/// Bits per cell, which is the number of pages of a word line (word_lines.h).
enum class NandCell : std::uint8_t {
    by_times,  ///< as many as there are read or program times; the pages of a word line have consecutive
               ///< numbers
    slc,
    mlc,
    tlc,
    qlc,
};

/// What one program of the array programs.
enum class NandProgramming : std::uint8_t {
    page,      ///< a page, on each plane
    one_shot,  ///< all pages of a word line, which are transferred one after the other before
};

/// Pages that become unreadable when power is cut during a program.
enum class NandPowerCut : std::uint8_t {
    page,       ///< the page that is being programmed
    word_line,  ///< also the pages of its word line that were programmed before, because their cells are
                ///< being moved from few levels to many (paired pages)
};

/// How the planes of a die read.
enum class NandPlaneReads : std::uint8_t {
    together,     ///< one operation at a time, with one page number on all of its planes
    independent,  ///< each plane can read another page for another operation (plane_reads.h)
};

struct NandArrayTiming {
    SOLIDTLM_KEYS(NandArrayTiming);
    /// Array times: one for all pages, or one for each page of a word line, from the lower page up. Where a
    /// word line is programmed as a whole there is one program time.
    SOLIDTLM_KEY(
        std::vector<Ps>, read, Ps{50'000'000}, key.durations(Ps{1}, 100ms, 4),
        "tR: one for all pages, or one for each page of a word line: lower, middle, upper, top (nand.cell).");
    SOLIDTLM_KEY(std::vector<Ps>, program, Ps{500'000'000}, key.durations(Ps{1}, 1s, 4),
                 "tPROG, the same way; as many entries as read, or one.");
    SOLIDTLM_KEY(Ps, erase, 3'500'000'000, key.duration(Ps{1}, 10s), "tBERS.");
    SOLIDTLM_KEY(double, program_wear, 0.0, key.number(-1.0, 100.0),
                 "Change of tPROG per 1,000 cycles of the block (faults.cycles included), as a share: -0.05 "
                 "is 5 % less. Of several planes the slowest counts.");
    SOLIDTLM_KEY(double, erase_wear, 0.0, key.number(-1.0, 100.0), "Change of tBERS, the same way.");
    SOLIDTLM_KEY(Ps, plane_busy, 1'000'000, key.duration(Ps{0}, 10ms),
                 "tDBSY: between the planes of a multi-plane sequence.");
    SOLIDTLM_KEY(Ps, suspend, 20'000'000, key.duration(Ps{0}, 10ms),
                 "Time to suspend a program or an erase, and again to resume it.");
    /// ONFI: 1 us at most.
    SOLIDTLM_KEY(Ps, set_features, 1'000'000, key.duration(Ps{0}, 10ms),
                 "tFEAT: SET FEATURES, before and after read retries.");
};

/// Blocks whose cells hold one bit each, though they could hold more (hal::FlashOp::slc). Such a block has
/// one page for each word line.
struct NandSlcMode {
    SOLIDTLM_KEYS(NandSlcMode);
    SOLIDTLM_KEY(Ps, read, 0, key.duration(Ps{0}, 100ms),
                 "tR of a block in SLC mode, with one bit in a cell that could hold more; 0s: not known.");
    SOLIDTLM_KEY(Ps, program, 0, key.duration(Ps{0}, 1s), "tPROG in SLC mode; 0s: not known.");
    SOLIDTLM_KEY(
        double, wear, 1.0, key.number(0.0, 1.0),
        "What a program and erase cycle in SLC mode wears a block, as a share of one in normal mode.");
    SOLIDTLM_KEY(double, bit_errors, 1.0, key.number(0.0, 1.0),
                 "Raw bit error rate in SLC mode, as a share of that in normal mode (faults.rber).");
};

struct NandRules {
    SOLIDTLM_KEYS(NandRules);
    SOLIDTLM_KEY(bool, sequential_pages, true, key.boolean(),
                 "The pages of a block must be programmed in ascending order.");
    SOLIDTLM_KEY(bool, multi_plane_same_block, false, key.boolean(),
                 "Multi-plane operations also need equal block numbers.");
    SOLIDTLM_KEY(std::uint32_t, endurance_cycles, 0, key.integer(0, 4'294'967'295, "erases"),
                 "Erases of a block after which programs and erases fail; 0: unlimited.");
};

struct NandBadBlocks {
    SOLIDTLM_KEYS(NandBadBlocks);
    SOLIDTLM_KEY(double, factory_fraction, 0.0, key.number(0.0, 0.2),
                 "Probability that a block is bad when the drive leaves the factory.");
    SOLIDTLM_KEY(std::uint64_t, seed, 1, key.integer(0, key.kMostInteger),
                 "Chooses the individual drive: which of its blocks are bad. Independent of seed.");
};

struct FlashControllerConfig {
    SOLIDTLM_KEYS(FlashControllerConfig);
    SOLIDTLM_KEY(std::string, arbitration, "read_first", key.bus_arbitration(),
                 "Who gets the channel bus next.");
    SOLIDTLM_KEY(bool, reads_overtake, true, key.boolean(),
                 "In a die's queue, reads go before programs and erases.");
    SOLIDTLM_KEY(bool, suspend_program, false, key.boolean(),
                 "A waiting host read suspends a running program.");
    SOLIDTLM_KEY(bool, suspend_erase, false, key.boolean(), "A waiting host read suspends a running erase.");
    SOLIDTLM_KEY(std::uint32_t, max_suspends, 4, key.integer(1, 1'000),
                 "Suspensions of one program or erase, so that it ends.");
};

struct EccConfig {
    SOLIDTLM_KEYS(EccConfig);
    SOLIDTLM_KEY_AS("codeword_size", std::uint32_t, codeword_bytes, 1024, key.size(0, 64 * hal::kKiB),
                    "Data of a codeword, a multiple of 512 that divides the page; 0 switches ECC off.");
    SOLIDTLM_KEY_AS("parity_size", std::uint32_t, parity_bytes, 112, key.size(0, 64 * hal::kKiB),
                    "Parity of a codeword; crosses the bus with it.");
    SOLIDTLM_KEY(double, encode_mb_per_s, 1600.0, key.number(1.0, 1e6, "MB/s"),
                 "Encoder throughput of each channel's engine.");
    SOLIDTLM_KEY(double, decode_mb_per_s, 1600.0, key.number(1.0, 1e6, "MB/s"),
                 "Decoder throughput of each channel's engine.");
    SOLIDTLM_KEY(Ps, encode_latency, 200'000, key.duration(Ps{0}, 10ms), "Pipeline latency of one codeword.");
    SOLIDTLM_KEY(Ps, decode_latency, 1'000'000, key.duration(Ps{0}, 10ms),
                 "Pipeline latency of one codeword.");
    /// Correction strength t. A BCH code over GF(2^14) takes 14 bits of parity for each: 64 of them are 112
    /// bytes.
    SOLIDTLM_KEY(std::uint32_t, correctable_bits, 64, key.integer(0, 65'535, "bits"),
                 "Bits that ECC corrects in a codeword; counts where faults.bit_errors is on.");
    SOLIDTLM_KEY(std::uint32_t, retries, 0, key.integer(0, 64, "steps"),
                 "Steps of the read-retry table: how often the controller reads a page again that ECC could "
                 "not correct; 0: not at all (reliability.md).");
    SOLIDTLM_KEY(double, retry_factor, 0.7, key.number(0.0, 1.0),
                 "Each step of the read-retry table multiplies the raw bit error rate by this.");
};

struct NandConfig {
    SOLIDTLM_KEYS(NandConfig);
    SOLIDTLM_KEY_TABLE(NandGeometry, geometry);
    SOLIDTLM_KEY(NandCell, cell, NandCell::by_times, key.enumerator({"by_times", "slc", "mlc", "tlc", "qlc"}),
                 "Bits of a cell, and so which page of a word line each page of a block is. mlc: lower pages "
                 "are 0, 1, 3, 5, 7, ..., upper pages 2, 4, 6, ... and the last one. tlc, qlc: the pages of "
                 "a word line follow each other. by_times: so do they, as many as nand.timing.read or "
                 "nand.timing.program has times.");
    SOLIDTLM_KEY(NandProgramming, programming, NandProgramming::page, key.enumerator({"page", "one_shot"}),
                 "What one program of the array programs. page: a page of each plane. one_shot: all pages of "
                 "a word line, which cross the bus one after the other before; nand.timing.program is the "
                 "time of a word line, and the pages of a word line follow each other, with mlc, too.");
    SOLIDTLM_KEY(
        NandPowerCut, power_cut, NandPowerCut::page, key.enumerator({"page", "word_line"}),
        "What a power cut during a program makes unreadable. page: the page. word_line: also the pages of "
        "its word line that were programmed before, as on MLC, TLC and QLC parts (paired pages).");
    NandPlaneReads plane_reads = NandPlaneReads::together;
    SOLIDTLM_KEY_OF(
        "planes.read", &NandConfig::plane_reads, key.enumerator({"together", "independent"}),
        "What the planes of a die sense at a time. together: the pages of one operation, which have the same "
        "number. independent: each plane a page of its own, with a command of its own; the data of these "
        "reads leave one after the other. Programs, erases and reads of several planes need the whole die.");
    SOLIDTLM_KEY_TABLE(NandBusConfig, bus);
    SOLIDTLM_KEY_TABLE(NandArrayTiming, timing);
    SOLIDTLM_KEY_TABLE(NandSlcMode, slc);
    SOLIDTLM_KEY_TABLE(NandRules, rules);
    SOLIDTLM_KEY_TABLE(NandBadBlocks, bad_blocks);
    SOLIDTLM_KEY_TABLE(FlashControllerConfig, controller);
    SOLIDTLM_KEY_TABLE(EccConfig, ecc);
    FaultConfig faults;
    hal::ContentMode content = hal::ContentMode::tags;
    std::uint32_t metadata_bytes = 24;  ///< spare bytes that firmware writes and reads; set by the platform
    /// Flash operations besides erases that firmware may have outstanding at once; set by the platform.
    std::size_t most_operations = 65'536;
    std::size_t most_accesses = 1'048'576;  ///< of DRAM, by all of them; set by the platform

    /// Operations that a controller may hold: all of these, and an erase of each block of its channel.
    [[nodiscard]] std::size_t most_requests() const {
        return most_operations + std::size_t{geometry.dies} * geometry.planes * geometry.blocks;
    }
};

}  // namespace solidtlm::hw
