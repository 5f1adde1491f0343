// SPDX-License-Identifier: Apache-2.0
//
// Variants of the tiny drive for power cuts, drawn by a seed: each kind of word line, and each way of keeping
// its earlier pages.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {

constexpr std::array kVariantCells{"mlc", "tlc", "qlc"};
constexpr std::array kVariantTrims{"lazy", "journal", "immediate"};
constexpr std::array kVariantMaps{"full_table", "dftl"};
constexpr std::array kVariantOrders{"PCWD", "CWDP"};

/// Word lines of `bits` pages, in blocks of six of them.
inline std::vector<std::string> word_line_settings(std::uint64_t bits, std::uint64_t seed) {
    return {fmt::format("nand.cell={}", kVariantCells.at(bits - 2)),
            fmt::format("nand.geometry.pages={}", 6 * bits), "firmware.write_buffer.size=512KiB",
            "ssd.over_provisioning=0.7", fmt::format("seed={}", seed)};
}

inline const std::vector<std::string> kTimesOfSlcMode{"nand.slc.read=20us", "nand.slc.program=150us"};
inline const std::vector<std::string> kSmallMapCache{"firmware.map_cache.size=8KiB",
                                                     "firmware.map_cache.translation_page=512"};

inline platform::Configuration tiny_with(std::vector<std::string> settings,
                                         std::initializer_list<std::vector<std::string>> more) {
    for (const std::vector<std::string>& each : more) {
        settings.insert(settings.end(), each.begin(), each.end());
    }
    return preset("tiny", settings);
}

/// Programmed at once.
inline platform::Configuration word_lines_at_once(std::uint64_t seed) {
    return tiny_with(
        word_line_settings(2 + seed % kVariantCells.size(), seed),
        {{"nand.programming=one_shot", "nand.timing.program=900us",
          fmt::format("firmware.trim.persist={}", kVariantTrims.at(seed / 2 % kVariantTrims.size())),
          fmt::format("firmware.map_cache.policy={}", kVariantMaps.at(seed / 3 % kVariantMaps.size())),
          fmt::format("firmware.allocation.order={}", kVariantOrders.at(seed % kVariantOrders.size())),
          "nand.geometry.blocks=24"},
         kTimesOfSlcMode,
         kSmallMapCache});
}

/// Programmed at once, behind an SLC cache of each mode.
inline platform::Configuration word_lines_behind_a_cache(std::uint64_t seed) {
    constexpr std::array kModes{"static", "dynamic", "hybrid"};
    constexpr std::array kSizes{"512KiB", "2MiB", "2MiB"};
    const std::size_t mode = seed % kModes.size();
    std::vector<std::string> hybrid;
    if (mode == 2) {
        hybrid.emplace_back("firmware.slc_cache.static_size=256KiB");
    }
    return tiny_with(
        word_line_settings(2 + seed / 3 % kVariantCells.size(), seed),
        {{"nand.programming=one_shot", "nand.timing.program=900us", "nand.geometry.blocks=28",
          fmt::format("firmware.slc_cache.mode={}", kModes.at(mode)),
          fmt::format("firmware.slc_cache.size={}", kSizes.at(mode)),
          fmt::format("firmware.slc_cache.full={}", seed / 2 % 2 == 0 ? "bypass" : "fold"),
          fmt::format("firmware.slc_cache.fold_below={}", seed % 2),
          fmt::format("firmware.trim.persist={}", kVariantTrims.at(seed / 4 % kVariantTrims.size())),
          fmt::format("firmware.recovery.checkpoint_interval={}", seed % 2 == 0 ? "0" : "256KiB")},
         kTimesOfSlcMode,
         hybrid});
}

/// Programmed page by page, on flash where a power cut takes earlier pages, with firmware.word_lines.protect
/// = `protect`.
inline platform::Configuration protected_word_lines(const std::string& protect, std::uint64_t seed) {
    const bool pads = protect == "pad";
    const bool backs_up = protect == "backup";
    const char* trim = kVariantTrims.at(seed / 2 % kVariantTrims.size());
    const char* map = kVariantMaps.at(seed / 3 % kVariantMaps.size());
    const bool cached = map != kVariantMaps.front();
    const bool needs_slc = backs_up || (pads && (cached || trim != kVariantTrims.front()));
    return tiny_with(
        word_line_settings((pads ? 3 : 2) + seed % (pads ? 2 : 3), seed),
        {{"nand.power_cut=word_line", "firmware.word_lines.protect=" + protect, "nand.timing.program=500us",
          "nand.geometry.blocks=24", fmt::format("firmware.trim.persist={}", trim),
          fmt::format("firmware.map_cache.policy={}", map),
          fmt::format("firmware.allocation.order={}", kVariantOrders.at(seed % 2))},
         cached ? kSmallMapCache : std::vector<std::string>(),
         needs_slc ? kTimesOfSlcMode : std::vector<std::string>()});
}

/// Programmed page by page, with copies of lower pages, behind an SLC cache of free superblocks.
inline platform::Configuration copies_behind_a_cache(std::uint64_t seed) {
    const bool hybrid = seed % 2 != 0;
    return tiny_with(
        word_line_settings(2 + seed / 2 % kVariantCells.size(), seed),
        {{"nand.power_cut=word_line", "firmware.word_lines.protect=backup", "nand.timing.program=500us",
          "nand.geometry.blocks=28", fmt::format("firmware.slc_cache.mode={}", hybrid ? "hybrid" : "dynamic"),
          "firmware.slc_cache.size=2MiB",
          fmt::format("firmware.slc_cache.full={}", seed / 2 % 2 == 0 ? "bypass" : "fold"),
          fmt::format("firmware.slc_cache.fold_below={}", seed / 3 % 2),
          fmt::format("firmware.trim.persist={}", kVariantTrims.at(seed / 4 % kVariantTrims.size())),
          fmt::format("firmware.recovery.checkpoint_interval={}", seed / 5 % 2 == 0 ? "0" : "256KiB")},
         kTimesOfSlcMode,
         hybrid ? std::vector<std::string>{"firmware.slc_cache.static_size=256KiB"}
                : std::vector<std::string>()});
}

}  // namespace solidtlm::testbench
