// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "fw/hal/horizon.h"
#include "platform/units.h"
#include "testbench/show/summary_sections.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/tables.h"
#include "testbench/studies/trim/trim.h"

namespace solidtlm::testbench::trim {
namespace {

/// Commands of 1 to 64 ranges of 16 KiB.
Json counts_line() {
    return {{"part", "ranges"}, {"range_bytes", kStudyRangeBytes}, {"contiguous", false}, {"aligned", true}};
}

std::string shape_of(const Measured& point) {
    return fmt::format("{}, {}", point.parameters["contiguous"] == true ? "contiguous" : "scattered",
                       point.parameters["aligned"] == true ? "aligned" : "unaligned");
}

/// Times of commands: one line per size, one column per placement and start. `points` are those of one device
/// and one number of ranges.
std::string size_table(const Selected& points, const TextStyle& style) {
    std::vector<std::string> shapes;
    for (const Measured* point : points) {
        if (!has(shapes, shape_of(*point))) {
            shapes.push_back(shape_of(*point));
        }
    }
    TextTable table;
    table.column("range", Align::right);
    for (const std::string& shape : shapes) {
        table.column(shape + ", us", Align::right);
        table.column("us/MB", Align::right);
    }
    for (const Json& bytes : values_of(points, "range_bytes")) {
        std::vector<TextTable::Cell> cells{platform::format_size(bytes.get<std::uint64_t>())};
        for (const std::string& shape : shapes) {
            std::string time = "-";
            std::string rate = "-";
            for (const Measured* point : select(points, {{"range_bytes", bytes}})) {
                if (shape_of(*point) == shape) {
                    time = grouped(point->value("command_us"), 1);
                    rate = grouped(point->value("us_per_mb"), 1);
                }
            }
            cells.emplace_back(time);
            cells.emplace_back(rate);
        }
        table.row(std::move(cells));
    }
    return table.render(style);
}

std::string ranges_text(Points points, const TextStyle& style) {
    std::string text;
    for (const Selected& device : groups_of(select(points, {{"part", "ranges"}}), {"device"})) {
        for (const Selected& of : groups_of(device, {"ranges"})) {
            if (of.size() < 2) {
                continue;  // numbers of ranges with only one size come below
            }
            const Measured& first = *of.front();
            text += heading(fmt::format("{}: time of a TRIM command of {}", first.text("device"),
                                        counted(first.parameters["ranges"].get<std::uint64_t>(), "range")),
                            style) +
                    size_table(of, style);
        }
    }
    return text;
}

std::string counts_text(Points points, const TextStyle& style) {
    const Selected all = select(points, counts_line());
    const std::vector<Json> counts = sorted_values_of(all, "ranges");
    if (counts.size() < 2) {
        return {};
    }
    TextTable table;
    table.column("device", Align::left);
    for (const Json& count : counts) {
        table.column(fmt::format("{} x {}", kStudyRanges / count.get<double>(), count.get<int>()),
                     Align::right);
    }
    for (const Selected& device : groups_of(all, {"device"})) {
        std::vector<TextTable::Cell> cells{device.front()->text("device")};
        for (const Json& count : counts) {
            const Selected found = select(device, {{"ranges", count}});
            cells.emplace_back(found.empty() ? "-"
                                             : grouped(kStudyRanges * found.front()->value("range_us"), 1));
        }
        table.row(std::move(cells));
    }
    return heading(fmt::format("64 scattered ranges of 16 KiB: {} in commands x ranges", style.us()), style) +
           table.render(style);
}

std::string stages_text(Points points, const TextStyle& style) {
    std::string text;
    for (const Batching& pair : batchings(points)) {
        TextTable table;
        table.column("stage", Align::left);
        for (const char* heading : {"64 commands, us", "one command, us", "saved, us"}) {
            table.column(heading, Align::right);
        }
        const auto row = [&table](const std::string& name, double before, double after) {
            table.row({name, grouped(before, 1), grouped(after, 1), grouped(before - after, 1)});
        };
        for (const auto& [stage, time] : pair.single->more["stages"].items()) {
            const double before = kStudyRanges * time.get<double>();
            const double after = pair.batched->more["stages"][stage].get<double>();
            constexpr double kShown = 0.05;
            if (before >= kShown || after >= kShown) {
                row(stage, before, after);
            }
        }
        row("all", kStudyRanges * pair.single->value("command_us"), pair.batched->value("command_us"));
        text += heading(fmt::format("{}: 64 ranges of 16 KiB, {:.1f} % saved", pair.single->text("device"),
                                    100.0 * pair.saved()),
                        style) +
                table.render(style);
    }
    return text;
}

/// The runs of a part, one line each; empty without any.
std::string part_table(Points points, const char* part, const char* title, const std::vector<Column>& columns,
                       const TextStyle& style) {
    return titled_table(select(points, {{"part", part}}), title, columns, style);
}

/// One range per command over its size, with one line per placement and start.
void add_sizes(Points points, std::vector<Figure>& figures) {
    const auto add = [&figures](const Selected& device, const char* id, const char* title,
                                const char* caption, const char* value, const char* label) {
        const std::string name = device.front()->text("device");
        figures.emplace_back(line_figure(
            {id + figure_id(name), title + name, caption}, {"size of the range, KB", true}, {label, true},
            device, shape_of, [](const Measured& point) { return point.value("range_bytes") / 1024.0; },
            value));
    };
    for (const Selected& device :
         groups_of(select(points, {{"part", "ranges"}, {"ranges", 1}}), {"device"})) {
        add(device, "time-", "Time of a TRIM command, ", "One range per command, one command at a time.",
            "command_us", "time of a command, us");
        add(device, "per-mb-", "Time for each megabyte, ",
            "The cost of the command itself is shared by more.", "us_per_mb", "time of a megabyte, us");
    }
}

LineFigure counts_figure(Points points) {
    LineFigure figure = line_figure(
        {"counts", "64 scattered ranges of 16 KiB: time by ranges per command",
         "64 ranges take 64 / n commands of n ranges."},
        {"ranges per command", true}, {"time of 64 ranges, us", true}, select(points, counts_line()),
        "device", "ranges", [](const Measured& point) { return kStudyRanges * point.value("range_us"); });
    for (LineFigure::Series& series : figure.series) {
        std::ranges::sort(series.points);
    }
    return figure;
}

/// Where the time of 64 ranges went, in 64 commands and in one.
CategoryFigure stages_figure(Points points) {
    Selected pairs;
    for (const Batching& pair : batchings(points)) {
        pairs.insert(pairs.end(), {pair.single, pair.batched});
    }
    std::vector<Layer> layers;
    const Json stages = pairs.empty() ? Json::object() : pairs.front()->more["stages"];
    for (const auto& [stage, unused] : stages.items()) {
        layers.push_back({stage, [name = stage](const Measured& point) {
                              const double us = point.more["stages"][name];
                              return point.value("ranges") == 1.0 ? kStudyRanges * us : us;
                          }});
    }
    return stacked_figure(
        {"batching-stages", "64 scattered ranges of 16 KiB: where the time goes",
         "The stages of the commands added up."},
        {}, {"time, us"}, pairs,
        [](const Measured& point) {
            return point.text("drive") + (point.value("ranges") == 1.0 ? ", 64 x 1" : ", 1 x 64");
        },
        layers);
}

/// One category per device, one series per way of sending.
CategoryFigure sending_figure(Points points, const char* part, FigureText text, const char* value,
                              const char* label) {
    const auto category = [](const Measured& point) {
        return (point.parameters.contains("benchmark") ? point.text("benchmark") + ", " : "") +
               point.text("device");
    };
    return category_figure(std::move(text), CategoryFigure::Look::bars, {}, {label},
                           select(points, {{"part", part}}), category, "discard", value);
}

LineFigure ageing_figure(Points points) {
    return line_figure(
        {"ageing", "Write amplification after ageing, by the share of TRIMs",
         "The same random writes; so much of the capacity less holds data."},
        {"TRIMs among the requests, %"}, {"write amplification"}, select(points, {{"part", "ageing"}}),
        "device", [](const Measured& point) { return point.value("trim_share") * 100.0; },
        "write_amplification");
}

class TrimStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override {
        return {claims_of(points), figures_of(points), tables_of(points, style)};
    }

