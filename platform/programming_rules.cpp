// SPDX-License-Identifier: Apache-2.0
//
// What works with word lines that are written as a whole: at once (nand.programming = one_shot), or page by
// page (firmware.word_lines.protect = pad). And with those whose lower pages are copied (backup).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "fw/flash/needs.h"
#include "fw/needs.h"
#include "hw/nand/word_lines.h"
#include "platform/configuration_keys.h"
#include "platform/configuration_rules.h"

namespace solidtlm::platform {

bool check_programming(const Configuration& c, Rules& rules) {
    const fw::FirmwareConfig& firmware = c.firmware;
    const bool at_once = hw::programs_word_lines(c.nand);
    const bool pads = firmware.pads_word_lines();
    const bool backs_up = firmware.backs_up_word_lines();
    const bool protects = pads || backs_up;
    if (!at_once && !protects) {
        return true;
    }
    const std::string_view programming = protects ? "firmware.word_lines.protect" : "nand.programming";
    const std::string value = find_key(programming)->get(c);
    const auto refuse_with = [&](bool fits, std::string_view key, std::string_view found,
                                 std::string_view allowed) {
        rules.require(
            fits, {programming, key},
            fmt::format("found {} = \"{}\" with {}; allowed: {}", programming, value, found, allowed));
        return fits;
    };
    refuse_with(!at_once || !protects, "nand.programming", "word lines that are programmed at once",
                "nand.programming = page; no power cut destroys earlier pages of such word lines");
    const std::uint32_t word_line = hw::pages_per_word_line(c.nand);
    const std::uint32_t planes =
        fw::planes_per_parallel_unit(firmware.allocation.order, firmware.flash.planes);
    bool layout = refuse_with(word_line > 1, "nand.cell", "one page in a word line",
                              pads ? "nand.cell = tlc or qlc, or several times in nand.timing.read"
                                   : "nand.cell = mlc, tlc or qlc, or several times in nand.timing.read");
    refuse_with(!pads || hw::word_lines_in_order(c.nand) || at_once, "nand.cell",
                "word lines whose pages do not follow each other (mlc)",
                "nand.cell = tlc or qlc, or by_times with several times in nand.timing.read; or "
                "firmware.word_lines.protect = backup or capacitor");
    const bool whole = c.nand.geometry.pages % word_line == 0;
    const bool judged = c.nand.cell != hw::NandCell::by_times;  // it is checked with the array times
    refuse_with(whole || judged, "nand.geometry.pages",
                fmt::format("{} pages in a block", c.nand.geometry.pages),
                fmt::format("a multiple of {}, the pages of a word line", word_line));
    constexpr std::uint32_t kLines = fw::kFewestWordLinesWithCopies;
    refuse_with(!backs_up || word_line == 1 || c.nand.geometry.pages >= kLines * word_line,
                "nand.geometry.pages", fmt::format("{} pages in a block", c.nand.geometry.pages),
                fmt::format("at least {}, the pages of {} word lines; a cut while the only one is written "
                            "leaves a block as an interrupted erase does, after which no copy counts",
                            kLines * word_line, kLines));
    const bool fits = backs_up || std::size_t{planes} * word_line <= hal::kMaxPagesPerOp;
    rules.require(fits, {programming, "nand.geometry.planes", "firmware.allocation.order", "nand.cell"},
                  fmt::format("found {} pages that one operation programs, {} on each of {} planes; allowed: "
                              "at most {}; a firmware.allocation.order that does not begin with P programs "
                              "one plane at a time",
                              planes * word_line, word_line, planes, hal::kMaxPagesPerOp));
    refuse_with(!at_once || c.nand.timing.program.size() == 1, "nand.timing.program",
                fmt::format("{} program times", c.nand.timing.program.size()),
                "one, that of a whole word line");
    refuse_with(!firmware.gc.copy_back, "firmware.gc.copy_back",
                "copy-back, which moves single pages through the page register",
                "firmware.gc.copy_back = false");
    refuse_with(!firmware.slc_cache.any() || !firmware.slc_cache.copy_back, "firmware.slc_cache.copy_back",
                "folding inside the die, which moves single pages through the page register",
                "firmware.slc_cache.copy_back = false");
    layout = refuse_with(!firmware.by_block(), "firmware.translation",
                         "a block-mapped firmware.translation, which programs single pages", "page_map") &&
             layout;
    layout = refuse_with(!firmware.reliability.parity() || at_once, "firmware.reliability.parity_dies",
                         "parity over dies, which are programmed one page at a time",
                         "firmware.reliability.parity_dies = 0, or nand.programming = one_shot") &&
             layout;
    refuse_with(!firmware.dedup.saved_by_capacitor(), "firmware.dedup.protection",
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
    for (const fw::FlashArea* area : fw::flash_areas()) {
        need_slc_times(area->superblocks(firmware, 1) > 0, area->keys.front(), area->what);
    }
    return true;
}

}  // namespace solidtlm::platform
