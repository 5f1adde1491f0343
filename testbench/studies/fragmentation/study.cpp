// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "platform/interface_facts.h"
#include "testbench/studies/fragmentation/fragmentation.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::fragmentation {
namespace {

Selected systems_in(Points points) {
    return select(points, {{"part", nullptr}});
}

/// For each load and layer, the run with the rule, or the one without if there is no other.
Selected shown(const Selected& systems) {
    Selected found;
    for (const Selected& both : groups_of(systems, {"load", "layer"})) {
        const Selected ruled = select(both, {{"sequential_rule", true}});
        found.push_back(ruled.empty() ? both.front() : ruled.front());
    }
    return found;
}

bool timed_in(Points points) {
    return std::ranges::any_of(points,
                               [](const Measured& each) { return each.find("mb_per_s").has_value(); });
}

std::string striped(const Measured& system) {
    return system.text("striping") == "full" ? "full striping" : "no striping";
}

/// Text for the systems of a load and striping.
FigureText panel_text(const std::string& id, const std::string& title, const Measured& of,
                      const std::string& caption) {
    return {figure_id(fmt::format("{}-{}-{}", id, of.text("load"), of.text("striping"))),
            fmt::format("{}: {}, {}", title, of.text("load"), striped(of)), caption};
}

/// Figure 5: how much is read and written, where and when.
Figure access_pattern(const Load& load) {
    HeatmapFigure figure;
    figure.text = {
        figure_id("pattern-" + load.name), "figure 5: access pattern: " + load.name,
        "Read and written in each part of the drive, while the requests go on from left to right."};
    figure.x.label = "requests, %";
    figure.y.label = "address, % of the drive";
    figure.unit = "MiB";
    for (std::size_t time = 0; time < Profile::kTimes; ++time) {
        figure.x_categories.push_back(std::to_string(100 * time / Profile::kTimes));
    }
    for (std::size_t place = 0; place < Profile::kPlaces; ++place) {
        figure.y_categories.push_back(std::to_string(100 * place / Profile::kPlaces));
        std::vector<std::optional<double>>& row = figure.cells.emplace_back();
        for (const double mib : load.profile.pattern[place]) {
            row.push_back(mib > 0.0 ? std::optional(mib) : std::nullopt);
        }
    }
    return figure;
}

Figure utilisation_over_time(const Selected& layers) {
    LineFigure figure{panel_text("utilisation-over-time", "block utilisation over time", *layers.front(), ""),
                      {"written, GiB"},
                      {"block utilisation, %"},
                      {}};
    for (const Measured* layer : layers) {
        if (const Json& curve = layer->more["over_time"]; !curve.empty()) {
            figure.series.push_back(
                {layer->text("layer"), curve.get<std::vector<std::pair<double, double>>>()});
        }
    }
    return figure;
}

/// Figure 8. `systems` differ in layer and rule.
Figure throughput_figure(const Selected& systems, bool timed) {
    CategoryFigure figure{
        panel_text(
            "throughput", "figure 8: throughput", *systems.front(),
            std::string(timed ? "" : "Not timed: what the flash work allows if every die is always busy. ") +
                "wasted: with the rule of ascending pages; no_wasted: without."),
        CategoryFigure::Look::bars,
        {"translation layer"},
        {"throughput, MB/s"},
        {},
        {{"wasted", {}}, {"no_wasted", {}}}};
    const Matrix matrix(systems, "sequential_rule", "layer");
    for (const Json& layer : matrix.columns()) {
        figure.categories.push_back(layer.get<std::string>());
        for (std::size_t i = 0; i < figure.series.size(); ++i) {
            const Measured* point = matrix.at(i == 0, layer);
            figure.series[i].values.push_back(point != nullptr ? throughput(*point) : kGap);
        }
    }
    return figure;
}

std::string load_table(std::span<const Load> loads, double scale, const TextStyle& style) {
    std::vector<Measured> rows;
    for (const auto& [name, line, profile] : loads) {
        Measured& row = rows.emplace_back(
            Measured{{{"load", name}},
                     {{"requests", profile.requests},
                      {"gib", static_cast<double>(profile.bytes) / hal::kGiB},
                      {"mean_kib", profile.mean_kib()},
                      {"written_gib", static_cast<double>(profile.written_bytes) / hal::kGiB}}});
        if (name == kIozone) {
            row.more = {{"published_gib", 3.42 * scale}, {"published_kib", 58.68}};
        } else if (name == kPcApplication) {
            row.more = {{"published_gib", 1.62 * scale}, {"published_kib", 13.53}};
        }
    }
    return titled_table(
               select(rows), "Loads (table 1 of the study)",
               {text("load", "load"), number("requests", "requests", 0), number("GiB", "gib", 2),
                number("mean KiB", "mean_kib", 2), number("written GiB", "written_gib", 2),
                number("published GiB", "published_gib", 2), number("published KiB", "published_kib", 2)},
               style) +
           (scale != 1.0
                ? fmt::format("Drive, log and the study's two workloads are {} of their full size.\n", scale)
                : "");
}

class FragmentationStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override {
        return {claims_of(points), figures_of(points, loads_),
                tables_of(points, loads_, sweep_.scale, style)};
    }

