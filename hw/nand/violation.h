// SPDX-License-Identifier: Apache-2.0
//
// Breaches of the NAND's rules: bugs of firmware, counted and named, never silent.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include "fw/hal/types.h"

namespace solidtlm::hw {

enum class Violation : std::uint8_t {
    bad_address,      ///< no such die, plane, block or page
    bad_request,      ///< planes, pieces or spare area of the operation make no sense
    not_erased,       ///< program of a page that was programmed since the last erase
    page_order,       ///< program of a page below one already programmed in its block
    plane_conflict,   ///< multi-plane addresses: a plane twice, or pages (blocks) that differ
    copy_back_plane,  ///< copy-back source in another plane
    die_busy,         ///< command to a die that is not ready for it
    word_line,        ///< program of some pages of a word line that is programmed at once
};
constexpr std::size_t kViolations = 8;
constexpr std::array<std::string_view, kViolations> kViolationNames{
    "bad_address",    "bad_request",     "not_erased", "page_order",
    "plane_conflict", "copy_back_plane", "die_busy",   "word_line"};

/// Counts breaches by kind and keeps the first one's description.
class ViolationLog {
  public:
    void report(Violation kind, const hal::FlashAddress& at, std::string_view what) {
        if (total() == 0) {
            first_ = std::string(kViolationNames[static_cast<std::size_t>(kind)]) + " at channel " +
                     std::to_string(at.channel.value) + " die " + std::to_string(at.die.value) + " plane " +
                     std::to_string(at.plane.value) + " block " + std::to_string(at.block.value) + " page " +
                     std::to_string(at.page.value) + ": " + std::string(what);
        }
        ++counts_[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] std::uint64_t count(Violation kind) const {
        return counts_[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] std::uint64_t total() const {
        return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    }
    /// Empty when there was none.
    [[nodiscard]] const std::string& first() const { return first_; }

  private:
    std::array<std::uint64_t, kViolations> counts_{};
    std::string first_;
};

}  // namespace solidtlm::hw