  private:
    /// The shapes, each once; those of a line of growing sizes are adjacent.
    [[nodiscard]] std::vector<Shape> shapes() const;
    void check_region(const Device& device) const;

    std::vector<std::string> parts_{"ranges", "filesystem", "latency", "ageing"};
    std::vector<std::string> drives_{"jasmine", "given"};
    std::vector<std::string> mappings_{"page", "cached", "hybrid"};
    std::vector<std::string> partials_{"zeroed", "kept"};
    std::vector<std::uint64_t> sizes_{4 * hal::kKiB, 16 * hal::kKiB, 64 * hal::kKiB, 256 * hal::kKiB,
                                      hal::kMiB,     4 * hal::kMiB,  16 * hal::kMiB, 64 * hal::kMiB};
    std::vector<std::uint32_t> ranges_{1, 64};
    std::vector<std::uint32_t> counts_{1, 2, 4, 8, 16, 32, 64};  ///< ranges of 16 KiB, scattered and aligned
    std::vector<std::string> placements_{"contiguous", "scattered"};
    std::vector<std::string> starts_{"aligned", "unaligned"};
    std::uint64_t region_ = 2 * hal::kGiB;
    std::uint64_t grain_ = hal::kSectorBytes;
    std::uint64_t trimmed_ = 512;  ///< most ranges at each point
    std::vector<std::string> benchmarks_{"postmark,files=5000,transactions=20000,size=4k-64k,memory=256MiB",
                                         "postmark,files=2000,transactions=5000,size=4k-64k,fsync=0.2",
                                         "filebench_delete"};
    std::vector<std::string> discards_{"none", "per_extent", "batched", "queued", "fstrim"};
    std::uint64_t reads_ = 20000;
    hal::Ps interval_ = std::chrono::microseconds(150);  ///< mean time between two reads
    std::vector<std::uint32_t> trim_percent_{0, 10, 25, 50};
    double rounds_ = 3;
};

Program TrimStudy::program(std::span<char* const> /*arguments*/) const {
    Program program;
    program.name = "tb_trim";
    program.summary =
        "Measures what TRIM costs a simulated SATA SSD by the shape of its ranges, by the way a file system "
        "sends it, and what it saves in write amplification.";
    program.examples = {
        "--out out",
        "--parts ranges --drives jasmine --mappings page",
        "--parts ranges --sizes 16k --counts 1,64 --drives given --preset enterprise",
        "--parts filesystem --discards per_extent,batched",
    };
    program.notes = "docs/trim.md explains the tables and the verdicts.";
    program.unused = {no_requests(program.name),
                      {kAgeingOptions, "tb_trim writes its region itself; use tb_replay"},
                      {{"--queue-depth"}, "each part of tb_trim has its own; see docs/trim.md"}};
    // Contents do not change this study's results, and take time.
    program.configuration_defaults = "content = \"none\"\n";
    return program;
}

void TrimStudy::add_options(OptionSet& options) {
    constexpr std::uint64_t kMostTrimmed = 1'000'000;
    constexpr std::uint64_t kMostReads = 100'000'000;
    constexpr std::uint64_t kMostPercent = 90;
    const Kind<std::uint64_t> bytes = kinds::size_in(1, hal::kSectorBytes, hal::kGiB, hal::kSectorBytes);
    const Kind<std::uint64_t> ranges = kinds::integer(1, kStudyRanges);
    options.dimension("--parts", parts_, kinds::one_of({"ranges", "filesystem", "latency", "ageing"}),
                      "Parts of the study");
    options.dimension("--drives", drives_,
                      kinds::one_of({"given", "jasmine", "default", "enterprise", "agrawal", "tiny"}),
                      "given: as --preset, --config and --set say; or presets");
    options.dimension("--mappings", mappings_, kinds::one_of({"page", "cached", "hybrid"}),
                      "page: whole map in DRAM; cached: dftl; hybrid: fast");
    options.dimension("--partials", partials_, kinds::one_of({"zeroed", "kept"}),
                      "Sectors of units trimmed in part: zeroed (RZAT) or kept");
    options.dimension("--sizes", sizes_, bytes, "Of a range");
    options.dimension("--ranges", ranges_, ranges, "Ranges per command");
    options.dimension("--counts", counts_, ranges, "Scattered, aligned ranges of 16 KiB per command");
    options.dimension("--placements", placements_, kinds::one_of({"contiguous", "scattered"}),
                      "Where ranges lie");
    options.dimension("--starts", starts_, kinds::one_of({"aligned", "unaligned"}), "Where ranges begin");
    options.value("--region", region_, kinds::size_in(1, hal::kMiB, kinds::kUnlimited, hal::kSectorBytes),
                  "Written, then trimmed");
    options.value("--grain", grain_, bytes, "Ranges that are not aligned begin at odd multiples of it");
    options.value("--trimmed", trimmed_, kinds::integer(1, kMostTrimmed),
                  "Ranges at most at each point of ranges; 256 MiB at most");
    options
        .texts("--benchmark", benchmarks_, "SPEC",
               "A benchmark on a file system as in tb_replay --workload; may be repeated")
        ->capture_default_str();
    options.dimension("--discards", discards_,
                      kinds::one_of({"none", "per_extent", "batched", "queued", "fstrim"}),
                      "How the file system trims");
    options.value("--reads", reads_, kinds::integer(100, kMostReads), "Reads of the latency runs");
    options.value("--interval", interval_, kinds::duration(hal::Ps{1}),
                  "Mean time between two of these reads");
    options.dimension("--trim-percent", trim_percent_, kinds::integer(0, kMostPercent),
                      "Shares of TRIMs among the requests of the ageing runs");
    options.value("--rounds", rounds_, kinds::number(0, 100), "Times the capacity written while ageing");
}

void TrimStudy::check(const CommandLine& /*line*/, Errors& errors) {
    if (region_ < grain_) {
        errors.push_back(fmt::format("--region: found {}; allowed: at least {} (--grain)", region_, grain_));
    }
    if (const double seconds = std::chrono::duration<double>(interval_).count() * static_cast<double>(reads_);
        seconds > hal::kHorizonSeconds) {
        errors.push_back(
            fmt::format("--interval: found {}, with which {} reads last longer than {}; allowed: a "
                        "shorter time",
                        platform::format_duration(interval_), reads_, hal::kHorizonText));
    }
}

std::vector<Shape> TrimStudy::shapes() const {
    std::vector<Shape> shapes;
    for (const std::string& placement : placements_) {
        for (const std::string& start : starts_) {
            for (const std::uint32_t count : ranges_) {
                for (const std::uint64_t size : sizes_) {
                    shapes.push_back(
                        Shape{size, count, placement == "contiguous", start == "aligned", grain_});
                }
            }
        }
    }
    for (const std::uint32_t count : counts_) {
        const Shape shape{kStudyRangeBytes, count, false, true, grain_};
        if (std::ranges::find(shapes, shape) == shapes.end()) {
            shapes.push_back(shape);
        }
    }
    return shapes;
}

void TrimStudy::check_region(const Device& device) const {
    if (device.configuration.exported_bytes() < region_) {
        throw InputError(
            fmt::format("--region: found {} bytes; allowed: at most {}, what the drive {} exports", region_,
                        device.configuration.exported_bytes(), device.name()));
    }
}

StudyPlan TrimStudy::plan(const CommandLine& line) {
    std::vector<StudyJob> jobs;
    const auto devices = [&](const std::vector<std::string>& mappings,
                             const std::vector<std::string>& partials) {
        return devices_of(line.configuration, DeviceLists{drives_, mappings, partials});
    };
    if (has(parts_, "ranges")) {
        for (const Device& device : devices(mappings_, partials_)) {
            check_region(device);
            for (const Shape& shape : shapes()) {
                if (const auto plan = plan_shape(shape, region_, trimmed_)) {
                    jobs.push_back(ranges_job(device, *plan));
                }
            }
        }
    }
    // The other parts are about the host; they use the map of the study's board.
    if (has(parts_, "filesystem")) {
        const std::vector<Device> with_page_map = devices({"page"}, partials_);
        for (const std::string& benchmark : benchmarks_) {
            for (const Device& device : with_page_map) {
                for (const std::string& discard : discards_) {
                    jobs.push_back(filesystem_job(device, benchmark, discard));
                }
            }
        }
    }
    const std::vector<Device> plain = devices({"page"}, {partials_.front()});
    if (has(parts_, "latency")) {
        const MixedSource::Load load{region_, reads_, interval_};
        for (const Device& device : plain) {
            check_region(device);
            for (std::size_t i = 0; i < kSendingNames.size(); ++i) {
                jobs.push_back(latency_job(device, static_cast<Sending>(i), load));
            }
        }
    }
    if (has(parts_, "ageing")) {
        for (const Device& device : plain) {
            for (const std::uint32_t percent : trim_percent_) {
                jobs.push_back(ageing_job(device, Churn{percent / 100.0, rounds_}));
            }
        }
    }
    if (jobs.empty()) {
        throw InputError("nothing to run; allowed: at least one part with a point that fits into the region");
    }
    return {usual_opening(jobs, line), std::move(jobs)};
}

}  // namespace