  private:
    [[nodiscard]] bool timed() const { return timing_ == "full"; }

    Sweep sweep_;
    std::string timing_ = "full";
    std::vector<std::string> workloads_;  ///< as given; empty: both or, if the line has loads, only those
    std::vector<std::uint32_t> log_sweep_{128, 256, 512, 1024, 2048, 4096};
    std::vector<double> drive_sweep_{1.0, 0.5, 0.25, 0.125};
    std::vector<SystemPoint> systems_;
    std::vector<Load> loads_;
};

Program FragmentationStudy::program(std::span<char* const> arguments) const {
    Program program;
    program.name = "tb_fragmentation";
    program.summary =
        "Writes the workloads of a study to page mapping and to every block-mapped layer, striped and not, "
        "with and without the rule that pages of a block are programmed in order: block utilisation, kinds "
        "of writes, merges, throughput.";
    program.examples = {
        "--out out",
        "--timing off --out out",
        "--layers page_map,fast --striping full --scale 0.25",
        "--timing off --trace desktop.trace.xz --fit wrap --format disksim",
        "--layers fast --precondition fill=1,random=0",
    };
    program.notes =
        "Without --preset and --config: the drive of Agrawal et al. 2008, as large as the workloads need "
        "(32 GiB).\ndocs/fragmentation.md explains tables and claims.";
    program.unused = {no_arrivals(program.name),
                      {{"--scale"}},  // the study has its own option
                      {{"--warm-up"}, "tb_fragmentation measures everything from the first request on"}};
    // Contents do not change this study's results, and take time.
    program.configuration_defaults = "content = \"none\"\n";
    const auto names_a_device = [](std::string_view argument) {
        return argument.starts_with("--preset") || argument.starts_with("--config");
    };
    if (std::ranges::none_of(arguments, names_a_device)) {
        program.configuration_defaults +=
            "preset = \"agrawal\"\nssd.capacity = \"32GiB\"\nnand.geometry.blocks = 2410\n"
            "firmware.allocation.order = \"CWDP\"\n";
    }
    return program;
}

void FragmentationStudy::add_options(OptionSet& options) {
    constexpr std::uint64_t kMostLogBlocks = 1U << 20U;
    const Kind<double> part = kinds::number_above(0, 1);
    const Kind<std::uint64_t> blocks = kinds::integer(1, kMostLogBlocks);
    options.dimension("--layers", sweep_.layers, kinds::one_of(layer_names()), "Translation layers");
    options.dimension("--striping", sweep_.striping, kinds::one_of({"full", "none"}), "Striping");
    options.dimension("--rules", sweep_.rules, kinds::one_of({"on", "off"}),
                      "Pages of a block in ascending order");
    options.dimension("--workloads", workloads_, kinds::one_of({kIozone, kPcApplication}),
                      "Both if neither these nor --workload nor --trace are given");
    options.value("--timing", timing_, kinds::one_of({"full", "off"}),
                  "full: on the whole drive; off: page writes, merges and erases counted");
    options.value("--scale", sweep_.scale, part,
                  "Of drive, log and the study's workloads, for a faster look");
    options.value("--log-blocks", sweep_.log_blocks, blocks, "NAND blocks of the log, in the whole drive");
    options.dimension("--log-sweep", log_sweep_, blocks,
                      "Sizes of the log for the figure of what the rule costs; counted, FAST with full "
                      "striping");
    options.list("--drive-sweep", drive_sweep_, part,
                 "Parts of the drive for the figure of what its size changes; counted, FAST with full "
                 "striping, PC application");
}

void FragmentationStudy::check(const CommandLine& line, Errors& errors) {
    const std::optional<Preconditioning>& ageing = line.precondition;
    if (ageing && !timed() && (ageing->random != 0.0 || ageing->fill == 0.0)) {
        errors.emplace_back(
            "--precondition: without time a drive is filled, no more; allowed: fill=X,random=0, or --timing "
            "full");
    }
    if (line.queue_depth && !timed()) {
        errors.emplace_back("--queue-depth: found with --timing off; allowed: with --timing full");
    }
    if (!errors.empty()) {
        return;
    }
    if (workloads_.empty() && line.workload.empty() && line.traces.empty()) {
        workloads_ = {kIozone, kPcApplication};
    }
    try {
        systems_ = systems_of(sweep_, line.configuration);
    } catch (const platform::ConfigurationError& error) {
        for (const platform::ConfigurationIssue& issue : error.issues()) {
            errors.push_back(issue.text());
        }
    }
    loads_ = loads_of(workloads_, line, sweep_.scale);
}

