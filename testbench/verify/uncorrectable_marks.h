// SPDX-License-Identifier: Apache-2.0
//
// What the host knows of the sectors that it has made uncorrectable (WRITE UNCORRECTABLE EXT): they say so
// until they are written or trimmed, or power is lost (docs/reliability.md). A mark that a command which has
// not ended well may have taken away may be there or not.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

class UncorrectableMarks {
  public:
    /// Where a read that is sent now stops.
    struct Stops {
        std::vector<std::uint64_t> at;  ///< one of these sectors, in ascending order; none: nowhere
        bool certain = false;           ///< at the last one at the latest; otherwise it may not stop at all

        /// Of a drive whose flash does not fail.
        [[nodiscard]] bool allows(std::uint64_t lba) const;
    };

    void mark(hal::Lba lba, std::uint64_t sectors);
    /// A write or trim of them was sent.
    void changing(hal::Lba lba, std::uint64_t sectors);
    /// It has ended well.
    void cleared(hal::Lba lba, std::uint64_t sectors);
    void power_cut() { marks_.clear(); }

    [[nodiscard]] Stops stops(hal::Lba lba, std::uint64_t sectors) const;

  private:
    std::map<std::uint64_t, bool> marks_;  ///< by sector; certain
};

}  // namespace solidtlm::testbench
