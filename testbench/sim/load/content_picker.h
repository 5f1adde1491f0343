// SPDX-License-Identifier: Apache-2.0
//
// Draws the contents of writes: content identities of 4 KiB blocks; new ones are 1, 2, 3, ... in order of
// appearance.
//
// A duplicate is a copy of a block that another place holds at that moment, so it counts as a duplicate both
// among contents ever written and among contents still present. The copied block is the one that was written
// d blocks ago, with d drawn in proportion to d^-recency; the run continues with the blocks written after it.
// A block that has been overwritten since, or that the request itself covers, is drawn again.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "testbench/sim/host/request.h"
#include "testbench/sim/load/duplicate_share.h"
#include "testbench/sim/load/random.h"
#include "testbench/sim/load/workload.h"

namespace solidtlm::testbench {

class ContentPicker {
  public:
    /// Uses random numbers of its own, so the requests do not depend on their contents.
    ContentPicker(const ContentConfig& config, std::uint64_t seed);

    /// REQUIRES: a write of whole blocks at a multiple of 4 KiB.
    void write(Request& request);
    /// Blocks that lie wholly in the trimmed ranges are not repeated any more.
    void trim(const Request& request);

  private:
    struct Block {
        std::uint64_t page = 0;
        std::uint64_t content = 0;
    };
    /// The pages of a request.
    struct Pages {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
    };

    [[nodiscard]] std::uint64_t draw(const Pages& covered);
    [[nodiscard]] std::optional<std::uint64_t> draw_duplicate(const Pages& covered);
    [[nodiscard]] bool usable(std::uint64_t number, const Pages& covered) const;
    [[nodiscard]] const Block& block(std::uint64_t number) const { return history_[number % kHistory]; }
    void keep(const Block& written);

    static constexpr std::uint64_t kHistory = std::uint64_t{1} << 18;  ///< number of blocks: 1 GiB

    ContentConfig config_;
    Random random_;
    DuplicateShare share_;
    std::vector<Block> history_;  ///< the last written blocks, by number
    std::uint64_t written_ = 0;   ///< number of the next block
    std::uint64_t source_ = 0;    ///< number of the block that the run repeats next
    bool in_run_ = false;
    std::uint64_t next_identity_ = 1;
    std::unordered_map<std::uint64_t, std::uint64_t> contents_;  ///< by page
};

}  // namespace solidtlm::testbench
