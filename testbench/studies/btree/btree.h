// SPDX-License-Identifier: Apache-2.0
//
// Study E (Yoo et al. 2006), which page size suits a B+-tree on flash: four block-mapped translation layers,
// counted as the study does, and timed on a drive. docs/btree.md explains what comes out.
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
#include "fw/drive/block_needs.h"
#include "fw/drive/config.h"
#include "platform/configuration.h"
#include "testbench/simulation/simulation.h"
#include "testbench/studies/kit/study.h"
#include "testbench/workload/btree/load.h"

namespace solidtlm::testbench::btree {

// Table 1: what 100,000 inserts wrote and erased.

enum class Layer : std::uint8_t { fmax, bast, fast, mtbs };

constexpr std::array<Layer, 4> kLayers{Layer::fmax, Layer::bast, Layer::fast, Layer::mtbs};
/// As firmware.translation.
constexpr std::string_view layer_name(Layer layer) {
    constexpr std::array<std::string_view, 4> kNames{"fmax", "bast", "fast", "mtbs"};
    return kNames[static_cast<std::size_t>(layer)];
}

/// Sectors programmed and blocks erased.
struct Counts {
    std::uint64_t writes = 0;
    std::uint64_t erases = 0;

    /// In units of a read, with the study's 1 : 8 : 65. The study counts no reads.
    [[nodiscard]] double cost() const {
        constexpr double kWrite = 8;
        constexpr double kErase = 65;
        return kWrite * static_cast<double>(writes) + kErase * static_cast<double>(erases);
    }
    friend bool operator==(const Counts&, const Counts&) = default;
};

constexpr std::uint64_t kPublishedInserts = 100'000;
constexpr std::array<std::uint32_t, 3> kPublishedPageBytes{512, 4096, 16384};
/// The cell of the table; nothing for a page size that it does not have.
[[nodiscard]] std::optional<Counts> published(Layer layer, std::uint32_t page_bytes);

// What a tree's page writes make a translation layer program and erase, without a drive.

/// The flash of the study; the pages of a block are programmed in ascending order or in any.
struct Flash {
    std::uint32_t page_bytes = 512;
    std::uint32_t block_pages = 32;
    bool ascending_pages = false;
};

struct LayerSetting {
    Layer layer = Layer::fast;
    std::uint32_t log_blocks = 8;  ///< 0: fmax alone, a mirror for every logical block
};

[[nodiscard]] fw::BlockCounters count(std::span<const PageIo> traffic, std::uint32_t tree_page_bytes,
                                      const LayerSetting& setting, const Flash& flash);

[[nodiscard]] inline Counts counts_of(const fw::BlockCounters& counters) {
    return {counters.programs(), counters.erases};
}

/// What is varied. Defaults of what the study does not give (docs/btree.md): an integer and a pointer of four
/// bytes each; 64 pages in the buffer; 8 log blocks, the middle of 1 to 64 in powers of two; a mirror for
/// every logical block, because the text of the study speaks of no limit; pages programmed in any order.
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

// A B+-tree whose pages lie on a simulated drive. The tree makes its requests one insert at a time; page p is
// the sectors from p times its size on.
//
// The tree itself works on a copy in memory, because a source of requests cannot wait for an answer. Nothing
// is taken on trust for that: every page that the drive returns is compared with the copy byte by byte as it
// is read, and at the end all pages are read once more, a tree is opened on what came back, and every key is
// looked for in it.

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
        std::vector<std::byte> bytes;  ///< what is written, or must be read
    };
    /// The copy in memory; makes a request of everything asked of it.
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
    std::deque<PageRequest> given_;  ///< to the host, not completed
    Copy copy_;
    MemoryPages read_back_;
    Inserter inserter_;
    bool reading_back_ = false;
    std::uint32_t pages_back_ = 0;
    VerifyCounts counts_;
    std::vector<std::string> faults_;
};

/// The device with a translation layer. Throws ConfigurationError.
[[nodiscard]] platform::Configuration with_layer(const platform::Configuration& device,
                                                 const LayerSetting& setting);

/// Simulates; one call per process. The tree is read back at the end; what is wrong becomes a fault.
[[nodiscard]] SimulationOutcome run_on_drive(const platform::Configuration& configuration, const Load& load);

/// Page programs and block erases of a result.
[[nodiscard]] Counts counts_of(const Json& result);

// What comes out for every value of what the study does not give, and which values come nearest to its table.

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

/// Every tree of the grid and all layers on it; the other value of pin_root only where everything else is as
/// in `options`. The jobs are no points of the result; counted_points() reads theirs. `grid` and `options`
/// must outlive them.
[[nodiscard]] std::vector<StudyJob> grid_jobs(const Grid& grid, const Options& options, const Flash& flash,
                                              std::uint64_t seed);
[[nodiscard]] std::vector<CountedPoint> counted_points(Points points);

/// How far counts are from a published cell: the sum of the squared natural logarithms of both ratios. A
/// count of 0 counts as 1.
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

    /// By which factor counts are typically too large or too small.
    [[nodiscard]] double factor() const;
};

/// The best fits: with one number of buffer pages for all page sizes (the best `most` of them), one number of
/// buffer bytes, a number for each page size, and each page size alone. Empty when no published page size was
/// run.
[[nodiscard]] std::vector<Fit> best_fits(std::span<const CountedPoint> points, std::size_t most);

/// The smallest distance for each (buffer pages, log blocks), the same for all page sizes, over all entry
/// sizes, rules and mirrors.
struct DistanceMap {
    std::vector<std::uint32_t> buffer_pages;
    std::vector<std::uint32_t> log_blocks;
    std::vector<std::vector<std::optional<double>>> factor;  ///< [log][buffer]
};
[[nodiscard]] DistanceMap distance_map(std::span<const CountedPoint> points);

// What the study says about its table, judged on ours.

/// Counts by layer and bytes of a tree page.
using Table = std::map<std::pair<Layer, std::uint32_t>, Counts>;

/// E1-E4. A claim holds for a layer if it holds strictly: being as good as another page size is not being
/// best. `as_published`: the load is the study's; otherwise every claim says that it is not.
/// REQUIRES: complete(table).
[[nodiscard]] std::vector<Claim> claims_of(const Table& table, bool as_published);

/// Whether claims can be judged: all cells of the published table are there.
[[nodiscard]] bool complete(const Table& table);

/// "512 B", "4 KB": as the study writes sizes.
[[nodiscard]] std::string size_text(std::uint32_t bytes);

/// Writes and erases, published beside counted.
[[nodiscard]] std::vector<Figure> count_figures(const Table& table, std::span<const std::uint32_t> sizes);
/// Simulated time on the drive beside the cost with the study's weights.
[[nodiscard]] std::vector<Figure> drive_figures(const Selected& cells);
/// Each open parameter varied on its own, all others as in `options`.
[[nodiscard]] std::vector<Figure> sensitivity_figures(std::span<const CountedPoint> points,
                                                      const Options& options, const Flash& flash);
/// How far buffer and log blocks are from the published table.
[[nodiscard]] std::vector<Figure> distance_figures(const DistanceMap& map);

}  // namespace solidtlm::testbench::btree
