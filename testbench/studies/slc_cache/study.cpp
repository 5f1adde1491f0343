// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "fw/hal/check.h"
#include "platform/units.h"
#include "testbench/show/terminal.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/tables.h"
#include "testbench/studies/slc_cache/slc_cache.h"

namespace solidtlm::testbench::slc_cache {
namespace {

std::string cache_name(const Measured& point) {
    return fmt::format("{}, {}, {}", point.text("drive"), point.text("cache"),
                       platform::format_size(static_cast<std::uint64_t>(point.value("size"))));
}

Column size_column() {
    return text(
        "size",
        [](const Measured& point) {
            return platform::format_size(static_cast<std::uint64_t>(point.value("size")));
        },
        Align::right);
}

const std::vector<Column>& columns() {
    static const std::vector<Column> all{text("cache", "cache"),
                                         size_column(),
                                         text("folding", "folding"),
                                         text("copying", "copying"),
                                         text("pause", "pause", Align::right),
                                         number("cliff MB", "cliff_mb", 0),
                                         number("closed", "bound_cliff_mb", 0),
                                         plain("before", "before_mb_per_s", 1),
                                         plain("closed", "bound_before_mb_per_s", 1),
                                         plain("after", "after_mb_per_s", 1),
                                         plain("closed", "bound_after_mb_per_s", 1),
                                         percent("recovered %", "recovered_share"),
                                         percent("folded %", "folded_share"),
                                         percent("past %", "bypassed_share"),
                                         plain("WA", "write_amplification", 2)};
    return all;
}

const std::vector<Column>& folding_columns() {
    static const std::vector<Column> all{text("cache", "cache"),
                                         size_column(),
                                         text("copying", "copying"),
                                         text("pause", "pause", Align::right),
                                         plain("MB/s", "fold_mb_per_s", 1),
                                         plain("closed", "bound_fold_mb_per_s", 1),
                                         percent("inside the die %", "copied_back_share")};
    return all;
}

const std::vector<Column>& error_columns() {
    static const std::vector<Column> all{
        text("copying", "copying"), plain("per codeword", "errors_per_codeword", 2),
        plain("closed", "bound_errors_per_codeword", 2), plain("most", "most_corrected_bits", 0)};
    return all;
}

/// The points with bursts of writes.
Selected bursts_in(Points points) {
    return select(points, {{"reads", nullptr}});
}
/// Those with bit errors.
Selected reads_in(Points points) {
    return select(points, {{"reads", true}});
}
/// Those whose pause ended before folding did.
Selected folding_in(Points points) {
    Selected folding = bursts_in(points);
    std::erase_if(folding, [](const Measured* point) { return !point->find("fold_mb_per_s"); });
    return folding;
}

/// "wait", "wait, inside the die".
std::string folding_name(const Measured& point) {
    return point.text("folding") + (point.text("copying") == "die" ? ", inside the die" : "");
}

using Line = std::vector<std::pair<double, double>>;

Line line_of(const Json& curve) {
    return curve.get<Line>();
}

/// A speed up to a cliff, and another up to the end.
Line step(double before, double cliff, double after, double end) {
    return {{0.0, before}, {cliff, before}, {cliff, after}, {std::max(cliff, end), after}};
}

/// The published speeds, over what the smaller drive of the model has written.
Line published_line(const RealDrive& real, double end) {
    constexpr double kMbPerGb = 1000.0;
    const double cliff = real.published("cliff_gb").value() * kMbPerGb / scale_of(real.drive);
    Line line;
    if (const auto before = real.published("before_mb_per_s")) {
        line = {{0.0, *before}, {cliff, *before}};
    }
    if (const auto behind = real.published("behind_mb_per_s")) {
        line.insert(line.end(), {{cliff, *behind}, {std::max(cliff, end), *behind}});
    }
    return line;
}

/// The first burst for each way of folding, beside its closed form.
LineFigure curve_figure(const Selected& points) {
    const Measured& any = *points.front();
    const double end = any.more["first"].back()[0];
    LineFigure figure;
    figure.text = {figure_id("curve-" + any.text("drive") + "-" + any.text("cache") + "-" + any.text("size")),
                   "Write speed over the amount written, " + cache_name(any),
                   "A new drive, written sequentially. Dashed: the closed form."};
    figure.x = {"written, MB"};
    figure.y = {"MB/s"};
    for (const Measured* point : points) {
        figure.series.push_back({folding_name(*point), line_of(point->more["first"])});
    }
    for (const Measured* point : points) {
        figure.series.push_back({folding_name(*point) + ", closed",
                                 step(point->value("bound_before_mb_per_s"), point->value("bound_cliff_mb"),
                                      point->value("bound_after_mb_per_s"), end),
                                 true});
    }
    if (const RealDrive* real = find_drive(any.text("drive")); real != nullptr) {
        Line published = published_line(*real, end);
        if (!published.empty()) {
            figure.text.caption += " Dashed, too: what is published.";
            figure.series.push_back({"published", std::move(published), true});
        }
    }
    return figure;
}

/// The second burst over the pause before it.
LineFigure recovery_figure(const Selected& points) {
    const Measured& any = *points.front();
    LineFigure figure;
    figure.text = {
        figure_id("recovery-" + any.text("drive") + "-" + any.text("cache") + "-" + any.text("size")),
        "Write speed after a pause, " + cache_name(any),
        "The cache was full. A pause is given in times that folding all of it takes."};
    figure.x = {"written since the pause, MB"};
    figure.y = {"MB/s"};
    for (const Measured* point : points) {
        figure.series.push_back({"pause " + point->text("pause"), line_of(point->more["second"])});
    }
    return figure;
}

/// Each series of `measured` with that of `closed` after it. REQUIRES: they have equally many.
CategoryFigure beside(CategoryFigure measured, const CategoryFigure& closed) {
    SOLIDTLM_CHECK(measured.series.size() == closed.series.size(), "each series has a closed form");
    for (std::size_t i = closed.series.size(); i > 0; --i) {
        measured.series.insert(measured.series.begin() + static_cast<std::ptrdiff_t>(i),
                               closed.series[i - 1]);
    }
    return measured;
}

/// Speeds that folding limits, by way of copying: folding alone, and writes behind the cliff.
CategoryFigure copying_figure(const Selected& points) {
    const Measured& any = *points.front();
    Selected limited;
    std::ranges::copy_if(points, std::back_inserter(limited), [&any](const Measured* point) {
        return point->text("folding") == "idle" ? point->find("fold_mb_per_s").has_value()
                                                : point->text("pause") == any.text("pause");
    });
    const auto figure_of = [&](const std::string& addition, const char* alone, const char* behind) {
        return category_figure(
            {figure_id("copying-" + any.text("drive") + "-" + any.text("cache") + "-" + any.text("size")),
             "Folding through the controller and inside the die, " + cache_name(any),
             "Speed of folding while the host is idle, and of writes to a cache that is full."},
            CategoryFigure::Look::bars, {"folding"}, {"MB/s"}, limited,
            [](const Measured& point) {
                return point.text("folding") == "idle" ? "idle, folding alone"
                                                       : point.text("folding") + ", writes";
            },
            [&addition](const Measured& point) { return point.text("copying") + addition; },
            [alone, behind](const Measured& point) {
                return point.find(point.text("folding") == "idle" ? alone : behind);
            });
    };
    return beside(figure_of("", "fold_mb_per_s", "after_mb_per_s"),
                  figure_of(", closed", "bound_fold_mb_per_s", "bound_after_mb_per_s"));
}

/// What copying inside the die costs.
CategoryFigure errors_figure(const Selected& points) {
    const auto series_of = [&points](const std::string& name, const char* value) {
        return category_figure(
            {"errors", "Raw bit errors of what was folded",
             "Errors in a codeword when it is read. A copy inside the die has those of its "
             "source, too, because nothing corrects them."},
            CategoryFigure::Look::bars, {"copying"}, {"bits per codeword"}, points, "copying",
            [&name](const Measured&) { return name; }, value);
    };
    return beside(series_of("measured", "errors_per_codeword"),
                  series_of("closed form", "bound_errors_per_codeword"));
}

class SlcCacheStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override {
        return {claims_of(points), figures_of(points), tables_of(points, style)};
    }

