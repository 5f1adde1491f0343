// SPDX-License-Identifier: Apache-2.0
//
// Study E (Yoo et al. 2006), which page size suits a B+-tree on flash: four block-mapped translation layers,
// counted as in the study, and timed on a drive. docs/btree.md explains the results.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fw/block_map/block_counters.h"
#include "fw/block_map/needs.h"
#include "fw/drive/config.h"
#include "platform/configuration.h"
#include "testbench/sim/load/btree/load.h"
#include "testbench/sim/simulation.h"
#include "testbench/studies/kit/study.h"

namespace solidtlm::testbench::btree {

// Table 1: sectors that 100,000 inserts wrote, and blocks that they erased.

enum class Layer : std::uint8_t { fmax, bast, fast, mtbs };

constexpr std::array<Layer, 4> kLayers{Layer::fmax, Layer::bast, Layer::fast, Layer::mtbs};
/// The layer's name in firmware.translation.
constexpr std::string_view layer_name(Layer layer) {
    constexpr std::array<std::string_view, 4> kNames{"fmax", "bast", "fast", "mtbs"};
    return kNames[static_cast<std::size_t>(layer)];
}

/// Sectors programmed and blocks erased.
struct Counts {
    std::uint64_t writes = 0;
    std::uint64_t erases = 0;

    /// In units of one read, with the study's weights 1 : 8 : 65. The study counts no reads.
    [[nodiscard]] double cost() const {
        constexpr double kWrite = 8;
        constexpr double kErase = 65;
        return kWrite * static_cast<double>(writes) + kErase * static_cast<double>(erases);
    }
    friend bool operator==(const Counts&, const Counts&) = default;
};

constexpr std::uint64_t kPublishedInserts = 100'000;
constexpr std::array<std::uint32_t, 3> kPublishedPageBytes{512, 4096, 16384};
/// The published cell; nothing for a page size that the table does not have.
[[nodiscard]] std::optional<Counts> published(Layer layer, std::uint32_t page_bytes);

// What a translation layer programs and erases for a tree's page writes, without a drive.

/// The study's flash; the pages of a block are programmed in ascending order or in any order.
struct Flash {
    std::uint32_t page_bytes = 512;
    std::uint32_t block_pages = 32;
    bool ascending_pages = false;
};

struct LayerSetting {
    Layer layer = Layer::fast;
    std::uint32_t log_blocks = 8;  ///< 0: only for fmax, a mirror for every logical block
};

[[nodiscard]] fw::BlockCounters count(std::span<const PageIo> traffic, std::uint32_t tree_page_bytes,
                                      const LayerSetting& setting, const Flash& flash);

[[nodiscard]] inline Counts counts_of(const fw::BlockCounters& counters) {
    return {counters.programs(), counters.erases};
}

/// The parameters. Defaults for values that the study does not give (docs/btree.md): an integer and a pointer
/// of four bytes each; 64 pages in the buffer; 8 log blocks, the middle of 1 to 64 in powers of two; a mirror
/// for every logical block, because the study mentions no limit; pages programmed in any order.
struct Options {
    std::uint64_t inserts = 100'000;
    std::vector<std::uint32_t> page_bytes{kPublishedPageBytes.begin(), kPublishedPageBytes.end()};
    std::uint32_t entry_bytes = 8;
    std::uint32_t buffer_pages = 64;
    std::uint32_t log_blocks = 8;
    std::uint32_t mirror_blocks = 0;
    bool pin_root = false;
    bool no_drive = false;
    bool no_sensitivity = false;

    [[nodiscard]] Load load(std::uint32_t tree_page_bytes, std::uint64_t seed) const {
        return {inserts, seed, tree_page_bytes, buffer_pages, {entry_bytes, pin_root}};
    }
    [[nodiscard]] LayerSetting setting(Layer layer) const {
        return {layer, layer == Layer::fmax ? mirror_blocks : log_blocks};
    }
};

// A B+-tree whose pages are on a simulated drive. The tree makes its requests one insert at a time; page p
// occupies the sectors from p times its size on.
//
// The tree itself works on a copy in memory, because a source of requests cannot wait for an answer. The copy
// is checked: every page that the drive returns is compared with it byte by byte. At the end, all pages are
// read again, a tree is opened on the data that came back, and every key is looked up in it.

/// Requests and their contents, in content mode `bytes`; requests are served in order, one at a time.
class DevicePages : public RequestSource, public ContentKeeper {
  public:
    explicit DevicePages(const Load& load);

    bool next(Request& request) override;

    void issued(Command& command) override;
    void completed(Command& command) override;
    void finished() override;

    [[nodiscard]] VerifyCounts counts() const override { return counts_; }
    [[nodiscard]] std::vector<std::string> faults() const override { return faults_; }
    [[nodiscard]] const Inserter& inserter() const { return inserter_; }

  private:
    struct PageRequest {
        PageIo io;
        std::vector<std::byte> bytes;  ///< data to write, or expected data of a read
    };
    /// The copy in memory; turns each access into a request.
    class Copy : public MemoryPages {
      public:
        Copy(std::uint32_t page_bytes, std::deque<PageRequest>& requests)
            : MemoryPages(page_bytes), requests_(requests) {}
        void read(PageId page, std::span<std::byte> bytes) override;
        void write(PageId page, std::span<const std::byte> bytes) override;

      private:
        std::deque<PageRequest>& requests_;
    };

    void read_everything();

