// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "testbench/show/summary_sections.h"
#include "testbench/studies/btree/btree.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::btree {
namespace {

constexpr std::uint32_t kLargestPage = 64 * 1024;
constexpr std::uint32_t kLargestEntry = 128;
constexpr std::uint64_t kMostInserts = 10'000'000;
constexpr std::uint32_t kMostBufferPages = 65'536;
constexpr std::uint32_t kMostLogBlocks = 65'536;
constexpr std::uint32_t kFewestEntries = 4;  ///< entries per page, so that splitting makes sense

/// Upper bound for the size of the finished tree: its pages are at least half full.
std::uint64_t most_bytes(const Options& options, std::uint32_t page_bytes) {
    const std::uint64_t capacity = TreeShape{options.entry_bytes}.capacity(page_bytes);
    const std::uint64_t leaves = options.inserts / (capacity / 2) + 2;
    return (leaves + leaves / (capacity / 2) * 2 + 8) * page_bytes;
}

void check_device(const Options& options, const platform::Configuration& device, Errors& errors) {
    const hw::NandGeometry& nand = device.nand.geometry;
    if (nand.channels * nand.dies * nand.planes != 1) {
        errors.push_back(fmt::format(
            "nand.geometry: found {} channels, {} dies, {} planes; allowed: 1 of each, the study's "
            "flash is a single part",
            nand.channels, nand.dies, nand.planes));
    }
    if (device.firmware.unit_bytes != nand.page_bytes) {
        errors.push_back(fmt::format("firmware.unit: found {}; allowed: {}, the NAND page",
                                     device.firmware.unit_bytes, nand.page_bytes));
    }
    if (!options.no_drive && device.content != hal::ContentMode::bytes) {
        errors.emplace_back("content: allowed: bytes, because the tree is read back; or --no-drive");
    }
    for (const std::uint32_t size : options.page_bytes) {
        if (size % nand.page_bytes != 0) {
            errors.push_back(
                fmt::format("--page-sizes: found {}; allowed: multiples of the NAND page of {} bytes", size,
                            nand.page_bytes));
        } else if (!options.no_drive && most_bytes(options, size) > device.exported_bytes()) {
            errors.push_back(
                fmt::format("ssd.capacity: {} inserts of {} bytes in pages of {} may need {} bytes, "
                            "the drive exports {}",
                            options.inserts, options.entry_bytes, size, most_bytes(options, size),
                            device.exported_bytes()));
        }
    }
}

/// Facts about the tree, which do not depend on the layer.
struct TreeFacts {
    std::uint32_t page_bytes = 0;
    std::uint32_t pages = 0;
    std::uint32_t height = 1;
    BufferCounters buffer;
};

std::string whole(double value) {
    return grouped(value, 0);
}
std::string whole(std::uint64_t value) {
    return grouped(static_cast<double>(value), 0);
}

struct Row {
    const char* name;
    std::function<double(const Counts&)> value;
};

std::string ratio(double found, double wanted) {
    return fmt::format("{:.2f}", found / wanted);
}

std::vector<Row> count_rows() {
    constexpr double kThousand = 1000;
    return {{"writes", [](const Counts& counts) { return static_cast<double>(counts.writes); }},
            {"erases", [](const Counts& counts) { return static_cast<double>(counts.erases); }},
            {"cost, k", [](const Counts& counts) { return counts.cost() / kThousand; }}};
}

std::string numbers(const std::vector<std::uint32_t>& values) {
    std::string text;
    for (const std::uint32_t value : values) {
        text += (text.empty() ? "" : " / ") + std::to_string(value);
    }
    return text;
}

std::string tree_table(std::span<const TreeFacts> trees, const TextStyle& style) {
    TextTable table;
    for (const char* heading : {"page", "pages", "levels", "buffer hits", "page reads", "page writes"}) {
        table.column(heading, Align::right);
    }
    for (const TreeFacts& tree : trees) {
        table.row({size_text(tree.page_bytes), whole(std::uint64_t{tree.pages}), std::to_string(tree.height),
                   whole(tree.buffer.hits), whole(tree.buffer.reads), whole(tree.buffer.writes)});
    }
    return table.render(style);
}

/// Table 1, published beside counted; with ratios if the load is that of the study.
std::string count_table(const Table& cells, std::span<const std::uint32_t> sizes, bool as_published,
                        const TextStyle& style) {
    TextTable table;
    table.column("layer", Align::left);
    table.column("", Align::left);
    for (const std::uint32_t size : sizes) {
        table.column(size_text(size) + ": study", Align::right);
        table.column("here", Align::right);
        table.column("ratio", Align::right);
    }
    for (const Layer layer : kLayers) {
        for (const Row& row : count_rows()) {
            std::vector<TextTable::Cell> line{
                row.name == std::string("writes") ? std::string(layer_name(layer)) : "", row.name};
            for (const std::uint32_t size : sizes) {
                const double here = row.value(cells.at({layer, size}));
                const auto study = published(layer, size);
                line.emplace_back(study ? whole(row.value(*study)) : "-");
                line.emplace_back(whole(here));
                line.emplace_back(study && as_published ? ratio(here, row.value(*study)) : "-");
            }
            table.row(std::move(line));
        }
    }
    return table.render(style);
}

const std::vector<Column>& drive_columns() {
    static const std::vector<Column> columns{
        text("layer", "layer"),
        text(
            "page", [](const Measured& cell) { return size_text(cell.parameters["page_bytes"]); },
            Align::right),
        plain("seconds", "seconds", 1),
        plain("mean write ms", "write_ms", 2),
        plain("p99 ms", "p99_write_ms", 1),
        plain("mean read ms", "read_ms", 2),
        number("writes", "writes", 0),
        number("erases", "erases", 0),
        text(
            "as counted",
            [](const Measured& cell) {
                const bool same = cell.value("writes") == cell.value("counted_writes") &&
                                  cell.value("erases") == cell.value("counted_erases");
                return std::string(same ? "yes" : "NO");
            },
            Align::right),
        number("reads compared", "reads_checked", 0)};
    return columns;
}

std::string fit_table(std::span<const Fit> fits, const TextStyle& style) {
    TextTable table;
    table.column("held equal", Align::left);
    for (const char* heading : {"tree pages", "buffer pages", "entry", "logs", "mirrors"}) {
        table.column(heading, Align::right);
    }
    table.column("page order", Align::left);
    table.column("off by", Align::right);
    for (const Fit& fit : fits) {
        std::string sizes;
        for (const std::uint32_t size : fit.page_bytes) {
            sizes += (sizes.empty() ? "" : " / ") + size_text(size);
        }
        table.row({fit.what, sizes, numbers(fit.buffer_pages), std::to_string(fit.entry_bytes),
                   std::to_string(fit.log_blocks),
                   fit.mirror_blocks == 0 ? "all" : std::to_string(fit.mirror_blocks),
                   fit.ascending ? "ascending" : "any", fmt::format("{:.2f} x", fit.factor())});
    }
    return table.render(style);
}

std::string intro(const Options& options, const Flash& flash) {
    return fmt::format(
        "{} random integers; entries of {} bytes, {} pages in the buffer{}; NAND pages of {} B, {} in a "
        "block, programmed "
        "in {} order; {} log blocks, {} mirrors\n",
        options.inserts, options.entry_bytes, options.buffer_pages, options.pin_root ? ", root pinned" : "",
        flash.page_bytes, flash.block_pages, flash.ascending_pages ? "ascending" : "any", options.log_blocks,
        options.mirror_blocks == 0 ? "all" : std::to_string(options.mirror_blocks));
}

Json counted_beside_published(Layer layer, std::uint32_t page_bytes, const Counts& counted) {
    Json values = {
        {"counted_writes", counted.writes}, {"counted_erases", counted.erases}, {"cost", counted.cost()}};
    if (const auto study = published(layer, page_bytes)) {
        values["study_writes"] = study->writes;
        values["study_erases"] = study->erases;
        values["study_cost"] = study->cost();
    }
    return values;
}

/// Measures a cell of table 1 on the drive, beside the counts without a drive.
void measure(const Json& result, Layer layer, std::uint32_t page_bytes, const Counts& counted,
             Measured& cell) {
    constexpr double kMilli = 1e-3;
    const auto latency = [&result](const char* operation, const char* field) {
        const Json& value = result["host"][operation]["latency_us"][field];
        return value.is_null() ? 0.0 : value.get<double>() * kMilli;
    };
    const Counts counts = counts_of(result);
    cell.more = {{"writes", counts.writes},
                 {"erases", counts.erases},
                 {"drive_cost", counts.cost()},
                 {"seconds", result["sim_time_s"]},
                 {"write_ms", latency("write", "mean")},
                 {"p99_write_ms", latency("write", "p99")},
                 {"read_ms", latency("read", "mean")},
                 {"reads_checked", result["verify"]["reads_checked"]}};
    cell.derived = counted_beside_published(layer, page_bytes, counted);
}

class BtreeStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override {
        return {complete_table() ? claims_of(table_, as_published()) : std::vector<Claim>{},
                figures_of(points), tables_of(points, style)};
    }

