// SPDX-License-Identifier: Apache-2.0
//
// The device's part of a result, as plain numbers. The owner of the device fills them in, so results need no
// hardware module.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/metrics.h"
#include "fw/hal/types.h"
#include "fw/map_cache/config.h"

namespace solidtlm::testbench {

/// Operations of the NAND array. A multi-plane operation counts once per plane.
struct NandCounts {
    std::uint64_t reads = 0;     ///< pages read from the array
    std::uint64_t programs = 0;  ///< pages programmed
    std::uint64_t erases = 0;    ///< blocks erased

    NandCounts& operator+=(const NandCounts& other) {
        reads += other.reads;
        programs += other.programs;
        erases += other.erases;
        return *this;
    }
    /// The difference since `earlier`. REQUIRES: `earlier` is a snapshot of the same counters.
    [[nodiscard]] NandCounts since(const NandCounts& earlier) const {
        SOLIDTLM_CHECK(earlier.reads <= reads && earlier.programs <= programs && earlier.erases <= erases,
                       "an earlier snapshot of the same counters");
        return {reads - earlier.reads, programs - earlier.programs, erases - earlier.erases};
    }
    bool operator==(const NandCounts&) const = default;
};

/// A map cache. Its counters are in DeviceTelemetry::firmware; so are those of the next two structs.
struct MapCacheTelemetry {
    std::string policy;
    std::uint64_t size_bytes = 0;
    std::uint64_t translation_pages = 0;
    fw::FlashTimes times;
};

/// A block-mapped layer; docs/block-map.md defines the kinds of blocks.
struct BlockMapTelemetry {
    std::string layer;
    std::uint64_t block_pages = 0;
    std::uint64_t log_blocks = 0;  ///< largest number in use
};

/// Deduplication; docs/dedup.md.
struct DedupTelemetry {
    std::string system;
};

/// Fractions are of the measured time, from 0 to 1.
struct DeviceTelemetry {
    std::array<NandCounts, hal::kCauses> nand{};  ///< by hal::Cause
    std::uint64_t page_bytes = 0;                 ///< data area of a NAND page
    std::uint64_t host_written_bytes = 0;         ///< bytes that write commands transferred to the device

    double link = 0.0;             ///< SATA link: a frame is on the wire
    double core = 0.0;             ///< firmware core busy
    double dram = 0.0;             ///< DRAM data bus or bank busy
    std::vector<double> channels;  ///< each channel bus, by channel
    std::vector<double> dies;      ///< each die, by channel * dies per channel + die
    /// Fractions by holder, averaged over all channels and over all dies; absent if not recorded.
    std::optional<std::array<double, hal::kHolders>> channels_by_holder;
    std::optional<std::array<double, hal::kHolders>> dies_by_holder;
    /// fraction of the core's time by what it worked on
    std::optional<std::array<double, hal::kCauses>> core_by_cause;

    std::map<std::string, std::uint64_t> violations;  ///< refused NAND operations, by rule
    hal::Metrics firmware;                            ///< counters of the firmware
    hal::Metrics hardware;                            ///< counters of the hardware blocks
    std::optional<MapCacheTelemetry> map_cache;       ///< none: the whole map is in DRAM
    std::optional<BlockMapTelemetry> block_map;       ///< none: page mapping
    std::optional<DedupTelemetry> dedup;              ///< none: no deduplication

    [[nodiscard]] NandCounts nand_total() const {
        NandCounts total;
        for (const NandCounts& counts : nand) {
            total += counts;
        }
        return total;
    }
};

}  // namespace solidtlm::testbench