    Load load_;
    std::deque<PageRequest> waiting_;
    std::deque<PageRequest> given_;  ///< taken by the host, not completed
    Copy copy_;
    MemoryPages read_back_;
    Inserter inserter_;
    bool reading_back_ = false;
    std::uint32_t pages_back_ = 0;
    VerifyCounts counts_;
    std::vector<std::string> faults_;
};

/// The device with this translation layer. Throws ConfigurationError.
[[nodiscard]] platform::Configuration with_layer(const platform::Configuration& device,
                                                 const LayerSetting& setting);

/// Simulates the load; one call per process. The tree is read back at the end; errors become faults.
[[nodiscard]] SimulationOutcome run_on_drive(const platform::Configuration& configuration, const Load& load);

/// Page programs and block erases of a result.
[[nodiscard]] Counts counts_of(const Json& result);

// The results for all values of parameters that the study does not give, and the values that come nearest to
// its table.

/// Values of the varied parameters; those of the options are included.
struct Grid {
    std::vector<std::uint32_t> buffer_pages{16, 32, 48, 64, 96, 128, 256, 512, 1024};
    std::vector<std::uint32_t> entry_bytes{8, 12, 16};
    std::vector<std::uint32_t> log_blocks{1, 2, 4, 8, 16, 32, 64};
    /// Log-block counts that are run with both values of the rule of ascending pages.
    std::vector<std::uint32_t> both_rules{2, 8, 32};

    void include(const Options& options);
};

/// One tree of the grid.
struct TreePoint {
    std::uint32_t page_bytes = 512;
    std::uint32_t buffer_pages = 64;
    std::uint32_t entry_bytes = 8;
    bool pin_root = false;
    friend auto operator<=>(const TreePoint&, const TreePoint&) = default;
};

/// Counts of one layer on one tree. log_blocks 0: no limit (fmax), or no log needed (mtbs).
struct CountedPoint {
    TreePoint tree;
    Layer layer = Layer::fast;
    std::uint32_t log_blocks = 0;
    bool ascending = false;
    Counts counts;
};

/// Jobs for every tree of the grid with all layers. The other value of pin_root is only run where all other
/// parameters are as in `options`. The jobs are not points of the result; counted_points() reads their
/// results. `grid` and `options` must outlive the jobs.
[[nodiscard]] std::vector<StudyJob> grid_jobs(const Grid& grid, const Options& options, const Flash& flash,
                                              std::uint64_t seed);
[[nodiscard]] std::vector<CountedPoint> counted_points(Points points);

/// The distance of counts from a published cell: the sum of the squared natural logarithms of both ratios. A
/// count of 0 counts as 1.
[[nodiscard]] double squared_distance(const Counts& counts, const Counts& published);

/// Settings and their distance from the published table.
struct Fit {
    std::string what;                         ///< what is the same for all page sizes
    std::vector<std::uint32_t> page_bytes;    ///< columns of the table that are compared
    std::vector<std::uint32_t> buffer_pages;  ///< one per column
    std::uint32_t entry_bytes = 0;
    std::uint32_t log_blocks = 0;     ///< for bast and fast
    std::uint32_t mirror_blocks = 0;  ///< for fmax; 0: one per logical block
    bool ascending = false;
    double distance = 0;  ///< root of the mean squared distance, a natural logarithm

    /// The factor by which counts are typically too large or too small.
    [[nodiscard]] double factor() const;
};

/// The best fits: with one number of buffer pages for all page sizes (the best `most` of them), with one
/// number of buffer bytes, with a number for each page size, and for each page size alone. Empty if no
/// published page size was run.
[[nodiscard]] std::vector<Fit> best_fits(std::span<const CountedPoint> points, std::size_t most);

/// The smallest distance for each (buffer pages, log blocks), used for all page sizes, over all entry sizes,
/// rules and mirrors.
struct DistanceMap {
    std::vector<std::uint32_t> buffer_pages;
    std::vector<std::uint32_t> log_blocks;
    std::vector<std::vector<std::optional<double>>> factor;  ///< indices: [log][buffer]
};
[[nodiscard]] DistanceMap distance_map(std::span<const CountedPoint> points);

// The study's statements about its table, judged on the table measured here.

/// Counts by layer and tree page size in bytes.
using Table = std::map<std::pair<Layer, std::uint32_t>, Counts>;

/// Claims E1-E4. A claim holds for a layer only if it holds strictly: a page size that shares the best value
/// is not the best. `as_published`: the load is that of the study; otherwise every claim says that it is not.
/// REQUIRES: complete(table).
[[nodiscard]] std::vector<Claim> claims_of(const Table& table, bool as_published);

/// Whether claims can be judged: the table has all published cells.
[[nodiscard]] bool complete(const Table& table);

/// "512 B", "4 KB": sizes as the study writes them.
[[nodiscard]] std::string size_text(std::uint32_t bytes);

/// Writes and erases, published beside counted.
[[nodiscard]] std::vector<Figure> count_figures(const Table& table, std::span<const std::uint32_t> sizes);
/// Simulated time on the drive beside the cost with the study's weights.
[[nodiscard]] std::vector<Figure> drive_figures(const Selected& cells);
/// Each open parameter varied alone, with all others as in `options`.
[[nodiscard]] std::vector<Figure> sensitivity_figures(std::span<const CountedPoint> points,
                                                      const Options& options, const Flash& flash);
/// Distance from the published table over buffer and log blocks.
[[nodiscard]] std::vector<Figure> distance_figures(const DistanceMap& map);

}  // namespace solidtlm::testbench::btree