  private:
    [[nodiscard]] std::vector<Figure> figures_of(Points points) const;
    [[nodiscard]] std::string tables_of(Points points, const TextStyle& style) const;
    [[nodiscard]] bool complete_table() const { return btree::complete(table_); }
    [[nodiscard]] bool as_published() const { return options_.inserts == kPublishedInserts; }
    /// The runs on the drive.
    [[nodiscard]] static Selected cells_of(Points points) { return select(points, {{"part", nullptr}}); }
    /// A point without a run: its counts come from memory.
    [[nodiscard]] StudyJob counted_job(Layer layer, std::uint32_t page_bytes) const {
        return {
            fmt::format("{}, pages of {}, counted", layer_name(layer), size_text(page_bytes)),
            {{"part", "counted"}, {"layer", layer_name(layer)}, {"page_bytes", page_bytes}},
            [] {
                return SimulationOutcome{Json::object(), {}};
            },
            [this, layer, page_bytes](const Json& /*result*/, Measured& cell) {
                cell.derived = counted_beside_published(layer, page_bytes, table_.at({layer, page_bytes}));
            }};
    }
    /// Settings nearest to table 1; none unless the load is that of the study.
    [[nodiscard]] std::vector<Fit> fits_of(Points points) const {
        constexpr std::size_t kMost = 5;  // fits with one buffer for all page sizes
        return as_published() ? best_fits(counted_points(points), kMost) : std::vector<Fit>{};
    }

