// SPDX-License-Identifier: Apache-2.0
//
// Draws a legal case. The case depends on the seed alone.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/torture/torture_case.h"

namespace solidtlm::testbench {

/// Families of cases. A seed has one case in each.
enum class Family : std::uint8_t {
    small,  ///< drives drawn from all keys, small enough to be quick
    real,   ///< presets at their real size with their own options, without observers
};
inline constexpr std::array<std::string_view, 2> kFamilyNames{"small", "real"};

struct DrawnCase {
    /// A rare combination of settings that is drawn together, because it would seldom occur by chance.
    enum class Focus : std::uint8_t {
        none,
        shared_pages,
        long_transfers,
        lost_pages,
        recovery_log,
        slc_cache,
        word_lines,
        paired_pages,
        hot_data,
        merged_blocks
    };

    Family family = Family::small;
    TortureCase torture;
    Focus focus = Focus::none;
    /// Whose values were drawn, in the small family and without those of a focus. Some keep their default
    /// because every value was refused.
    std::set<std::string_view> keys;
    bool full = false;          ///< it exports as much as it may, so there is no room for power cuts
    std::uint32_t redrawn = 0;  ///< values that the configuration's checks refused and that were drawn again
    std::uint32_t redrawn_load = 0;  ///< workloads that did not fit on the drive and were drawn again
};

/// A case of the small family. `pinned`: settings ("key=value") that every case has; `undrawn`: a key, not of
/// the capacity, that is not drawn, or empty. Throws platform::ConfigurationError or InputError if they alone
/// do not make a small, legal drive.
[[nodiscard]] DrawnCase draw_case(std::uint64_t seed, const std::string& preset,
                                  const std::vector<std::string>& pinned, std::string_view undrawn = {});
/// A case of the real family. `preset`: empty for any.
[[nodiscard]] DrawnCase draw_real_case(std::uint64_t seed, const std::string& preset);

}  // namespace solidtlm::testbench