std::string tables_of(Points points, const TextStyle& style) {
    return ranges_text(points, style) + counts_text(points, style) + stages_text(points, style) +
           part_table(points, "filesystem", "On a file system",
                      {text("device", "device"), text("benchmark", "benchmark"), text("discard", "discard"),
                       number("ops/s", "operations_per_s", 0),
                       number("with sync", "synced_operations_per_s", 0), number("trims", "trims", 0),
                       number("ranges", "trim_ranges", 0), number("us a trim", "trim_us", 1),
                       number("commits s", "commit_s", 3), number("for trims s", "commit_trim_s", 3)},
                      style) +
           part_table(points, "latency", "Random reads while TRIMs run",
                      {text("device", "device"), text("discard", "discard"),
                       number("mean us", "read_mean_us", 1), number("p99 us", "read_p99_us", 1),
                       number("IOPS", "read_iops", 0), number("held back us", "read_host_queue_us", 1),
                       number("trims", "trims", 0), number("us a trim", "trim_us", 1)},
                      style) +
           part_table(points, "ageing", "After ageing with TRIMs among the writes",
                      {text("device", "device"), text("trim_share", "trim_share"),
                       number("WA", "write_amplification", 2), number("writes/s", "write_iops", 0),
                       number("mean us", "write_mean_us", 1)},
                      style);
}

std::vector<Figure> figures_of(Points points) {
    std::vector<Figure> figures;
    add_sizes(points, figures);
    add_unless_empty(figures, counts_figure(points));
    add_unless_empty(figures, stages_figure(points));
    add_unless_empty(
        figures, sending_figure(points, "filesystem",
                                {"filesystem",
                                 "Operations per second on a file system, by how freed extents are sent", ""},
                                "synced_operations_per_s", "operations per second"));
    add_unless_empty(figures,
                     sending_figure(points, "latency",
                                    {"read-mean", "Mean latency of reads while TRIMs run",
                                     "A freed range of 16 KiB for every 16 reads of 4 KiB, 8 requests "
                                     "outstanding."},
                                    "read_mean_us", "latency, us"));
    add_unless_empty(figures, sending_figure(points, "latency",
                                             {"read-p99", "99th percentile of reads while TRIMs run", ""},
                                             "read_p99_us", "latency, us"));
    add_unless_empty(figures, ageing_figure(points));
    return figures;
}

}  // namespace solidtlm::testbench::trim

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<trim::TrimStudy>();
}
