// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fw/map_cache/needs.h"
#include "platform/interface_facts.h"
#include "testbench/show/summary_sections.h"
#include "testbench/sim/load/workload.h"
#include "testbench/studies/kit/tables.h"
#include "testbench/studies/map_cache/map_cache.h"

namespace solidtlm::testbench::map_cache {
namespace {

/// Also accepts tafp_N with other values of N.
Kind<std::string> policy() {
    Kind<std::string> kind = kinds::one_of(policy_names());
    kind.range += ", or tafp_N with another N";
    kind.read = [](std::string_view text) {
        std::string name(text);
        return settings_of(name) ? std::optional(std::move(name)) : std::nullopt;
    };
    return kind;
}

std::string size_text(const Json& bytes) {
    const auto size = bytes.get<std::uint64_t>();
    return size % hal::kKiB == 0 ? fmt::format("{} KiB", size / hal::kKiB) : fmt::format("{} B", size);
}

struct Quantity {
    std::string title;
    bool more_is_better;
    Value value;
    int digits;
};

const std::vector<Quantity>& quantities() {
    static const std::vector<Quantity> all{
        {"hit ratio, %", true, [](const Measured& point) { return kPercent * point.value("hit_ratio"); }, 2},
        {"mean penalty of a page request, us: closed form, bytes of the entries (the study's figure)", false,
         "penalty_entries_us", 1},
        {"mean penalty, us: closed form, whole sectors or codewords", false, "penalty_bus_us", 1},
        {"mean penalty, us: measured, waiting for dies, channels and core included", false,
         "penalty_measured_us", 1}};
    return all;
}

/// Policies by size, with the best value of each size highlighted. Empty if no point has the quantity.
std::string quantity_table(const Selected& points, const Quantity& quantity, const TextStyle& style) {
    const Matrix matrix(points, "policy", "cache_bytes", Matrix::Order::columns_ascending);
    std::map<double, double> best;  // best value by size
    for (const Measured* point : points) {
        if (const auto value = quantity.value(*point)) {
            double& so_far = best.try_emplace(point->value("cache_bytes"), *value).first->second;
            so_far = quantity.more_is_better ? std::max(so_far, *value) : std::min(so_far, *value);
        }
    }
    const auto cell = [&](const Measured& point) -> TextTable::Cell {
        const auto value = quantity.value(point);
        if (!value) {
            return "failed";
        }
        const bool stands_out = matrix.rows().size() > 1 && *value == best.at(point.value("cache_bytes"));
        TextTable::Cell text(fmt::format("{}{:.{}f}", stands_out ? "*" : "", *value, quantity.digits));
        if (stands_out) {
            text.paint = [](const TextStyle& how, const std::string& padded) { return how.green(padded); };
        }
        return text;
    };
    return best.empty() ? ""
                        : heading(points.front()->text("workload") + ": " + quantity.title, style) +
                              matrix_table(matrix,
                                           {quantity.title.substr(0, quantity.title.find(':')), size_text,
                                            value_text, cell},
                                           style);
}

std::string parts_table(const Selected& points, const TextStyle& style) {
    std::vector<Column> columns{
        text("policy", "policy"),
        text(
            "size", [](const Measured& point) { return size_text(point.parameters.at("cache_bytes")); },
            Align::right),
        plain("hit %", "hit_ratio", 2, kPercent)};
    for (const auto& [name, before] :
         {std::pair("entries", ""), {"bus", "sectors: "}, {"measured", "measured: "}}) {
        if (points.front()->find(fmt::format("{}_rm", name))) {
            for (const std::string part : {"rm", "pf", "rf"}) {
                columns.push_back(plain(
                    (part == "rm" ? before : "") + part,
                    [value = name + ("_" + part)](const Measured& point) { return point.find(value); }, 1));
            }
        }
    }
    return titled_table(points, points.front()->text("workload") + ": parts of the mean penalty, us", columns,
                        style);
}

/// "11.64 (11.7)": measured, and the study's value.
std::string beside(double value, const PublishedLoad* row, double PublishedLoad::*member, int digits) {
    const std::string ours = grouped(value, digits);
    return row == nullptr ? ours : fmt::format("{} ({})", ours, grouped(row->*member, digits));
}

/// The loads beside table 2 of the study, if it has them.
std::string load_table(std::span<const Load> loads, const TextStyle& style) {
    constexpr double kPage = 4096.0;
    constexpr double kTranslationPage = 4096.0 * 1024.0;
    TextTable table;
    table.column("load (published)", Align::wrap);
    for (const char* heading : {"range GiB", "unique GiB", "requests", "page requests", "reads %", "KiB"}) {
        table.column(heading, Align::right);
    }
    for (const Load& load : loads) {
        const LoadProperties& p = load.properties;
        const PublishedLoad* row = published(load.name);
        const double unique = row != nullptr && row->unique_by_translation_page
                                  ? static_cast<double>(p.distinct_translation_pages()) * kTranslationPage
                                  : static_cast<double>(p.distinct_pages()) * kPage;
        const auto range = static_cast<double>(p.range_bytes());
        const auto page_requests = static_cast<double>(p.page_requests());
        table.row({load.name, beside(range / hal::kGiB, row, &PublishedLoad::range_gib, 1),
                   beside(unique / hal::kGiB, row, &PublishedLoad::unique_gib, 1),
                   beside(static_cast<double>(p.requests()), row, &PublishedLoad::requests, 0),
                   beside(page_requests, row, &PublishedLoad::page_requests, 0),
                   beside(kPercent * p.read_share(), row, &PublishedLoad::read_percent, 1),
                   beside(p.mean_bytes() / hal::kKiB, row, &PublishedLoad::mean_kib, 0)});
    }
    return heading("Loads, and table 2 of the study", style) + table.render(style);
}

class MapCacheStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override {
        return {claims_of(points, loads_, cut_), figures_of(points, loads_, whole_),
                cache_tables(points, details_, style) + load_table(loads_, style) +
                    reduction_table(table_three(points), style)};
    }

