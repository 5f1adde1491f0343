// SPDX-License-Identifier: Apache-2.0
//
// What Lee et al. 2013 print: table 2 (the workloads) and table 3 (by how much bsb reduces the mean penalty).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "fw/hal/types.h"

namespace solidtlm::testbench::map_cache {

/// How figure 2 is described for a workload.
enum class Locality : std::uint8_t { short_forward, long_forward, both_ways };

/// A row of table 2; GB and KB are powers of 1024 (docs/workloads.md).
struct PublishedLoad {
    std::string_view name;   ///< of the workload here
    std::string_view trace;  ///< its name in table 3; both TPC-C traces of table 2 are held against "TPC-C 3"
    Locality locality;
    double range_gib;
    double unique_gib;
    bool unique_by_translation_page;  ///< how the model takes that column, docs/workloads.md
    double requests;
    double page_requests;
    double read_percent;
    double mean_kib;
};

[[nodiscard]] inline std::span<const PublishedLoad> published_loads() {
    static constexpr std::array kLoads{
        PublishedLoad{"pc", "PC 2", Locality::short_forward, 778.2, 11.7, true, 253'773, 1'537'515, 67.8, 21},
        PublishedLoad{"tpcc_a", "TPC-C 3", Locality::long_forward, 32.0, 2.6, false, 271'707, 3'094'854, 7.9,
                      46},
        PublishedLoad{"tpcc_b", "TPC-C 3", Locality::long_forward, 32.0, 2.6, false, 292'948, 2'677'233, 12,
                      37},
        PublishedLoad{"financial", "Financial 1", Locality::both_ways, 3.7, 0.5, false, 5'334'946, 9'156'818,
                      0, 3}};
    return kLoads;
}

/// Reductions of the mean penalty by bsb, percent; negative: bsb costs more.
struct PublishedReduction {
    std::string_view trace;
    std::uint64_t size_bytes;
    double against_half;
    double against_full;
};

[[nodiscard]] inline std::span<const PublishedReduction> published_reductions() {
    static constexpr std::array kReductions{PublishedReduction{"PC 2", 16 * hal::kKiB, 15, 11},
                                            PublishedReduction{"TPC-C 3", 16 * hal::kKiB, 19, 11},
                                            PublishedReduction{"Financial 1", 16 * hal::kKiB, 70, 69},
                                            PublishedReduction{"PC 2", 32 * hal::kKiB, 3, -13},
                                            PublishedReduction{"TPC-C 3", 32 * hal::kKiB, -2, -6},
                                            PublishedReduction{"Financial 1", 32 * hal::kKiB, 66, 69},
                                            PublishedReduction{"PC 2", 64 * hal::kKiB, 5, -24},
                                            PublishedReduction{"TPC-C 3", 64 * hal::kKiB, -40, -8},
                                            PublishedReduction{"Financial 1", 64 * hal::kKiB, 41, 63}};
    return kReductions;
}

}  // namespace solidtlm::testbench::map_cache
