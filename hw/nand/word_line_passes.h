// SPDX-License-Identifier: Apache-2.0
//
// Parts that program a word line in several passes: coarse, so that its neighbours disturb it before it is
// finished, then fine. Which passes the word lines of a die's blocks have had, and which may come next.
//
// The passes of a block form a staircase: pass p of word line n is followed by pass p + 1 of word line n - 1,
// and after the last pass by pass 0 of the next word line. With two passes: 0a 1a 0b 2a 1b 3a 2b ...; behind
// the last word line the further passes follow at once. Data are sent to the die with each pass.
// docs/architecture/flash.md says which of this is published.
//
// A loss of power ends the staircase of a block: what is between its passes cannot be finished, because what
// it should hold is gone. The next word line begins another one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/nand/word_lines.h"

namespace solidtlm::hw {

class WordLinePasses {
  public:
    explicit WordLinePasses(const NandConfig& config)
        : passes_(program_passes(config)),
          lines_(word_lines(config)),
          blocks_(passes_ > 1 ? std::size_t{config.geometry.planes} * config.geometry.blocks : 0U) {}

    /// A word line takes more than one.
    [[nodiscard]] bool several() const { return passes_ > 1; }
    [[nodiscard]] bool is_last(std::uint32_t pass) const { return pass + 1 == passes_; }
    /// May word line `line` of block `block` have this pass now? The one that begins a block, or goes on with
    /// it after a loss of power, may be any.
    [[nodiscard]] bool may_have(std::size_t block, std::uint32_t line, std::uint32_t pass) const {
        if (pass >= passes_) {
            return false;
        }
        const Staircase& stairs = blocks_[block];
        if (pass == 0 && stairs.done[0] == 0) {
            return true;
        }
        const std::uint32_t step = line - stairs.first + pass;
        bool its_turn = line == stairs.first + stairs.done[pass];
        if (pass > 0) {
            its_turn = its_turn && stairs.done[pass - 1] >= std::min(line + 2, lines_) - stairs.first;
        }
        for (std::uint32_t later = pass + 1; later < passes_; ++later) {
            its_turn = its_turn && stairs.done[later] + later >= step;
        }
        return its_turn;
    }
    /// It has had this pass. REQUIRES: may_have().
    void done(std::size_t block, std::uint32_t line, std::uint32_t pass) {
        Staircase& stairs = blocks_[block];
        if (stairs.done[0] == 0) {
            stairs.first = line;
        }
        ++stairs.done[pass];
    }
    /// Some of its passes are done, and not the last one.
    [[nodiscard]] bool between(std::size_t block, std::uint32_t line) const { return had(block, line) > 0; }
    /// How many passes it has had, if it is between them; otherwise 0.
    [[nodiscard]] std::uint32_t had(std::size_t block, std::uint32_t line) const {
        if (blocks_.empty() || line < blocks_[block].first) {
            return 0;
        }
        const Staircase& stairs = blocks_[block];
        std::uint32_t passes = 0;
        while (passes < passes_ && line < stairs.first + stairs.done[passes]) {
            ++passes;
        }
        return passes < passes_ ? passes : 0;
    }
    void erased(std::size_t block) {
        if (!blocks_.empty()) {
            blocks_[block] = {};
        }
    }
    /// Power was lost. Calls `tear(block, line)` for each word line between its passes.
    template <class Tear>
    void power_lost(const Tear& tear) {
        for (std::size_t block = 0; block < blocks_.size(); ++block) {
            const Staircase stairs = blocks_[block];
            for (std::uint32_t line = stairs.done[passes_ - 1]; line < stairs.done[0]; ++line) {
                tear(block, stairs.first + line);
            }
            blocks_[block] = {};
        }
    }

    template <class Archive>
    void serialize(Archive& archive) {
        for (Staircase& stairs : blocks_) {
            archive(stairs.first);
            for (std::uint32_t& done : stairs.done) {
                archive(done);
            }
        }
    }

  private:
    struct Staircase {
        std::uint32_t first = 0;                        ///< word line that it begins with
        std::array<std::uint32_t, kMostPasses> done{};  ///< by pass: word lines from `first` on that had it
    };

    std::uint32_t passes_;
    std::uint32_t lines_;
    std::vector<Staircase> blocks_;  ///< empty where a word line takes one pass
};

}  // namespace solidtlm::hw
