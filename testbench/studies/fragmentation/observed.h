// SPDX-License-Identifier: Apache-2.0
//
// What came out of one system on one load, in numbers that tables, figures and claims are made of.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "testbench/results/result.h"
#include "testbench/studies/fragmentation/system.h"

namespace solidtlm::testbench::fragmentation {

/// Pages that the host wrote, by kind (docs/block-map.md).
struct PageWrites {
    std::uint64_t data = 0;
    std::uint64_t pure = 0;
    std::uint64_t wasted = 0;

    [[nodiscard]] std::uint64_t total() const { return data + pure + wasted; }
    /// Percent of all; 0 if there are none.
    [[nodiscard]] double share(std::uint64_t part) const;
};

/// In the order of fw::MergeKind.
struct Merges {
    std::uint64_t drops = 0;
    std::uint64_t switches = 0;
    std::uint64_t partial = 0;
    std::uint64_t full = 0;
};

/// Pages and NAND blocks of the flash array, whatever they were for.
struct FlashWork {
    std::uint64_t reads = 0;
    std::uint64_t programs = 0;
    std::uint64_t erases = 0;
};

struct Observed {
    System system;
    std::string load;
    PageWrites writes;
    Merges merges;
    FlashWork work;
    std::uint64_t copies = 0;  ///< pages programmed by merges or garbage collection
    /// Percent: pages programmed since the erase over the pages of all data blocks; none without data blocks.
    std::optional<double> utilisation;
    /// GiB written and utilisation in percent, while the load ran.
    std::vector<std::pair<double, double>> utilisation_over_time;
    /// With flash operations alone and every die always at work: what the flash work allows at most.
    double flash_bound_mb_per_s = 0.0;
    std::optional<double> mb_per_s;  ///< measured, reads and writes; none without time

    /// Pages programmed over pages that the host wrote.
    [[nodiscard]] double write_amplification() const;
    /// The measured throughput, or without time the bound.
    [[nodiscard]] double throughput() const { return mb_per_s.value_or(flash_bound_mb_per_s); }
    /// Point::derived, explained in docs/fragmentation.md.
    [[nodiscard]] Json derived() const;
};

/// None: that system did not run that load.
[[nodiscard]] const Observed* find(std::span<const Observed> all, const System& system,
                                   const std::string& load);

/// What the sequential rule costs: throughput with it against throughput without, percent (below 0: slower).
/// None when one of the two was not run. `with` has the rule.
[[nodiscard]] std::optional<double> cost_of_rule(std::span<const Observed> all, const Observed& with);

/// Values of all in order of first appearance.
[[nodiscard]] std::vector<std::string> loads_of(std::span<const Observed> all);
[[nodiscard]] std::vector<std::string> layers_of(std::span<const Observed> all);
[[nodiscard]] std::vector<std::string> stripings_of(std::span<const Observed> all);

/// Flash time of `work` if all dies always worked, seconds: array time and the page's time on the bus.
[[nodiscard]] double flash_seconds(const FlashWork& work, const platform::Configuration& configuration);

}  // namespace solidtlm::testbench::fragmentation