  private:
    [[nodiscard]] bool timed() const { return timing_ == "full"; }
    void check_caches(const CommandLine& line, Errors& errors);
    void check_loads(const CommandLine& line, Errors& errors);

    std::string timing_ = "off";
    std::vector<std::string> policies_ = policy_names();
    std::vector<std::uint64_t> sizes_{16 * hal::kKiB,  32 * hal::kKiB,  64 * hal::kKiB,
                                      128 * hal::kKiB, 256 * hal::kKiB, 512 * hal::kKiB};
    std::vector<std::string> workloads_;  ///< as given
    bool details_ = false;
    // Results of check() and plan().
    std::vector<Cache> caches_;
    std::vector<LoadSpec> specs_;
    std::vector<Load> loads_;
    std::uint32_t whole_ = 0;  ///< entries of a translation page
    bool cut_ = false;         ///< whether loads end early
};

Program MapCacheStudy::program(std::span<char* const> /*arguments*/) const {
    Program program;
    program.name = "tb_map_cache";
    program.summary =
        "Sweeps cache policies and sizes of a mapping table that does not fit into DRAM: hit ratio and mean "
        "penalty of a page request, and the claims of Lee et al. 2013 beside what comes out.";
    program.examples = {
        "--out out",
        "--workloads pc --timing full --out out",
        "--policies half_page,full_page,bsb --sizes 16k,64k --trace trace.spc --fit wrap",
        "--workloads financial --policies bsb,full_page,half_page --set "
        "firmware.map_cache.bsb_candidates=full,tafp_8,tafp_64",
    };
    program.notes = "docs/map-cache-study.md explains tables, figures and claims.";
    program.unused = {no_arrivals(program.name),
                      {{"--regroup-trims"}, "tb_map_cache takes reads and writes alone"},
                      {kAgeingOptions,
                       "tb_map_cache writes what its requests will touch before it measures; use tb_replay"}};
    program.configuration_defaults = "preset = \"study_b\"\n";
    return program;
}

void MapCacheStudy::add_options(OptionSet& options) {
    options.value("--timing", timing_, kinds::one_of({"off", "full"}),
                  "off: the caches alone, as the study has it; full: the whole drive, with contention");
    options.dimension("--policies", policies_, policy(), "Cache policies; tafp_N with windows of N bytes");
    options.dimension("--sizes", sizes_, kinds::size(1), "Cache sizes");
    options.dimension(
        "--workloads", workloads_, kinds::one_of(platform::names_of(kPublishedLoads)),
        "Workloads of the study. Given neither these nor --workload nor --trace: all four, with "
        "--timing full pc alone");
    options.flag("--details", details_, "T_rm, T_pf and T_rf of every cache");
}

void MapCacheStudy::check(const CommandLine& line, Errors& errors) {
    if (!timed() && line.queue_depth) {
        errors.emplace_back("--queue-depth: found with --timing off; allowed: with --timing full");
    }
    check_caches(line, errors);
    check_loads(line, errors);
}

void MapCacheStudy::check_caches(const CommandLine& line, Errors& errors) {
    std::ranges::sort(sizes_);
    try {
        caches_ = caches_of(policies_, sizes_, line.configuration);
    } catch (const platform::ConfigurationError& error) {
        for (const platform::ConfigurationIssue& issue : error.issues()) {
            errors.push_back(issue.text());
        }
    }
}

void MapCacheStudy::check_loads(const CommandLine& line, Errors& errors) {
    if (workloads_.empty() && line.workload.empty() && line.traces.empty()) {
        workloads_ = timed() ? platform::Names{"pc"} : platform::names_of(kPublishedLoads);
    }
    for (const std::string& name : workloads_) {
        specs_.push_back({name});
        try {
            (void)parse_workload(name, line.configuration.firmware.exported_sectors, "--workloads: " + name);
        } catch (const InputError& error) {
            errors.emplace_back(error.what());
        }
    }
    if (!line.workload.empty()) {
        specs_.push_back({line.workload});
    }
    check_traces_once(line, errors);
    for (const std::string& trace : line.traces) {
        specs_.push_back({trace, true});
    }
}

StudyPlan MapCacheStudy::plan(const CommandLine& line) {
    loads_ = read_loads(specs_, line);
    whole_ = fw::map_area_size(line.configuration.firmware).entries;
    cut_ = line.limit != 0;
    const std::uint32_t depth =
        line.queue_depth.value_or(platform::interface_facts(line.configuration).queue_depth);
    StudyPlan plan;
    for (const Load& load : loads_) {
        for (const Cache& cache : caches_) {
            plan.jobs.push_back({fmt::format("{}, {}, {} bytes", load.name, cache.policy, cache.size_bytes),
                                 {{"workload", load.name},
                                  {"policy", cache.policy},
                                  {"cache_bytes", cache.size_bytes},
                                  {"timing", timing_}},
                                 [this, &load, &cache, depth] {
                                     return timed() ? run_timed(cache.configuration, load, depth)
                                                    : run_untimed(cache.configuration, load);
                                 },
                                 measure});
        }
    }
    plan.opening = fmt::format("{} points: {} caches on {} loads, timing {}; {} at a time\n",
                               plan.jobs.size(), caches_.size(), loads_.size(), timing_, line.jobs);
    return plan;
}

}  // namespace

std::string cache_tables(Points points, bool details, const TextStyle& style) {
    std::string text;
    for (const Selected& load : groups_of(select(points), {"workload"})) {
        for (const Quantity& quantity : quantities()) {
            text += quantity_table(load, quantity, style);
        }
        text += details ? parts_table(load, style) : "";
    }
    return text;
}

std::string reduction_table(const std::vector<Measured>& table, const TextStyle& style) {
    const auto cell = [](const Measured& each) -> TextTable::Cell {
        return fmt::format("{:+.1f} ({:+.0f})", std::round(10.0 * each.value("measured")) / 10.0 + 0.0,
                           each.value("published"));
    };
    return table.empty()
               ? ""
               : heading("Table 3: reduction of the mean penalty by bsb, %, and what the study prints",
                         style) +
                     matrix_table(
                         Matrix(select(table), "against", "cache_bytes", Matrix::Order::columns_ascending),
                         {"bsb against", size_text, value_text, cell, "-"}, style);
}

}  // namespace solidtlm::testbench::map_cache

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<map_cache::MapCacheStudy>();
}
