// SPDX-License-Identifier: Apache-2.0
//
// Channels x dies x striping order x size of the map cache: where requests lose their time, with host and map
// traffic told apart, and from where on more of something stops helping. docs/contention.md explains the
// results.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "testbench/host/request.h"
#include "testbench/precondition/preconditioning.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::contention {

/// What is sent: a workload, and how much of its beginning is not measured.
struct Load {
    /// As --workload reads it; how many requests it has does not matter. Large enough to load the bus, small
    /// and scattered enough to miss.
    std::string workload = "random,read=1,size=32k,align=32k";
    /// The drive is filled and a tenth of it written again, which leaves the translation pages on random
    /// dies. Two passes of reads verify all of it and leave nothing in the map cache that must be written
    /// back: after the first pass entries are in the order of their addresses, so that the second pass evicts
    /// each entry before it comes to it.
    Preconditioning precondition = parse_preconditioning("fill=1,random=0.1,size=32k,read=2");
    std::uint64_t warm_up = 2000;   ///< requests of the workload that are not measured
    std::uint64_t measured = 6000;  ///< requests that are
};

/// Throws InputError for a workload that does not fit the device.
[[nodiscard]] std::unique_ptr<RequestSource> workload_of(const Load& load,
                                                         const platform::Configuration& configuration);

// Upper bounds of a load's speed, from data sheets and from the number of operations that it takes. The run
// counts operations per request (flash operations by cause, misses, lookups); how long each takes is not
// measured.
//
//   link      1 / time of a request's frames
//   channels  channels / bus time of all its flash operations
//   dies      dies that work at a time / die time of all its flash operations
//   core      1 / cycles of the firmware's steps
//   map       operations on translation pages at a time / their time; DramMap::kMapJobs have a buffer
//   series    requests outstanding / time of a request that never waits: its misses one after another, then
//             its data, then the link

constexpr std::size_t kResources = 6;
constexpr std::array<std::string_view, kResources> kResourceNames{"link", "channels", "dies",
                                                                  "core", "map",      "series"};

/// What a mean completed request needs. Times in microseconds.
struct Demand {
    double bytes = 0.0;
    double link_us = 0.0;
    double bus_us = 0.0;  ///< of all flash operations, of any cause
    double die_us = 0.0;  ///< as above
    double core_us = 0.0;
    double map_us = 0.0;       ///< die time of the operations on translation pages
    double miss_us = 0.0;      ///< of its misses, one after another, that it waits for
    double series_us = 0.0;    ///< of the whole request, misses included, without waiting
    double dies_wanted = 1.0;  ///< at a time, by all requests outstanding; above all dies: no limit
    double map_jobs = 1.0;     ///< operations on translation pages at a time
};
/// `result`: of `configuration` in a closed loop at `depth`.
[[nodiscard]] Demand demand_of(const platform::Configuration& configuration, const Json& result,
                               std::uint32_t depth);

struct Bounds {
    std::array<double, kResources> mb_per_s{};  ///< if the others were infinitely fast
    [[nodiscard]] std::string_view binding() const;
    [[nodiscard]] double least() const;
};
/// `dies` and `channels` of the device, `depth` requests outstanding.
[[nodiscard]] Bounds bounds_of(const Demand& demand, double channels, double dies, double depth);

/// Where the time of a request goes: first what the request itself does, then, from miss_core on, what its
/// misses in the map cache do meanwhile. A die or channel is held by another host operation (host), by an
/// operation on a translation page (map), or by anything else, which is mostly garbage collection (gc). queue
/// is waiting for the host, for overlapping commands and for the write buffer; miss_queue for the lock of a
/// translation page, a buffer, room. A point has each as a share of the mean latency (0 to 1, together 1) in
/// "share_NAME".
constexpr std::array<std::string_view, 23> kParts{
    "link",
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
    "miss_die_wait_gc",
};
constexpr std::size_t kFirstFlashPart = 3;
constexpr std::size_t kFirstMissPart = 12;
/// Names of the shares of kParts[first] to kParts[last - 1].
[[nodiscard]] std::vector<std::string> shares(std::size_t first, std::size_t last = kParts.size());

