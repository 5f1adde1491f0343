// SPDX-License-Identifier: Apache-2.0
//
// The sectors that the host has marked uncorrectable (WRITE UNCORRECTABLE EXT). They read as errors until
// they are written or trimmed, or power is lost (docs/reliability.md). After an unsuccessful command that may
// have removed a mark, the mark may or may not be there.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

class UncorrectableMarks {
  public:
    /// Where a read that is sent now may stop.
    struct Stops {
        std::vector<std::uint64_t> at;  ///< possible sectors, in ascending order; none: it does not stop
        /// it must stop, at the last of them at the latest; otherwise it may not stop at all
        bool certain = false;

        /// Whether the read may stop at `lba`, if flash itself does not fail.
        [[nodiscard]] bool allows(std::uint64_t lba) const;
    };

    void mark(hal::Lba lba, std::uint64_t sectors);
    /// A write or trim of these sectors was sent.
    void changing(hal::Lba lba, std::uint64_t sectors);
    /// The write or trim has succeeded.
    void cleared(hal::Lba lba, std::uint64_t sectors);
    void power_cut() { marks_.clear(); }

    [[nodiscard]] Stops stops(hal::Lba lba, std::uint64_t sectors) const;

  private:
    std::map<std::uint64_t, bool> marks_;  ///< by sector; true: the mark is certain
};

}  // namespace solidtlm::testbench
