// SPDX-License-Identifier: Apache-2.0
//
// How fast a load can be at most, from data sheets and from how many operations it takes. The numbers of
// operations a request (flash operations by cause, misses, lookups) are counted in the run; how long each
// takes is not.
//
//   link      1 / time of a request's frames
//   channels  channels / bus time of all its flash operations
//   dies      dies that work at a time / die time of all its flash operations
//   core      1 / cycles of the firmware's steps
//   map       operations on translation pages at a time / their time; DramMap::kMapJobs have a buffer
//   series    requests outstanding / time of a request that never waits: its misses one after another, then
//             its data, then the link
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "platform/configuration.h"
#include "testbench/results/result.h"

namespace solidtlm::testbench::contention {

enum class Resource : std::uint8_t { link, channels, dies, core, map, series };
constexpr std::size_t kResources = 6;
constexpr std::array<std::string_view, kResources> kResourceNames{"link", "channels", "dies",
                                                                  "core", "map",      "series"};

/// Of a mean request that completed. Times in microseconds.
struct Demand {
    double bytes = 0.0;
    double link_us = 0.0;
    double bus_us = 0.0;  ///< of all flash operations, whatever their cause
    double die_us = 0.0;  ///< the same
    double core_us = 0.0;
    double map_us = 0.0;       ///< die time of the operations on translation pages
    double miss_us = 0.0;      ///< of its misses, one after another, that it waits for
    double series_us = 0.0;    ///< of all of it, misses included, without waiting
    double dies_wanted = 1.0;  ///< at a time, by all requests outstanding; above all dies: no limit
    double map_jobs = 1.0;     ///< operations on translation pages at a time
};
/// REQUIRES: a result of `configuration` in a closed loop at `depth`.
[[nodiscard]] Demand demand_of(const platform::Configuration& configuration, const Json& result,
                               std::uint32_t depth);

struct Bounds {
    std::array<double, kResources> mb_per_s{};  ///< if the others were infinitely fast
    [[nodiscard]] Resource binding() const;
    [[nodiscard]] double least() const;
};
/// `dies` and `channels` of the device, `depth` requests outstanding.
[[nodiscard]] Bounds bounds_of(const Demand& demand, double channels, double dies, double depth);

}  // namespace solidtlm::testbench::contention
