// SPDX-License-Identifier: Apache-2.0
//
// A legal case from a seed. The case depends on the seed alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/torture/torture_case.h"

namespace solidtlm::testbench {

/// Cases of a kind. A seed has a case in each.
enum class Family : std::uint8_t {
    small,  ///< drives drawn from all keys, small enough to be quick
    real,   ///< presets at their real size with their own options, and nothing that watches
};
inline constexpr std::array<std::string_view, 2> kFamilyNames{"small", "real"};

struct DrawnCase {
    /// A combination that is drawn together, because it would seldom occur by chance.
    enum class Focus : std::uint8_t {
        none,
        shared_pages,
        long_transfers,
        lost_pages,
        slc_cache,
        word_lines,
        paired_pages
    };

    Family family = Family::small;
    TortureCase torture;
    Focus focus = Focus::none;
    std::uint32_t redrawn = 0;       ///< values that the configuration's checks refused
    std::uint32_t redrawn_load = 0;  ///< workloads that the drive is too small for
};

/// A case of the small family. `pinned`: settings ("key=value") that every case has. Throws
/// platform::ConfigurationError or InputError if these are no small legal drive on their own.
[[nodiscard]] DrawnCase draw_case(std::uint64_t seed, const std::string& preset,
                                  const std::vector<std::string>& pinned);
/// A case of the real family. `preset`: empty for any.
[[nodiscard]] DrawnCase draw_real_case(std::uint64_t seed, const std::string& preset);

}  // namespace solidtlm::testbench