StudyPlan FragmentationStudy::plan(const CommandLine& line) {
    StudyPlan plan;
    const auto add = [&plan](std::vector<StudyJob> more) {
        std::ranges::move(more, std::back_inserter(plan.jobs));
        return more.size();
    };
    for (Load& load : loads_) {
        // All systems have the same exported capacity.
        load.profile = profile_of(load, systems_.front().configuration);
        if (load.profile.pages_written == 0) {
            throw InputError(load.name + ": there is no write in it");
        }
    }
    const std::uint32_t depth =
        line.queue_depth.value_or(platform::interface_facts(line.configuration).queue_depth);
    for (const Load& load : loads_) {
        for (const SystemPoint& system : systems_) {
            plan.jobs.push_back(system_job(system, load, timed() ? depth : 0));
        }
    }
    add(speed_up_jobs(line.configuration, has(sweep_.layers, "fast") ? "fast" : sweep_.layers.front()));
    const std::size_t swept =
        add(sensitivity_jobs(sweep_, log_sweep_, drive_sweep_, loads_, line.configuration));
    plan.opening =
        fmt::format("{} systems on {} loads, {}, and {} for the sensitivity; {} at a time\n", systems_.size(),
                    loads_.size(), timed() ? "full timing" : "counted", swept, line.jobs);
    return plan;
}

}  // namespace

std::vector<Figure> figures_of(Points points, std::span<const Load> loads) {
    std::vector<Figure> figures;
    std::ranges::transform(loads, std::back_inserter(figures), access_pattern);
    const Selected systems = systems_in(points);
    for (const Selected& panel : groups_of(systems, {"striping"})) {
        figures.emplace_back(
            category_figure({"utilisation-" + panel.front()->text("striping"),
                             "figure 6: block utilisation at the end, " + striped(*panel.front()),
                             "Pages programmed since the erase over the pages of all data blocks."},
                            CategoryFigure::Look::bars, {"translation layer"}, {"block utilisation, %"},
                            shown(panel), "layer", "load", "utilisation"));
    }
    for (const Selected& panel : groups_of(systems, {"load", "striping"})) {
        figures.push_back(utilisation_over_time(shown(panel)));
        figures.emplace_back(stacked_figure(
            panel_text("kinds", "figure 7: kinds of page writes", *panel.front(),
                       "update_wasted: the page's own place is empty, but the rule of ascending pages "
                       "forbids it."),
            {"translation layer"}, {"share of the page writes, %"}, shown(panel), "layer",
            {{"write_data", "data"}, {"update_pure", "pure"}, {"update_wasted", "wasted"}}, Layers::all));
        figures.push_back(throughput_figure(panel, timed_in(points)));
    }
    std::ranges::move(sensitivity_figures(points), std::back_inserter(figures));
    return figures;
}

std::string tables_of(Points points, std::span<const Load> loads, double scale, const TextStyle& style) {
    const bool timed = timed_in(points);
    const std::vector<Column> columns{
        text("layer", "layer"),
        text("rule",
             [](const Measured& each) { return each.parameters["sequential_rule"] == true ? "on" : "off"; }),
        number("data", "data", 1),
        number("pure", "pure", 1),
        number("wasted", "wasted", 1),
        number("util", "utilisation", 1),
        number("switch", "merges_switched", 0),
        number("partial", "merges_partial", 0),
        number("full", "merges_full", 0),
        number("drop", "merges_dropped", 0),
        number("copied", "pages_copied", 0),
        number("erased", "blocks_erased", 0),
        number("WA", "write_amplification", 2),
        number(timed ? "MB/s" : "bound", throughput, 1)};
    std::string report = load_table(loads, scale, style);
    for (const Selected& table : groups_of(systems_in(points), {"load", "striping"})) {
        report += titled_table(
            table,
            fmt::format("{}, striping {}", table.front()->text("load"), table.front()->text("striping")),
            columns, style);
    }
    report +=
        "\ndata, pure, wasted: percent of the page writes that are write_data, update_pure, update_wasted\n"
        "util: block utilisation at the end, percent; switch, partial, full, drop: merges\n"
        "copied: pages; erased: NAND blocks; WA: write amplification\n";
    return report + (timed ? "" : "bound: MB/s that the flash work allows if every die is always busy\n") +
           sensitivity_table(points, style);
}

}  // namespace solidtlm::testbench::fragmentation

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<fragmentation::FragmentationStudy>();
}
