// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "platform/units.h"
#include "testbench/results/terminal.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/tables.h"
#include "testbench/studies/slc_cache/slc_cache.h"

namespace solidtlm::testbench::slc_cache {
namespace {

std::string cache_name(const Measured& point) {
    return fmt::format("{}, {}, {}", point.text("drive"), point.text("cache"),
                       platform::format_size(static_cast<std::uint64_t>(point.value("size"))));
}

const std::vector<Column>& columns() {
    static const std::vector<Column> all{
        text("cache", "cache"),
        text(
            "size",
            [](const Measured& point) {
                return platform::format_size(static_cast<std::uint64_t>(point.value("size")));
            },
            Align::right),
        text("folding", "folding"),
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

std::vector<std::pair<double, double>> line_of(const Json& curve) {
    return curve.get<std::vector<std::pair<double, double>>>();
}

/// The first burst for each way of folding, and the closed form for the first of them.
LineFigure curve_figure(const Selected& points) {
    const Measured& any = *points.front();
    LineFigure figure;
    figure.text = {figure_id("curve-" + any.text("drive") + "-" + any.text("cache") + "-" + any.text("size")),
                   "Write speed over the amount written, " + cache_name(any),
                   "A new drive, written sequentially. Dashed: the closed form."};
    figure.x = {"written, MB"};
    figure.y = {"MB/s"};
    for (const Measured* point : points) {
        figure.series.push_back({point->text("folding"), line_of(point->more["first"])});
    }
    for (const char* bound : {"bound_before_mb_per_s", "bound_after_mb_per_s"}) {
        const double level = any.value(bound);
        const bool before = std::string_view(bound) == "bound_before_mb_per_s";
        const double cliff = any.value("bound_cliff_mb");
        const double end = std::max(cliff, any.more["first"].back()[0].get<double>());
        figure.series.push_back({before ? "closed form, into the cache" : "closed form, behind it",
                                 {{before ? 0.0 : cliff, level}, {before ? cliff : end, level}},
                                 true});
    }
    if (const RealDrive* real = find_drive(any.text("drive")); real != nullptr) {
        const double cliff = real->published.cliff_gb * 1000.0 / real->scale;
        figure.series.push_back(
            {"published, before", {{0.0, real->published.before}, {cliff, real->published.before}}, true});
        if (const auto after = real->published.after) {
            figure.series.push_back({"published, behind",
                                     {{cliff, *after}, {any.more["first"].back()[0].get<double>(), *after}},
                                     true});
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
                      "given: as --preset, --config and --set say; or models of real ones");
    options.dimension("--caches", sweep_.caches, kinds::one_of({"static", "dynamic"}), "Of the given drive");
    options.dimension("--sizes", sweep_.sizes, kinds::size_in(1, hal::kMiB, 1024 * hal::kGiB, hal::kMiB),
                      "Sizes of its cache");
    options.dimension("--folding", sweep_.folding, kinds::one_of({"idle", "behind", "wait"}),
                      "idle: while the host is; behind: also while it writes; wait: the host waits for it");
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
    if (line.configuration.firmware.slc_cache.copy_back) {
        errors.emplace_back(
            "firmware.slc_cache.copy_back: found true; allowed: false, the closed forms are those of folding "
            "through the controller");
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
    for (const Selected& drive : groups_of(select(points), {"drive"})) {
        text += titled_table(drive, drive_title(drive.front()->text("drive")), columns(), style);
    }
    return text;
}

std::vector<Figure> figures_of(Points points) {
    std::vector<Figure> figures;
    for (const Selected& cache : groups_of(select(points), {"drive", "cache", "size"})) {
        const Json& pause = cache.front()->parameters["pause"];
        figures.emplace_back(curve_figure(select(cache, {{"pause", pause}})));
        const Json& folding = cache.front()->parameters["folding"];
        figures.emplace_back(recovery_figure(select(cache, {{"folding", folding}})));
    }
    return figures;
}

}  // namespace solidtlm::testbench::slc_cache

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<slc_cache::SlcCacheStudy>();
}
