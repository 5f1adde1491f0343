// SPDX-License-Identifier: Apache-2.0
//
// What the SLC cache takes of the data area, data that move of DRAM, and how many operations move them.
#pragma once

#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/drive/needs.h"

namespace solidtlm::fw {

/// Superblocks of each parallel unit that are always in SLC mode.
std::uint32_t slc_superblocks(const FirmwareConfig& config);

/// The most superblocks of each parallel unit that may be in SLC mode besides slc_superblocks().
std::uint32_t most_dynamic_superblocks(const FirmwareConfig& config);

/// Superpages on their way from one place to another, by collection or merges: gc.pipeline_depth of each
/// parallel unit.
inline constexpr DramRegion kMovedPages{"garbage collection",
                                        {"firmware.gc.pipeline_depth"},
                                        [](const FirmwareConfig& config, const MediaLayout& layout) {
                                            return std::uint64_t{layout.pus()} * config.gc.pipeline_depth *
                                                   layout.units_per_superpage() * config.unit_bytes;
                                        }};

/// A unit of kMovedPages is read by an operation of its own at most; a superpage is one program.
inline constexpr FlashWork kMoves{
    "garbage collection", [](const FirmwareConfig& config, const MediaLayout& layout) {
        return std::uint64_t{layout.pus()} * config.gc.pipeline_depth * layout.units_per_superpage();
    }};

}  // namespace solidtlm::fw
