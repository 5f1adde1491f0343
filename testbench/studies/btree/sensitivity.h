// SPDX-License-Identifier: Apache-2.0
//
// What comes out for every value of what study E does not give, and which values come nearest to its table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/studies/btree/options.h"
#include "testbench/studies/parts/study.h"

namespace solidtlm::testbench::btree {

/// What is varied; the values of the options are among them.
struct Grid {
    std::vector<std::uint32_t> buffer_pages{16, 32, 48, 64, 96, 128, 256, 512, 1024};
    std::vector<std::uint32_t> entry_bytes{8, 12, 16};
    std::vector<std::uint32_t> log_blocks{1, 2, 4, 8, 16, 32, 64};
    /// Of these, the ones that are run with both values of the rule of ascending pages.
    std::vector<std::uint32_t> both_rules{2, 8, 32};

    void include(const Options& options);
};

/// A tree.
struct TreePoint {
    std::uint32_t page_bytes = 512;
    std::uint32_t buffer_pages = 64;
    std::uint32_t entry_bytes = 8;
    bool pin_root = false;
    friend auto operator<=>(const TreePoint&, const TreePoint&) = default;
};

/// Counts of one layer on one tree. log_blocks 0: no limit (fmax), or none needed (mtbs).
struct CountedPoint {
    TreePoint tree;
    Layer layer = Layer::fast;
    std::uint32_t log_blocks = 0;
    bool ascending = false;
    Counts counts;
};

/// Runs every tree of the grid in a process of its own and all layers on it; the other value of pin_root only
/// where everything else is as in `options`. Adds the faults of the processes to `study`.
[[nodiscard]] std::vector<CountedPoint> run_grid(const Grid& grid, const Options& options, const Flash& flash,
                                                 const CommandLine& line, StudyOutcome& study);

/// How far counts are from a published cell: squares of natural logarithms of both ratios, added. A count of
/// 0 counts as 1.
[[nodiscard]] double squared_distance(const Counts& counts, const Counts& published);

/// Settings and how far they are from the published table.
struct Fit {
    std::string what;                         ///< what is held equal
    std::vector<std::uint32_t> page_bytes;    ///< columns of the table that count
    std::vector<std::uint32_t> buffer_pages;  ///< one a column
    std::uint32_t entry_bytes = 0;
    std::uint32_t log_blocks = 0;     ///< of bast and fast
    std::uint32_t mirror_blocks = 0;  ///< of fmax; 0: one for every logical block
    bool ascending = false;
    double distance = 0;  ///< root of the mean squared distance: a natural logarithm

    /// "counts are typically so many times too large or too small"
    [[nodiscard]] double factor() const;
};

/// The best fits: with one number of buffer pages for all page sizes (the best `most` of them), one number of
/// buffer bytes, a number for each page size, and each page size alone. Empty when no published page size was
/// run.
[[nodiscard]] std::vector<Fit> best_fits(std::span<const CountedPoint> points, std::size_t most);

/// The smallest distance for each (buffer pages, log blocks), the same for all page sizes; whatever entry
/// size, rule and mirrors do best.
struct DistanceMap {
    std::vector<std::uint32_t> buffer_pages;
    std::vector<std::uint32_t> log_blocks;
    std::vector<std::vector<std::optional<double>>> factor;  ///< [log][buffer]
};
[[nodiscard]] DistanceMap distance_map(std::span<const CountedPoint> points);

}  // namespace solidtlm::testbench::btree