    Options options_;
    Grid grid_;
    Flash flash_;
    std::vector<TreeFacts> trees_;
    Table table_;  ///< counts of all layers on the trees in memory
};

Program BtreeStudy::program(std::span<char* const> /*arguments*/) const {
    Program program;
    program.name = "tb_btree";
    program.summary =
        "Inserts random integers into a B+-tree with pages of several sizes, on four block-mapped "
        "translation layers: sectors written and blocks erased beside those of the study, the time on a "
        "simulated drive, and what the study's numbers say about values that it does not give.";
    program.examples = {
        "--out out",
        "--no-sensitivity --buffer-pages 128 --log-blocks 32",
        "--no-drive --entry-bytes 16 --page-sizes 512,2048,4096,8192,16384",
        "--no-drive --set nand.rules.sequential_pages=true",
    };
    program.notes =
        "Everything takes about a minute on two idle cores; --no-drive or --no-sensitivity less.\n"
        "docs/btree.md explains the tables.";
    program.unused = {no_requests(program.name),
                      {kAgeingOptions, "the tree starts on a new drive"},
                      {{"--queue-depth"}, "the tree waits for each page"}};
    // One small-block part; the tree needs a few MiB, and a mirror for every block at most that much again.
    // The study counts sectors as they are written, so no buffer may collect writes.
    program.configuration_defaults = R"(preset = "small_block"
content = "bytes"
[ssd]
capacity = "8MiB"
[firmware.write_buffer]
policy = "write_through"
)";
    return program;
}

