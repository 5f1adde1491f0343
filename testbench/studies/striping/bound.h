// SPDX-License-Identifier: Apache-2.0
//
// How fast a stream can be at most, from data sheets alone: min(link, channels x bus rate, dies x die rate),
// and DRAM and core, which seldom bind.
//
// A die holds one operation from its first command cycle to its last data or status cycle, because the page
// register is in use all that time: its rate is a superpage over command + array + data cycles.
//
// Requests reach only so many dies at a time. Of sequential requests those outstanding lie side by side; of
// random reads several may want the same die. What that costs is counted in dies, see dies_reached().
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "platform/configuration.h"
#include "testbench/studies/striping/stream.h"

namespace solidtlm::testbench::striping {

enum class Resource : std::uint8_t { link, channels, dies, dram, core };
constexpr std::size_t kResources = 5;
constexpr std::array<std::string_view, kResources> kResourceNames{"link", "channels", "dies", "dram", "core"};

/// What one flash operation of a stream takes, microseconds.
struct FlashCost {
    double operations = 0.0;  ///< a request; less than 1 where several requests share a superpage
    double bus_us = 0.0;      ///< channel held
    double die_us = 0.0;      ///< die held, its bus phases included
};
[[nodiscard]] FlashCost flash_cost(const platform::Configuration& configuration, const Stream& stream);

/// Time of a request's frames on the link, microseconds.
[[nodiscard]] double link_us(const platform::Configuration& configuration, const Stream& stream);

/// Mean numbers of dies and channels that work at a time when the stream is bound by flash.
struct Reached {
    double dies = 0.0;
    double channels = 0.0;
};
[[nodiscard]] Reached reached(const platform::Configuration& configuration, const Stream& stream);

/// Busy dies of `dies` when `requests` are outstanding, each wants a random die, and all take the same time
/// (Baskett and Smith 1976, memory interference).
[[nodiscard]] double busy_dies(double requests, double dies);

struct Bounds {
    std::array<double, kResources> mb_per_s{};
    Reached reached;

    [[nodiscard]] Resource binding() const;
    [[nodiscard]] double least() const { return mb_per_s[static_cast<std::size_t>(binding())]; }
};
[[nodiscard]] Bounds bounds_of(const platform::Configuration& configuration, const Stream& stream);

}  // namespace solidtlm::testbench::striping
