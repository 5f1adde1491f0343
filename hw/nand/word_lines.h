// SPDX-License-Identifier: Apache-2.0
//
// The pages that share the cells of a word line: the type of a page (0 for the lower page of MLC and TLC,
// then middle, upper, top), and which pages belong together. Page numbers are the order in which a block is
// programmed.
//
// MLC: the lower page of the next word line comes before the upper page, so that a cell is finished when its
// neighbour has most of its charge. Lower pages are 0, 1, 3, 5, 7, ..., upper pages 2, 4, 6, ... and the last
// page of the block (parts of 20 nm and below; pairing "dist3" of the Linux kernel, nand_base.c in
// drivers/mtd/nand/raw). Other parts shift pages by two and use word lines at both ends of a block as SLC
// (L95B in FEMU, nand.h). TLC, QLC, and every part that programs a word line at once: the pages of a word
// line follow each other.
#pragma once

#include <algorithm>
#include <optional>

#include "hw/nand/config.h"

namespace solidtlm::hw {

[[nodiscard]] inline std::uint32_t pages_per_word_line(const NandConfig& config) {
    return config.cell == NandCell::by_times
               ? static_cast<std::uint32_t>(
                     std::max(config.timing.read.size(), config.programming == NandProgramming::page
                                                             ? config.timing.program.size()
                                                             : std::size_t{1}))
               : static_cast<std::uint32_t>(config.cell);
}

/// Word lines of a block, which is the number of its pages in SLC mode.
[[nodiscard]] inline std::uint32_t word_lines(const NandConfig& config) {
    return config.geometry.pages / pages_per_word_line(config);
}

/// One program of the array programs all pages of a word line.
[[nodiscard]] inline bool programs_word_lines(const NandConfig& config) {
    return config.programming != NandProgramming::page;
}

/// Do the pages of a word line follow each other in the order of programming?
[[nodiscard]] inline bool word_lines_in_order(const NandConfig& config) {
    return config.cell != NandCell::mlc || programs_word_lines(config);
}

/// Pages of a plane that one program of the array programs.
[[nodiscard]] inline std::uint32_t pages_per_program(const NandConfig& config) {
    return programs_word_lines(config) ? pages_per_word_line(config) : 1;
}

class WordLines {
  public:
    explicit WordLines(const NandConfig& config)
        : types_(pages_per_word_line(config)),
          shifted_(!word_lines_in_order(config)),
          last_(config.geometry.pages - 1) {}

    [[nodiscard]] std::uint32_t type_of(hal::Page page) const {
        if (!shifted_) {
            return page.value % types_;
        }
        const bool even = page.value % 2 == 0;
        return (even && page.value != 0) || page.value == last_ ? 1 : 0;
    }
    /// The page of the same word line with the next lower type; none for the lower page.
    [[nodiscard]] std::optional<hal::Page> below(hal::Page page) const {
        if (type_of(page) == 0) {
            return std::nullopt;
        }
        if (!shifted_) {
            return hal::Page{page.value - 1};
        }
        constexpr std::uint32_t kShift = 3;  // one less for the first and the last word line
        const std::uint32_t shift = page.value == 2 || page.value == last_ ? kShift - 1 : kShift;
        return hal::Page{page.value - std::min(shift, page.value)};
    }
    /// The page's entry of `times`, which has one entry for all pages or one per type.
    [[nodiscard]] Ps time_of(hal::Page page, const std::vector<Ps>& times) const {
        return times.size() == 1 ? times.front() : times[type_of(page)];
    }

  private:
    std::uint32_t types_;
    bool shifted_;
    std::uint32_t last_;
};

}  // namespace solidtlm::hw