void BtreeStudy::add_options(OptionSet& options) {
    options.group("B+-tree");
    options.value("--inserts", options_.inserts, kinds::integer(1, kMostInserts), "Random integers inserted");
    options.dimension("--page-sizes", options_.page_bytes, kinds::size(hal::kSectorBytes, kLargestPage),
                      "Pages of the tree and of the buffer");
    options.value("--entry-bytes", options_.entry_bytes, kinds::size(kLeastEntryBytes, kLargestEntry),
                  "An entry, key and pointer included");
    options.value("--buffer-pages", options_.buffer_pages,
                  kinds::integer(Btree::kLeastFrames, kMostBufferPages), "Pages that the buffer holds");
    options.value("--log-blocks", options_.log_blocks, kinds::integer(2, kMostLogBlocks),
                  "Log blocks of bast and fast (one of fast's is sequential)");
    options.value("--mirror-blocks", options_.mirror_blocks, kinds::integer(0, kMostLogBlocks),
                  "Mirror blocks of fmax; 0: one for every logical block");
    options.flag("--pin-root", options_.pin_root, "The root never leaves the buffer");
    options.flag("--no-drive", options_.no_drive, "Count only; do not run the tree on the simulated drive");
    options.flag("--no-sensitivity", options_.no_sensitivity, "Do not vary what the study leaves open");
}

void BtreeStudy::check(const CommandLine& line, Errors& errors) {
    const std::uint32_t smallest = std::ranges::min(options_.page_bytes);
    if (TreeShape{options_.entry_bytes}.capacity(smallest) < kFewestEntries) {
        errors.push_back(fmt::format("--entry-bytes: found {}, so that a page of {} has less than {} entries",
                                     options_.entry_bytes, smallest, kFewestEntries));
        return;
    }
    check_device(options_, line.configuration, errors);
}

StudyPlan BtreeStudy::plan(const CommandLine& line) {
    const std::uint64_t seed = line.configuration.seed;
    const hw::NandConfig& nand = line.configuration.nand;
    flash_ = {nand.geometry.page_bytes, nand.geometry.pages, nand.rules.sequential_pages};
    for (const std::uint32_t size : options_.page_bytes) {
        const LoadOutcome outcome = run_in_memory(options_.load(size, seed));
        trees_.push_back({size, outcome.root.pages, outcome.height, outcome.buffer});
        for (const Layer layer : kLayers) {
            table_[{layer, size}] = counts_of(count(outcome.traffic, size, options_.setting(layer), flash_));
        }
    }
    StudyPlan plan;
    for (const Layer layer : kLayers) {
        for (const std::uint32_t size : options_.page_bytes) {
            if (options_.no_drive) {
                plan.jobs.push_back(counted_job(layer, size));
                continue;
            }
            plan.jobs.push_back(
                {fmt::format("{}, pages of {}", layer_name(layer), size_text(size)),
                 {{"layer", layer_name(layer)}, {"page_bytes", size}},
                 [configuration = with_layer(line.configuration, options_.setting(layer)),
                  load = options_.load(size, seed)] { return run_on_drive(configuration, load); },
                 [this, layer, size](const Json& result, Measured& cell) {
                     measure(result, layer, size, table_.at({layer, size}), cell);
                 }});
        }
    }
    if (!options_.no_sensitivity) {
        grid_.include(options_);
        plan.later = grid_jobs(grid_, options_, flash_, seed);
    }
    return plan;
}

std::vector<Figure> BtreeStudy::figures_of(Points points) const {
    const std::vector<CountedPoint> counted = counted_points(points);
    std::vector<Figure> figures = count_figures(table_, options_.page_bytes);
    const auto add = [&figures](std::vector<Figure> more) {
        std::ranges::move(more, std::back_inserter(figures));
    };
    add(drive_figures(cells_of(points)));
    if (!fits_of(points).empty()) {
        add(distance_figures(distance_map(counted)));
    }
    add(sensitivity_figures(counted, options_, flash_));
    return figures;
}

std::string BtreeStudy::tables_of(Points points, const TextStyle& style) const {
    const std::vector<Fit> fits = fits_of(points);
    return intro(options_, flash_) + heading("Trees", style) + tree_table(trees_, style) +
           heading("Table 1, counted", style) +
           count_table(table_, options_.page_bytes, as_published(), style) +
           titled_table(cells_of(points), "On the simulated drive", drive_columns(), style) +
           (fits.empty() ? ""
                         : heading("Settings nearest to table 1 (none of them is a default)", style) +
                               fit_table(fits, style));
}

}  // namespace

std::string size_text(std::uint32_t bytes) {
    return bytes % 1024 == 0 ? fmt::format("{} KB", bytes / 1024) : fmt::format("{} B", bytes);
}

}  // namespace solidtlm::testbench::btree

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<btree::BtreeStudy>();
}
