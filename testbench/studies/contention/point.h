// SPDX-License-Identifier: Apache-2.0
//
// One point of a contention study: a device under a load, and what came out of it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "platform/configuration.h"
#include "testbench/run/simulation.h"
#include "testbench/studies/contention/load.h"

namespace solidtlm::testbench::contention {

/// Simulates; one call a process. Faults also when a read found nothing written, or when flash operations for
/// the map are not those that the cache counted: such a point measures something else.
[[nodiscard]] SimulationOutcome run_point(const platform::Configuration& configuration, const Load& load,
                                          std::uint32_t depth);

/// Where the time of a request goes. What it does itself, then, from miss_queue on, what its misses in the
/// map cache do meanwhile. Whoever holds a die or channel is another host operation (host), an operation on
/// a translation page (map), or anybody else, which is garbage collection mostly (gc).
enum class Part : std::uint8_t {
    link,
    core,
    queue,  ///< for the host, for overlapping commands, for the write buffer
    dram_ecc,
    channel_transfer,
    array,
    channel_wait_host,
    channel_wait_map,
    channel_wait_gc,
    die_wait_host,
    die_wait_map,
    die_wait_gc,
    miss_core,
    miss_queue,  ///< for the lock of a translation page, a buffer, room
    miss_dram_ecc,
    miss_channel_transfer,
    miss_array,
    miss_channel_wait_host,
    miss_channel_wait_map,
    miss_channel_wait_gc,
    miss_die_wait_host,
    miss_die_wait_map,
    miss_die_wait_gc,
};
constexpr std::size_t kParts = 23;
constexpr std::size_t kFirstMissPart = static_cast<std::size_t>(Part::miss_core);
constexpr std::array<std::string_view, kParts> kPartNames{"link",
                                                          "core",
                                                          "queue",
                                                          "dram_ecc",
                                                          "channel_transfer",
                                                          "array",
                                                          "channel_wait_host",
                                                          "channel_wait_map",
                                                          "channel_wait_gc",
                                                          "die_wait_host",
                                                          "die_wait_map",
                                                          "die_wait_gc",
                                                          "miss_core",
                                                          "miss_queue",
                                                          "miss_dram_ecc",
                                                          "miss_channel_transfer",
                                                          "miss_array",
                                                          "miss_channel_wait_host",
                                                          "miss_channel_wait_map",
                                                          "miss_channel_wait_gc",
                                                          "miss_die_wait_host",
                                                          "miss_die_wait_map",
                                                          "miss_die_wait_gc"};

using Shares = std::array<double, kParts>;  ///< of the mean latency, 0 to 1; together 1

/// Of some resources of a kind, fractions of the measured time.
struct Busy {
    double mean = 0.0;
    double most = 0.0;  ///< the busiest of them
    double host = 0.0;  ///< of `mean`: held by host operations
    double map = 0.0;
};

/// What a point is about, read from its result.
struct Measured {
    double mb_per_s = 0.0;
    double iops = 0.0;
    double mean_us = 0.0;
    double p99_us = 0.0;
    double hit_ratio = 1.0;
    Shares shares{};
    double link = 0.0;  ///< busy
    double core = 0.0;
    double dram = 0.0;
    Busy channels;
    Busy dies;

    [[nodiscard]] double share(Part part) const { return shares[static_cast<std::size_t>(part)]; }
    /// All parts of misses.
    [[nodiscard]] double miss_share() const;
    /// Waits for a channel or a die, those of misses included.
    [[nodiscard]] double channel_wait_share() const;
    [[nodiscard]] double die_wait_share() const;
};
/// REQUIRES: result as made by run_point().
[[nodiscard]] Measured measured_of(const Json& result);

}  // namespace solidtlm::testbench::contention
