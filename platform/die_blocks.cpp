// SPDX-License-Identifier: Apache-2.0
#include "platform/die_blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/units.h"

namespace solidtlm::platform {
namespace {

constexpr std::string_view kKey = "nand.geometry.die_blocks";
constexpr std::uint64_t kMostBlocks = 65'536;  // as nand.geometry.blocks

}  // namespace

std::optional<hw::DieBlocks> parse_die_blocks(std::string_view text) {
    hw::DieBlocks list;
    list.text = std::string(trimmed(text));
    if (list.text.empty()) {
        return list;
    }
    for (const std::string_view part : comma_separated(list.text)) {
        const std::optional<std::uint64_t> blocks = parse_count(trimmed(part));
        if (!blocks || *blocks > kMostBlocks) {
            return std::nullopt;
        }
        list.blocks.push_back(static_cast<std::uint32_t>(*blocks));
    }
    return list;
}

Kind<hw::DieBlocks> die_blocks() {
    return {
        {ValueType::text, "integers from 0 to 65536, by comma, or nothing", ", such as \"256, 256, 128, 0\""},
        parse_die_blocks,
        [](const hw::DieBlocks& list) { return list.text; }};
}

bool check_die_blocks(const Configuration& c, Rules& rules) {
    const hw::NandGeometry& nand = c.nand.geometry;
    const std::vector<std::uint32_t>& list = nand.die_blocks.blocks;
    if (list.empty()) {
        return true;
    }
    const bool fits = list.size() == nand.dies || list.size() == nand.die_places();
    rules.require(fits, {kKey, "nand.geometry.dies", "nand.geometry.channels"},
                  fmt::format("found {} numbers; allowed: {}, one for each die of a channel, or {}, one for "
                              "each die of the drive",
                              list.size(), nand.dies, nand.die_places()));
    const std::uint32_t most = *std::ranges::max_element(list);
    const bool some = most > 0 && most <= nand.blocks;
    rules.require(some, {kKey, "nand.geometry.blocks"},
                  fmt::format("found a die of {} blocks per plane as the largest; allowed: 1 to {} "
                              "(nand.geometry.blocks)",
                              most, nand.blocks));
    const fw::FirmwareConfig& firmware = c.firmware;
    rules.require(!firmware.by_block(), {kKey, "firmware.translation"},
                  "found dies that differ with a block-mapped firmware.translation, which takes a block of "
                  "every die; allowed: page_map");
    rules.require(
        !firmware.reliability.parity(), {kKey, "firmware.reliability.parity_dies"},
        "found dies that differ with parity over dies, which needs the same block of each; allowed: "
        "firmware.reliability.parity_dies = 0");
    const bool different =
        std::ranges::any_of(list, [&](std::uint32_t each) { return each > 0 && each != most; });
    rules.require(!different || firmware.allocation.mode == fw::AllocationMode::dynamic,
                  {kKey, "firmware.allocation.mode"},
                  "found dies of different sizes with firmware.allocation.mode = static, which gives each as "
                  "much; allowed: dynamic, or dies of one size");
    return fits && some && !firmware.by_block() && !firmware.reliability.parity();
}

std::vector<std::uint32_t> blocks_of_dies(const hw::NandGeometry& geometry) {
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t die = 0; geometry.die_blocks.differ() && die < geometry.die_places(); ++die) {
        blocks.push_back(std::min(geometry.blocks_of(die), geometry.blocks));
    }
    return blocks;
}

}  // namespace solidtlm::platform