/// How a point is simulated. Its drive does not depend on `depth`.
[[nodiscard]] RunSpec settings_of(const platform::Configuration& configuration, const Load& load,
                                  std::uint32_t depth);
/// Simulates; one call per process. Also a fault: a read that found nothing written, or flash operations for
/// the map that are not those that the cache counted. Such a point measures something else.
[[nodiscard]] SimulationOutcome run_point(const RunSpec& settings, const Load& load, DriveToRun& drive);
/// Point::derived without its bounds and answers, and what tables show in addition. `result`: as run_point()
/// made it.
void measure(const Json& result, Measured& point);
/// Sums of the shares of a point: of misses, and of waits for channels and dies, those of misses included.
void add_sums(Json& values);
/// The rest of Point::derived but the answers.
void add_bounds(const Demand& demand, const Bounds& bounds, Measured& point);

// What limits a point, told by what was measured, and from where on more channels or a larger cache gain
// little.

/// If this share of lookups hits, a larger cache has nothing to gain.
constexpr double kAllHit = 0.999;

/// What keeps a point from being faster: "link", "channels", "dies", "core", "dram", "one_channel" or
/// "one_die", which is full (one_: the busiest is, the mean is not); else what requests spend most of their
/// time on, which more of them at a time could make use of: "misses", "flash" (reading or programming data),
/// "host_link", "firmware", "queue".
[[nodiscard]] std::string limit_of(const Measured& point);
/// In words, with the numbers.
[[nodiscard]] std::string limit_text(const Measured& point);

/// Where, in a row of points ascending in one dimension, a further step is no longer worth it.
struct Knee {
    std::size_t at = 0;  ///< index of the first point from which no step gains 5 %
    double gain = 0.0;   ///< of the next step, a doubling: 0.03 is 3 %
    double rest = 0.0;   ///< of all steps that follow, together
};
/// None where the last step is worth it. `sizes[i]` belongs to `values[i]`; where a step is no doubling its
/// gain is taken as that of a doubling, (b / a)^(1 / log2 of the sizes). A size of 0 is one doubling beyond
/// the one before.
[[nodiscard]] std::optional<Knee> knee_of(std::span<const double> values, std::span<const double> sizes);

/// A line of an answer.
struct Answer {
    const Measured* point = nullptr;  ///< where it stops; the last one where it does not
    std::optional<Knee> knee;
};
/// For the points of a panel: for each cache size, the number of channels from which a doubling gains little
/// (`along` is "channels"), or for each number of channels the cache size ("cache_bytes"). None for a row of
/// one.
[[nodiscard]] std::vector<Answer> answers_of(const Selected& panel, const std::string& along);
/// Marks the points at which an answer lies.
void mark_answers(std::span<Measured> points);

/// A panel is everything of a point but channels and cache: one table, one set of figures each.
[[nodiscard]] std::vector<Selected> panels_of(Points points);

/// "whole map" stands for the whole map in DRAM among the sizes of the cache: larger than any.
constexpr const char* kWholeMap = "whole map";

/// Every combination of these is a point. Channels and caches ascend, kWholeMap last.
struct Sweep {
    std::vector<std::uint32_t> channels{1, 2, 4, 8, 16};
    std::vector<Json> caches;  ///< bytes, or kWholeMap
    std::vector<std::string> orders{"PCWD", "CWDP"};
    std::vector<std::uint32_t> dies{8};  ///< per channel
    std::vector<std::string> policies{"dftl", "tafp"};
    std::vector<std::uint32_t> depths{8, 32};  ///< requests outstanding
};

struct SweepPoint {
    std::string name;
    Json parameters;
    platform::Configuration configuration;
};
/// All points, panel by panel, in each by cache and then channels. Throws platform::ConfigurationError with
/// what is impossible about any of them, each mistake once.
[[nodiscard]] std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base);

/// For each panel: throughput over channels and caches with what limits it, and with `details` lines for each
/// point; then from where on more channels, and a larger cache, gain little, and why.
[[nodiscard]] std::string tables(Points points, bool details, const TextStyle& style);

/// For each panel: a heat map of throughput over channels and caches, and one of the misses' share of the
/// time; throughput over channels for each cache and over caches for each number of channels; the parts of
/// the time of a request, and of its misses, point by point.
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::contention
