// SPDX-License-Identifier: Apache-2.0
//
// What flash that programs a word line at once works with (nand.programming = one_shot).
#include <fmt/format.h>

#include <algorithm>

#include "fw/drive/limits.h"
#include "hw/nand/word_lines.h"
#include "platform/configuration_rules.h"

namespace solidtlm::platform {

bool check_programming(const Configuration& c, Rules& rules) {
    if (c.nand.programming == hw::NandProgramming::page) {
        return true;
    }
    const fw::FirmwareConfig& firmware = c.firmware;
    constexpr std::string_view kProgramming = "nand.programming";
    const auto refuse_with = [&](bool fits, std::string_view key, std::string_view found,
                                 std::string_view allowed) {
        rules.require(
            fits, {kProgramming, key},
            fmt::format("found nand.programming = \"one_shot\" with {}; allowed: {}", found, allowed));
        return fits;
    };
    const std::uint32_t word_line = hw::pages_per_word_line(c.nand);
    const std::uint32_t planes =
        fw::planes_per_parallel_unit(firmware.allocation.order, firmware.flash.planes);
    bool layout = refuse_with(word_line > 1, "nand.cell", "one page in a word line",
                              "nand.cell = mlc, tlc or qlc, or several times in nand.timing.read");
    const bool whole = c.nand.geometry.pages % word_line == 0;
    const bool judged = c.nand.cell != hw::NandCell::by_times;  // with the array times
    refuse_with(whole || judged, "nand.geometry.pages",
                fmt::format("{} pages in a block", c.nand.geometry.pages),
                fmt::format("a multiple of {}, the pages of a word line", word_line));
    const bool fits = std::size_t{planes} * word_line <= hal::kMaxPagesPerOp;
    rules.require(fits, {kProgramming, "nand.geometry.planes", "firmware.allocation.order", "nand.cell"},
                  fmt::format("found {} pages that one operation programs, {} on each of {} planes; allowed: "
                              "at most {}; a firmware.allocation.order that does not begin with P programs "
                              "one plane at a time",
                              planes * word_line, word_line, planes, hal::kMaxPagesPerOp));
    refuse_with(c.nand.timing.program.size() == 1, "nand.timing.program",
                fmt::format("{} program times", c.nand.timing.program.size()),
                "one, that of a whole word line");
    refuse_with(!firmware.gc.copy_back, "firmware.gc.copy_back", "copy-back, which moves single pages",
                "firmware.gc.copy_back = false");
    layout = refuse_with(!firmware.by_block(), "firmware.translation",
                         "a block-mapped firmware.translation, which programs single pages", "page_map") &&
             layout;
    layout = refuse_with(!firmware.reliability.parity(), "firmware.reliability.parity_dies",
                         "parity over dies", "firmware.reliability.parity_dies = 0") &&
             layout;
    layout = refuse_with(!firmware.slc_cache.any(), "firmware.slc_cache.mode", "an SLC cache",
                         "firmware.slc_cache.mode = none") &&
             layout;
    refuse_with(!fw::saved_by_capacitor(firmware.dedup), "firmware.dedup.protection",
                "a capacitor, which programs single pages", "none or journal");
    if (!layout || !whole || !fits) {
        return false;
    }
    // Map area and recovery log program single pages, in SLC mode.
    const auto need_slc_times = [&](bool needs, std::string_view key, std::string_view what) {
        refuse_with(!needs || c.nand.slc.read > hal::Ps{0}, "nand.slc.read",
                    fmt::format("{} and no nand.slc.read", key),
                    fmt::format("tR of the part's SLC mode, in which {} programs single pages", what));
        refuse_with(!needs || c.nand.slc.program > hal::Ps{0}, "nand.slc.program",
                    fmt::format("{} and no nand.slc.program", key),
                    fmt::format("tPROG of the part's SLC mode, in which {} programs single pages", what));
    };
    need_slc_times(fw::map_area_size(firmware, 1).superblocks > 0, "firmware.map_cache.policy", "the map");
    need_slc_times(fw::recovery_log_size(firmware, 1).superblocks > 0, "firmware.trim.persist",
                   "the recovery log");
    return true;
}

}  // namespace solidtlm::platform