  private:
    Sweep sweep_;
    CLI::Option* copying_ = nullptr;
};

Program SlcCacheStudy::program(std::span<char* const> /*arguments*/) const {
    Program program;
    program.name = "tb_slc_cache";
    program.summary =
        "Writes simulated SATA SSDs with an SLC cache until it is full and beyond, lets them be idle, and "
        "writes again: speed over the amount written, beside closed forms and real drives.";
    program.examples = {
        "--out out",
        "--caches dynamic --sizes 1g --set firmware.slc_cache.share=0.25 --pauses 0,1,4",
        "--caches static --sizes 64m --folding wait --pauses 0 --drives given",
    };
    program.notes =
        "The given drive has two channels of two dies and TLC flash unless its keys say otherwise.\n"
        "docs/slc-cache-study.md explains the tables and where the times come from.";
    program.unused = {no_requests(program.name),
                      {kAgeingOptions, "tb_slc_cache begins with new drives"},
                      {{"--queue-depth"}, "tb_slc_cache writes with 32 requests outstanding"}};
    // Times: HP, Solid State Drive Technology, Differences between SLC, MLC and TLC NAND, table 1 (TLC: 75
    // us, 900 to 1,350 us, 4.5 ms; SLC: 25 us, 200 to 300 us).
    program.configuration_defaults =
        "content = \"none\"\n"
        "[ssd]\nover_provisioning = 0.25\n"
        "[nand]\ncell = \"tlc\"\n"
        "[nand.geometry]\nchannels = 2\ndies = 2\npages = 258\n"
        "[nand.timing]\nread = \"75us\"\nprogram = \"1125us\"\nerase = \"4.5ms\"\n"
        "[nand.slc]\nread = \"25us\"\nprogram = \"250us\"\n"
        "[firmware.write_buffer]\nsize = \"4MiB\"\n"
        "[firmware.slc_cache]\nmode = \"dynamic\"\n";
    return program;
}

void SlcCacheStudy::add_options(OptionSet& options) {
    constexpr double kMostPause = 100.0;
    constexpr double kLeastWritten = 1.5;
    constexpr double kMostWritten = 20.0;
    options.dimension("--drives", sweep_.drives, kinds::one_of(drive_names()),
                      "given: as --preset, --config and --set say; or real ones (docs/real-drives.md)");
    options.dimension("--caches", sweep_.caches, kinds::one_of({"static", "dynamic"}), "Of the given drive");
    options.dimension("--sizes", sweep_.sizes, kinds::size_in(1, hal::kMiB, 1024 * hal::kGiB, hal::kMiB),
                      "Sizes of its cache");
    options.dimension("--folding", sweep_.folding, kinds::one_of({"idle", "behind", "wait"}),
                      "idle: while the host is; behind: also while it writes; wait: the host waits for it");
    copying_ = options.dimension(
        "--copying", sweep_.copying, kinds::one_of({"controller", "die"}),
        "How data leaves the cache of the given drive: through the controller, or inside the die "
        "(firmware.slc_cache.copy_back); if not given, in each way that the drive can, or as the key says");
    options.dimension("--pauses", sweep_.pauses, kinds::number(0.0, kMostPause),
                      "Before the second burst, in times that folding the cache takes");
    options.value("--written", sweep_.written, kinds::number(kLeastWritten, kMostWritten),
                  "First burst, in sizes of the cache");
}

void SlcCacheStudy::check(const CommandLine& line, Errors& errors) {
    if (!line.configuration.firmware.slc_cache.fold_when_idle) {
        errors.emplace_back(
            "firmware.slc_cache.fold_when_idle: found false; allowed: true, --pauses 0 leaves the drive no "
            "time");
    }
    const std::vector<std::string> copying = copying_of(line.configuration);
    if (copying_->count() == 0) {
        sweep_.copying = copying;
    }
    for (const std::string& way : sweep_.copying) {
        if (!has(copying, way)) {
            errors.push_back(fmt::format("--copying: found {}; allowed: {}, {}", way, copying.front(),
                                         way == "die"
                                             ? "this drive cannot fold with firmware.slc_cache.copy_back"
                                             : "firmware.slc_cache.copy_back is true"));
        }
    }
    const fw::SlcCacheConfig& cache = line.configuration.firmware.slc_cache;
    if (cache.largest_write_bytes > 0 && cache.largest_write_bytes < kRequestBytes) {
        errors.push_back(
            fmt::format("firmware.slc_cache.largest_write: found {} bytes; allowed: 0, or at least the {} "
                        "bytes of a request, "
                        "otherwise nothing is written to the cache",
                        cache.largest_write_bytes, kRequestBytes));
    }
}

StudyPlan SlcCacheStudy::plan(const CommandLine& line) {
    StudyPlan plan;
    plan.jobs = jobs_of(sweep_, line.configuration);
    plan.opening = usual_opening(plan.jobs, line);
    return plan;
}

}  // namespace

