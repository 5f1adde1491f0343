// SPDX-License-Identifier: Apache-2.0
//
// Validated parameters of the NAND back end. Read from TOML and checked by platform/configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fw/hal/types.h"
#include "hw/nand/fault_config.h"

namespace solidtlm::hw {

using hal::Ps;

struct NandGeometry {
    std::uint32_t channels = 8;        ///< 1-64
    std::uint32_t dies = 4;            ///< dies per channel, 1-64
    std::uint32_t dies_per_way = 1;    ///< dies that share a package and its chip enable; divides `dies`
    std::uint32_t planes = 2;          ///< planes per die, 1-8
    std::uint32_t blocks = 256;        ///< blocks per plane
    std::uint32_t pages = 256;         ///< pages per block
    std::uint32_t page_bytes = 16384;  ///< data area, a multiple of 512
    std::uint32_t spare_bytes = 1872;  ///< spare area of a page: firmware metadata and ECC parity

    [[nodiscard]] std::uint32_t total_dies() const { return channels * dies; }
    [[nodiscard]] std::uint64_t block_bytes() const { return std::uint64_t{pages} * page_bytes; }
    [[nodiscard]] std::uint64_t die_bytes() const { return std::uint64_t{planes} * blocks * block_bytes(); }
    [[nodiscard]] std::uint64_t total_bytes() const { return std::uint64_t{total_dies()} * die_bytes(); }
    [[nodiscard]] std::uint32_t die_index(hal::Channel channel, hal::Die die) const {
        return channel.value * dies + die.value;
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
    NandInterface interface = NandInterface::nv_ddr2;
    std::uint32_t mode = 7;  ///< timing mode of the interface; nv_ddr2 mode 7 is 400 MT/s
    Ps byte_time{25'000};    ///< byte_time only: time of one byte on the 8-bit bus
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
    /// Array times: one for all pages, or one for each page of a word line, from the lower page up. With
    /// one_shot programming there is one program time, that of a word line.
    std::vector<Ps> read{Ps{50'000'000}};
    std::vector<Ps> program{Ps{500'000'000}};
    Ps erase{3'500'000'000};
    /// Change of the program and erase time per 1,000 cycles of the block, as a share: -0.05 is 5 % less.
    double program_wear = 0.0;
    double erase_wear = 0.0;
    Ps plane_busy{1'000'000};    ///< tDBSY: between the planes of a multi-plane sequence
    Ps suspend{20'000'000};      ///< time to suspend a program or an erase, and again to resume
    Ps set_features{1'000'000};  ///< tFEAT (ONFI: 1 us at most)
};

/// Blocks whose cells hold one bit each, though they could hold more (hal::FlashOp::slc). Such a block has
/// one page for each word line.
struct NandSlcMode {
    Ps read{0};               ///< tR; 0: not known
    Ps program{0};            ///< tPROG; 0: not known
    double wear = 1.0;        ///< of a program and erase cycle in this mode, as a share of one in the other
    double bit_errors = 1.0;  ///< raw bit error rate, as a share of that in the other mode
};

struct NandRules {
    bool sequential_pages = true;         ///< pages of a block in ascending order
    bool multi_plane_same_block = false;  ///< multi-plane operations also need equal block numbers
    std::uint32_t endurance_cycles = 0;   ///< erases after which program/erase fail; 0: unlimited
};

struct NandBadBlocks {
    double factory_fraction = 0.0;  ///< probability that a block is bad from the factory, [0, 0.2]
    std::uint64_t seed = 1;
};

struct FlashControllerConfig {
    std::string arbitration = "read_first";  ///< one of bus_arbitrations()
    bool reads_overtake = true;              ///< in a die's queue, reads go before programs and erases
    bool suspend_program = false;            ///< a waiting host read suspends a running program
    bool suspend_erase = false;              ///< a waiting host read suspends a running erase
    std::uint32_t max_suspends = 4;          ///< per program or erase, so that it ends
};

struct EccConfig {
    std::uint32_t codeword_bytes = 1024;  ///< data per codeword; 0 switches ECC off
    std::uint32_t parity_bytes = 112;     ///< parity per codeword, crosses the bus with it
    double encode_mb_per_s = 1600.0;      ///< throughput of each channel's engine, MB/s (10^6)
    double decode_mb_per_s = 1600.0;
    Ps encode_latency{200'000};  ///< pipeline latency of one codeword
    Ps decode_latency{1'000'000};
    /// Correction strength t. A BCH code over GF(2^14) takes 14 bits of parity for each: 64 of them are 112
    /// bytes.
    std::uint32_t correctable_bits = 64;
    std::uint32_t retries = 0;  ///< steps of the read-retry table; 0: a page that fails is not read again
    double retry_factor = 0.7;  ///< each step multiplies the raw bit error rate by it
};

struct NandConfig {
    NandGeometry geometry;
    NandCell cell = NandCell::by_times;
    NandProgramming programming = NandProgramming::page;
    NandPowerCut power_cut = NandPowerCut::page;
    NandPlaneReads plane_reads = NandPlaneReads::together;
    NandBusConfig bus;
    NandArrayTiming timing;
    NandSlcMode slc;
    NandRules rules;
    NandBadBlocks bad_blocks;
    FaultConfig faults;
    FlashControllerConfig controller;
    EccConfig ecc;
    hal::ContentMode content = hal::ContentMode::tags;
    std::uint32_t metadata_bytes = 24;  ///< spare bytes that firmware writes and reads; set by the platform
};

}  // namespace solidtlm::hw
