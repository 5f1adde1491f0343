// SPDX-License-Identifier: Apache-2.0
//
// Which part of a mapping table that does not fit into DRAM should be loaded on a miss: cache policies x
// sizes x workloads, beside the values of Lee et al. 2013. docs/map-cache-study.md explains the results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/studies/kit/study.h"
#include "testbench/studies/load_properties.h"

namespace solidtlm::testbench::map_cache {

constexpr double kPercent = 100.0;

// Loads: the reads and writes of a workload or a trace, read once and kept.

/// Trims and flushes are left out, because the study does not have them.
struct Access {
    Lba lba;
    std::uint32_t sectors = 0;
    bool write = false;
};

struct Load {
    std::string name;  ///< unique within a sweep
    std::vector<Access> accesses;
    LoadProperties properties;
    std::uint64_t page_requests = 0;  ///< number of mapping units touched
};

/// What to read: a workload in the form of --workload, or the path of a trace.
struct LoadSpec {
    std::string text;
    bool trace = false;
};

/// Reads the loads in the given order. Throws InputError.
[[nodiscard]] std::vector<Load> read_loads(const std::vector<LoadSpec>& specs, const RunSpec& run);

// Caches: policies by the study's names for them, in several sizes.

/// Every policy, in the order of docs/map-cache.md; for tafp, the windows of the study.
[[nodiscard]] const std::vector<std::string>& policy_names();
/// Settings for one of these, or for "tafp_N" with any N; the configuration's checks decide whether N is
/// possible. Nothing: unknown name.
[[nodiscard]] std::optional<std::vector<std::string>> settings_of(const std::string& policy);
/// Whether the policy's window never changes: the study compares these policies with its own.
[[nodiscard]] bool fixed_window(const std::string& policy);

struct Cache {
    std::string policy;
    std::uint64_t size_bytes = 0;
    platform::Configuration configuration;
};
/// All given policies in all sizes, ordered by policy and then by size. Throws platform::ConfigurationError
/// with all impossible combinations, each mistake once.
[[nodiscard]] std::vector<Cache> caches_of(const std::vector<std::string>& policies,
                                           const std::vector<std::uint64_t>& sizes,
                                           const platform::Configuration& base);

// Points: one cache on one load.

/// Number of equal parts of a load, for values that change over time.
constexpr std::size_t kIntervals = 10;

/// The policy and its counters alone. The result has `map_cache`, whose measured penalty is null. With bsb
/// it notes `windows_over_time`: for each length in `map_cache.windows` how often it was chosen in each part.
[[nodiscard]] SimulationOutcome run_untimed(const platform::Configuration& configuration, const Load& load);

/// Runs the whole drive with `depth` commands outstanding. First, every page that the load touches is written
/// in ascending order and flushed, so that every translation page it needs is on flash; the result begins
/// after that. One call per process.
[[nodiscard]] SimulationOutcome run_timed(const platform::Configuration& configuration, const Load& load,
                                          std::uint32_t depth);

/// Point::derived, and in addition the parts rm, pf and rf of each penalty ("entries_rm", "bus_pf", ...), and
/// `windows` of bsb, shortest first, with `over_time` of each, which is taken out of the result.
void measure(const Json& result, Measured& point);

// What the study prints: table 2 (the workloads) and table 3 (by how much bsb reduces the mean penalty).

/// The study's description of a workload in figure 2.
enum class Locality : std::uint8_t { short_forward, long_forward, both_ways };

/// A row of table 2; GB and KB are powers of 1024 (docs/workloads.md).
struct PublishedLoad {
    std::string_view name;  ///< name of the workload in this project
    /// its name in table 3; both TPC-C traces of table 2 are compared with "TPC-C 3"
    std::string_view trace;
    Locality locality;
    double range_gib;
    double unique_gib;
    bool unique_by_translation_page;  ///< how the model interprets that column, see docs/workloads.md
    double requests;
    double page_requests;
    double read_percent;
    double mean_kib;
};
constexpr std::array<PublishedLoad, 4> kPublishedLoads{
    {{"pc", "PC 2", Locality::short_forward, 778.2, 11.7, true, 253'773, 1'537'515, 67.8, 21},
     {"tpcc_a", "TPC-C 3", Locality::long_forward, 32.0, 2.6, false, 271'707, 3'094'854, 7.9, 46},
     {"tpcc_b", "TPC-C 3", Locality::long_forward, 32.0, 2.6, false, 292'948, 2'677'233, 12, 37},
     {"financial", "Financial 1", Locality::both_ways, 3.7, 0.5, false, 5'334'946, 9'156'818, 0, 3}}};
/// The row of a workload; null if the study does not have it.
[[nodiscard]] const PublishedLoad* published(const std::string& load);

/// Reductions of the mean penalty by bsb, percent; negative if bsb costs more.
struct PublishedReduction {
    std::string_view trace;
    std::uint64_t size_bytes;
    double against_half;
    double against_full;
};
constexpr std::array<PublishedReduction, 9> kPublishedReductions{{{"PC 2", 16 * hal::kKiB, 15, 11},
                                                                  {"TPC-C 3", 16 * hal::kKiB, 19, 11},
                                                                  {"Financial 1", 16 * hal::kKiB, 70, 69},
                                                                  {"PC 2", 32 * hal::kKiB, 3, -13},
                                                                  {"TPC-C 3", 32 * hal::kKiB, -2, -6},
                                                                  {"Financial 1", 32 * hal::kKiB, 66, 69},
                                                                  {"PC 2", 64 * hal::kKiB, 5, -24},
                                                                  {"TPC-C 3", 64 * hal::kKiB, -40, -8},
                                                                  {"Financial 1", 64 * hal::kKiB, 41, 63}}};

// Claims B1 to B6, judged by rules that are fixed beforehand (docs/map-cache-study.md). All penalties are
// those of the study: the closed form with the bytes of the entries.

/// By how much bsb reduces the mean penalty against `policy`, percent. Nothing if one of the two was not run,
/// or if `policy` has no penalty.
[[nodiscard]] std::optional<double> reduction(Points points, const std::string& load,
                                              std::uint64_t size_bytes, const std::string& policy);

/// The rows of table 3 that were run: reductions `published` and `measured` by `workload`, `policy` and
/// `cache_bytes`; `against` names the first two.
[[nodiscard]] std::vector<Measured> table_three(Points points);
constexpr double kNear = 10.0;  ///< percentage points
constexpr double kEven = 5.0;   ///< a smaller reduction counts as none
[[nodiscard]] bool near(double published, double measured);
/// Whether both values say that bsb is better, or worse, or that there is hardly a difference.
[[nodiscard]] bool same_direction(double published, double measured);

/// The properties in claim B6, as in docs/workloads.md. Fractions of the page requests with a nonzero
/// distance.
struct Shape {
    bool zero_is_most_frequent = false;
    double negative = 0.0;
    double near_ahead = 0.0;  ///< distances +1 ... +63
    double far_ahead = 0.0;   ///< distances of +64 and more
    double least_quarter_ahead = 0.0;
    double top_fifth = 0.0;  ///< share of the page requests that go to the most used fifth of the pages

    [[nodiscard]] bool is(Locality locality) const;
};
[[nodiscard]] Shape shape_of(const LoadProperties& properties);

/// The claims among B1 to B6 that the runs can judge. `cut`: the workloads were not run to their end.
[[nodiscard]] std::vector<Claim> claims_of(Points points, std::span<const Load> loads, bool cut);

// What is shown.

/// For each load: hit ratio and mean penalties, policy by size. `details`: also the parts of the penalties.
[[nodiscard]] std::string cache_tables(Points points, bool details, const TextStyle& style);
/// table_three() beside the study's values; empty if there is nothing to compare.
[[nodiscard]] std::string reduction_table(const std::vector<Measured>& table, const TextStyle& style);

/// For each load, figures 2 (SLE), 3 and 5 (hit ratio), 4 and 6 (mean penalty), and the windows that bsb
/// chose. `whole`: entries of a translation page.
[[nodiscard]] std::vector<Figure> figures_of(Points points, std::span<const Load> loads, std::uint32_t whole);

}  // namespace solidtlm::testbench::map_cache
