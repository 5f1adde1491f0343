// SPDX-License-Identifier: Apache-2.0
//
// Channels x dies x striping order x size of the map cache: where requests lose their time, with host and map
// traffic separated, and from which value on more of a resource stops helping. docs/contention.md explains
// the results.
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
#include "testbench/sim/age/preconditioning.h"
#include "testbench/sim/host/request.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::contention {

/// The load: a workload, and how much of its beginning is not measured.
struct Load {
    /// In the form of --workload; its number of requests is ignored. Requests are large enough to load the
    /// bus, and small and scattered enough to miss.
    std::string workload = "random,read=1,size=32k,align=32k";
    /// The drive is filled and a tenth of it is written again, which leaves the translation pages on random
    /// dies. Two passes of reads verify all data and leave no entry of the map cache that must be written
    /// back. After the first pass the entries are in address order, so the second pass evicts each entry
    /// before it reaches it.
    Preconditioning precondition = parse_preconditioning("fill=1,random=0.1,size=32k,read=2");
    std::uint64_t warm_up = 2000;   ///< requests of the workload before the measured ones
    std::uint64_t measured = 6000;  ///< measured requests
};

/// Throws InputError if the workload does not fit the device.
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
//   map       operations on translation pages at a time / their time; kMapJobs have a buffer
//   series    requests outstanding / time of a request that never waits: its misses one after another, then
//             its data, then the link

constexpr std::size_t kResources = 6;
constexpr std::array<std::string_view, kResources> kResourceNames{"link", "channels", "dies",
                                                                  "core", "map",      "series"};

/// Needs of an average completed request. Times are in microseconds.
struct Demand {
    double bytes = 0.0;
    double link_us = 0.0;
    double bus_us = 0.0;  ///< all flash operations, of any cause
    double die_us = 0.0;  ///< as for bus_us
    double core_us = 0.0;
    double map_us = 0.0;     ///< die time of operations on translation pages
    double miss_us = 0.0;    ///< consecutive misses that the request waits for
    double series_us = 0.0;  ///< the whole request, including misses, without waiting
    /// dies that all outstanding requests want at a time; above the number of dies: no limit
    double dies_wanted = 1.0;
    double map_jobs = 1.0;  ///< operations on translation pages at a time
};
/// `result`: that of `configuration` in a closed loop at `depth`.
[[nodiscard]] Demand demand_of(const platform::Configuration& configuration, const Json& result,
                               std::uint32_t depth);

struct Bounds {
    std::array<double, kResources> mb_per_s{};  ///< if the other resources were infinitely fast
    [[nodiscard]] std::string_view binding() const;
    [[nodiscard]] double least() const;
};
/// `dies` and `channels` of the device; `depth` requests outstanding.
[[nodiscard]] Bounds bounds_of(const Demand& demand, double channels, double dies, double depth);

/// The parts of a request's time: first those of the request itself; from miss_core on, those of its misses
/// in the map cache. A die or channel is held by another host operation (host), by an operation on a
/// translation page (map), or by anything else, mostly garbage collection (gc). queue is waiting for the
/// host, for overlapping commands and for the write buffer; miss_queue is waiting for the lock of a
/// translation page, for a buffer, or for room. A point has each part as a share of the mean latency (from 0
/// to 1; they add up to 1) in "share_NAME".
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
/// Simulates the point; one call per process. Also faults: a read that found no written data, and flash
/// operations for the map that differ from those that the cache counted. Such a point measures something
/// else.
[[nodiscard]] SimulationOutcome run_point(const RunSpec& settings, const Load& load, DriveToRun& drive);
/// Fills in Point::derived, except bounds and answers, and further values for the tables. `result`: that of
/// run_point().
void measure(const Json& result, Measured& point);
/// Adds sums of a point's shares: of misses, and of waits for channels and dies, including those of misses.
void add_sums(Json& values);
/// Fills in the rest of Point::derived, except the answers.
void add_bounds(const Demand& demand, const Bounds& bounds, Measured& point);

// The limit of a point according to its measurements, and the values from which more channels or a larger
// cache gain little.

/// If this share of lookups hits, a larger cache cannot help.
constexpr double kAllHit = 0.999;

/// The limit of a point. If a resource is full: "link", "channels", "dies", "core", "dram", "one_channel" or
/// "one_die" (one_: the busiest is full, but not the average). Otherwise, the step that takes most of a
/// request's time, which more requests at a time could use: "misses", "flash" (reading or programming data),
/// "host_link", "firmware", "queue".
[[nodiscard]] std::string limit_of(const Measured& point);
/// The limit as a text with numbers.
[[nodiscard]] std::string limit_text(const Measured& point);

/// The place in a row of points, ascending in one dimension, from which a further step is not worth it.
struct Knee {
    std::size_t at = 0;  ///< index of the first point after which no step gains 5 %
    double gain = 0.0;   ///< gain of the next step as a doubling: 0.03 is 3 %
    double rest = 0.0;   ///< gain of all following steps together
};
/// Nothing if the last step is still worth it. `sizes[i]` belongs to `values[i]`. The gain of a step other
/// than a doubling is converted to that of a doubling, (b / a)^(1 / log2 of the ratio of sizes). A size of 0
/// counts as one doubling after the previous size.
[[nodiscard]] std::optional<Knee> knee_of(std::span<const double> values, std::span<const double> sizes);

/// An answer for one row.
struct Answer {
    const Measured* point = nullptr;  ///< where gains stop; the last point if they do not
    std::optional<Knee> knee;
};
/// For each row of a panel: with `along` "channels", the number of channels after which a doubling gains
/// little, for each cache size; with "cache_bytes", the cache size, for each number of channels. Rows of one
/// point are skipped.
[[nodiscard]] std::vector<Answer> answers_of(const Selected& panel, const std::string& along);
/// Marks the points of answers.
void mark_answers(std::span<Measured> points);

/// The points of a panel differ only in channels and cache; each panel has a table and a set of figures.
[[nodiscard]] std::vector<Selected> panels_of(Points points);

/// As a cache size, "whole map" means that the whole map is in DRAM; it is larger than any other size.
constexpr const char* kWholeMap = "whole map";

/// Every combination of these values is a point. Channels and caches ascend, with kWholeMap last.
struct Sweep {
    std::vector<std::uint32_t> channels{1, 2, 4, 8, 16};
    std::vector<Json> caches;  ///< bytes, or kWholeMap
    std::vector<std::string> orders{"PCWD", "CWDP"};
    std::vector<std::uint32_t> dies{8};  ///< dies per channel
    std::vector<std::string> policies{"dftl", "tafp"};
    std::vector<std::uint32_t> depths{8, 32};  ///< requests outstanding
};

struct SweepPoint {
    std::string name;
    Json parameters;
    platform::Configuration configuration;
};
/// All points, panel by panel, ordered by cache and then by channels. Throws platform::ConfigurationError
/// with all impossible combinations, each mistake once.
[[nodiscard]] std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base);

/// For each panel: throughput and limit over channels and caches, and with `details` a line per point; then
/// the values from which more channels, or a larger cache, gain little, and why.
[[nodiscard]] std::string tables(Points points, bool details, const TextStyle& style);

/// For each panel: heat maps over channels and caches of throughput and of the misses' share of the time;
/// throughput over channels per cache, and over caches per number of channels; the parts of the time of a
/// request and of its misses, point by point.
[[nodiscard]] std::vector<Figure> figures_of(Points points);

}  // namespace solidtlm::testbench::contention
