// SPDX-License-Identifier: Apache-2.0
//
// The published claims of study D beside what was measured (docs/trim.md says how each verdict is reached).
#pragma once

#include <span>
#include <vector>

#include "testbench/studies/parts/measured.h"

namespace solidtlm::testbench::trim {

/// Claims that nothing was measured for are left out.
[[nodiscard]] std::vector<Claim> claims_of(std::span<const Measured> points);

constexpr std::uint64_t kStudyRangeBytes = 16384;  ///< of the commands with 1 to 64 ranges
constexpr std::uint32_t kStudyRanges = 64;

/// The ranges part of D5: the same 64 ranges in 64 commands and in one.
struct Batching {
    const Measured* single = nullptr;
    const Measured* batched = nullptr;
    /// Of the time of 64 commands, what one saves; 0 to 1.
    [[nodiscard]] double saved() const {
        return 1.0 - batched->value("command_us") / (kStudyRanges * single->value("command_us"));
    }
};
/// Scattered, aligned ranges of the page map of each drive that has both points.
[[nodiscard]] std::vector<Batching> batchings(std::span<const Measured> points);

}  // namespace solidtlm::testbench::trim
