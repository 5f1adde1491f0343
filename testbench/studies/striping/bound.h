// SPDX-License-Identifier: Apache-2.0
//
// How fast a stream can be at most, from data sheets alone: min(link, channels x bus rate, dies x die rate),
// and DRAM and core, which seldom bind.
//
// A die holds one operation from its first command cycle to its last data or status cycle, because the page
// register is in use all that time: its rate is a superpage over command + array + data cycles.
//
// Requests reach only so many dies at a time. Of sequential requests those outstanding lie side by side; of
// random reads several may want the same die. That is counted in dies, see reached().
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "testbench/studies/parts/flash_cost.h"
#include "testbench/studies/striping/stream.h"

namespace solidtlm::testbench::striping {

enum class Resource : std::uint8_t { link, channels, dies, dram, core };
constexpr std::size_t kResources = 5;
constexpr std::array<std::string_view, kResources> kResourceNames{"link", "channels", "dies", "dram", "core"};

/// The flash operations of a stream.
struct StreamCost : FlashCost {
    double operations = 0.0;  ///< a request; less than 1 where several requests share a superpage
};
[[nodiscard]] StreamCost flash_cost(const platform::Configuration& configuration, const Stream& stream);

/// Dies and channels that work at a time when flash is what bounds a stream.
struct Reached {
    double dies = 0.0;
    double channels = 0.0;
};

/// As Reached, for a stream that moves along the stripe: at each place of the stripe it reaches so many, in a
/// share of the time, and passes all places equally often.
struct Window {
    std::vector<Reached> fewer;  ///< by place
    std::vector<Reached> more;   ///< one parallel unit more
    double share_of_more = 0.0;
};
[[nodiscard]] Window reached(const platform::Configuration& configuration, const Stream& stream);

struct Bounds {
    std::array<double, kResources> mb_per_s{};  ///< if the others were infinitely fast
    double least = 0.0;                         ///< MB/s: the least of them at every place, in the mean
    [[nodiscard]] Resource binding() const;
    /// How much faster than the flash the link fills a write buffer, of the link's rate.
    [[nodiscard]] double fill_share() const {
        return 1.0 - least / mb_per_s[static_cast<std::size_t>(Resource::link)];
    }
};
[[nodiscard]] Bounds bounds_of(const platform::Configuration& configuration, const Stream& stream);

}  // namespace solidtlm::testbench::striping