std::string tables_of(Points points, const TextStyle& style) {
    std::string text;
    for (const Selected& drive : groups_of(bursts_in(points), {"drive"})) {
        text += titled_table(drive, drive_title(drive.front()->text("drive")), columns(), style);
    }
    text += real_drives_table(points, style);
    text += titled_table(folding_in(points), "Folding while the host is idle", folding_columns(), style);
    text += titled_table(reads_in(points), "Raw bit errors of what was folded", error_columns(), style);
    return text;
}

std::vector<Figure> figures_of(Points points) {
    std::vector<Figure> figures;
    for (const Selected& cache : groups_of(bursts_in(points), {"drive", "cache", "size"})) {
        const Json& pause = cache.front()->parameters["pause"];
        figures.emplace_back(curve_figure(select(cache, {{"pause", pause}})));
        add_unless_empty(figures, copying_figure(cache));
        if (values_of(cache, "pause") == std::vector<Json>{0.0}) {
            continue;
        }
        const Json& folding = cache.front()->parameters["folding"];
        const Json& copying = cache.front()->parameters["copying"];
        figures.emplace_back(recovery_figure(select(cache, {{"folding", folding}, {"copying", copying}})));
    }
    add_unless_empty(figures, errors_figure(reads_in(points)));
    return figures;
}

}  // namespace solidtlm::testbench::slc_cache

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<slc_cache::SlcCacheStudy>();
}
