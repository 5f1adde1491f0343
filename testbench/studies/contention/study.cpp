// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "fw/map_cache/cache_policy.h"
#include "platform/interface_facts.h"
#include "platform/units.h"
#include "testbench/sim/host/warm_up.h"
#include "testbench/studies/contention/contention.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/grid.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::contention {
namespace {

constexpr std::uint64_t kWhole = kinds::kUnlimited;  ///< size that stands for kWholeMap

std::string cache_name(const Json& cache) {
    return cache.is_number() ? platform::format_size(cache.get<std::uint64_t>()) : cache.get<std::string>();
}

std::string channels_name(const Json& channels) {
    return counted(channels.get<std::uint64_t>(), "channel");
}

std::string cache_of(const Measured& point) {
    return cache_name(point.parameters["cache_bytes"]);
}

std::string panel_name(const Json& parameters) {
    return fmt::format("{}, {}, {} per channel, {} outstanding", parameters["policy"].get<std::string>(),
                       parameters["order"].get<std::string>(),
                       counted(parameters["dies_per_channel"].get<std::uint64_t>(), "die"),
                       parameters["queue_depth"].get<std::uint64_t>());
}

Matrix matrix_of(const Selected& panel) {
    return {panel, "cache_bytes", "channels", Matrix::Order::ascending};
}

SweepPoint make_point(const Json& at, const platform::Configuration& base) {
    std::vector<std::string> settings = geometry_settings(base, at["channels"], at["dies_per_channel"]);
    settings.push_back("firmware.allocation.order=" + at["order"].get<std::string>());
    if (at["cache_bytes"] == kWholeMap) {
        settings.emplace_back("firmware.map_cache.policy=full_table");
    } else {
        settings.push_back("firmware.map_cache.policy=" + at["policy"].get<std::string>());
        settings.push_back("firmware.map_cache.size=" + at["cache_bytes"].dump());
    }
    SweepPoint point{fmt::format("{}, {}, {}", panel_name(at), channels_name(at["channels"]),
                                 cache_name(at["cache_bytes"])),
                     {},
                     variant_of(base, settings)};
    for (const char* name :
         {"order", "policy", "dies_per_channel", "queue_depth", "channels", "cache_bytes"}) {
        point.parameters[name] = at[name];
    }
    return point;
}

/// The sum of a wait over all holders; `wait` is "channel_wait" or "miss_die_wait", for example.
Value wait_of(const std::string& wait) {
    return sum_of({"share_" + wait + "_host", "share_" + wait + "_map", "share_" + wait + "_gc"});
}

const std::vector<Column>& throughput_columns() {
    static const std::vector<Column> columns{
        text("ch", "channels", Align::right),
        text("cache", cache_of, Align::right),
        percent("hit %", "hit_ratio"),
        plain("MB/s", "mb_per_s", 1),
        plain("bound", "bound_mb_per_s", 1),
        percent("%", "measured_of_bound"),
        text("by", [](const Measured& point) { return point.derived["bound_by"].get<std::string>(); }),
        number("mean us", "mean_us", 0),
        number("p99 us", "p99_us", 0),
        percent("link", "link_busy"),
        percent("ch", "channels_busy"),
        percent("of map", "channels_of_map"),
        percent("die", "dies_busy"),
        percent("of map", "dies_of_map"),
        percent("most", "dies_most"),
        percent("core", "core_busy"),
        text("limit", limit_of)};
    return columns;
}

/// Where the time goes, in percent of the mean request's.
const std::vector<Column>& share_columns() {
    static const std::vector<Column> columns{
        text("ch", "channels", Align::right),
        text("cache", cache_of, Align::right),
        percent("link", "share_link"),
        percent("core", "share_core"),
        percent("queue", "share_queue"),
        percent("dram,ecc", "share_dram_ecc"),
        percent("bus", "share_channel_transfer"),
        percent("array", "share_array"),
        percent("bus wait", wait_of("channel_wait")),
        percent("for map", "share_channel_wait_map"),
        percent("die wait", wait_of("die_wait")),
        percent("for map", "share_die_wait_map"),
        percent("miss:", "miss_share"),
        percent("lock", "share_miss_queue"),
        percent("core,ecc", sum_of({"share_miss_core", "share_miss_dram_ecc"})),
        percent("bus", "share_miss_channel_transfer"),
        percent("array", "share_miss_array"),
        percent("bus wait", wait_of("miss_channel_wait")),
        percent("for map", "share_miss_channel_wait_map"),
        percent("die wait", wait_of("miss_die_wait")),
        percent("for map", "share_miss_die_wait_map")};
    return columns;
}

const MatrixText& matrix_text() {
    static const MatrixText text{"map cache", channels_name, cache_name, [](const Measured& point) {
                                     return fmt::format("{:.1f} {:<11}", point.value("mb_per_s"),
                                                        limit_of(point));
                                 }};
    return text;
}

/// A question about a dimension, and its texts.
struct Question {
    const char* along;
    const char* row;
    const char* enough;
    const char* title;
    const char* summary;
    const char* summary_column;
};
constexpr std::array<Question, 2> kQuestions{
    {{"channels", "map cache", "enough channels", "Where more channels stop helping",
      "More channels stop helping because misses come one after another",
      "map cache, from how many channels"},
     {"cache_bytes", "channels", "enough cache", "Where a larger cache stops helping",
      "A larger cache stops helping because the channels or the link are full",
      "channels, from what cache"}}};

/// The position of an answer in its row, and the row's name.
struct Place {
    std::string at;
    std::string row;
};
Place place_of(const Measured& point, const Question& question) {
    const std::string channels = point.text("channels");
    return question.along == std::string("channels") ? Place{channels, cache_of(point)}
                                                     : Place{cache_of(point), channels};
}

std::string answer_table(const std::vector<Answer>& answers, const Question& question,
                         const TextStyle& style) {
    if (answers.empty()) {
        return {};
    }
    const bool channels = question.along == std::string("channels");
    TextTable table;
    table.column(question.row, Align::left);
    for (const char* heading : {question.enough, "hit %", "MB/s", "next %", "rest %"}) {
        table.column(heading, Align::right);
    }
    table.column("what limits there", Align::wrap);
    const auto tenth = [](double value) { return fmt::format("{:.1f}", value); };
    for (const auto& [point, knee] : answers) {
        const Place place = place_of(*point, question);
        const double hits = point->value("hit_ratio");
        table.row({place.row, knee ? place.at : "above " + place.at, fmt::format("{:.0f}", 100.0 * hits),
                   tenth(point->value("mb_per_s")), knee ? tenth(100.0 * knee->gain) : "-",
                   knee ? tenth(100.0 * knee->rest) : "-",
                   (!channels && hits >= kAllHit ? "everything hits; " : "") + limit_text(*point)});
    }
    return "\n" + style.bold(question.title) + " (no further doubling gains 5 %)\n" + table.render(style);
}

/// The rows of a panel as a short text, such as "64KiB from 8, 128KiB from 8" or "4 from 1MiB (link)".
std::string row_list(const Selected& panel, const Question& question) {
    const bool channels = question.along == std::string("channels");
    std::string text;
    for (const auto& [point, knee] : answers_of(panel, question.along)) {
        const std::string limit = limit_of(*point);
        const bool full = (limit == "link" || limit == "channels") && point->value("hit_ratio") < kAllHit;
        if (knee && (channels ? limit == "misses" : full)) {
            const Place place = place_of(*point, question);
            text += fmt::format("{}{} from {}", text.empty() ? "" : ", ", place.row, place.at);
            text += channels ? "" : " (" + limit + ")";
        }
    }
    return text;
}

/// The short answer to a question over all panels.
std::string in_short(Points points, const Question& question, const TextStyle& style) {
    TextTable table;
    table.column("panel", Align::left);
    table.column(question.summary_column, Align::wrap);
    bool any = false;
    for (const Selected& panel : panels_of(points)) {
        const std::string rows = row_list(panel, question);
        if (!rows.empty()) {
            table.row({panel_name(panel.front()->parameters), rows});
            any = true;
        }
    }
    return "\n" + style.bold(question.summary) + "\n" +
           (any ? table.render(style) : "nowhere in this sweep\n");
}

FigureText figure_text(const Selected& panel, const std::string& what, const std::string& title,
                       const char* caption) {
    const Measured& first = *panel.front();
    return {figure_id(fmt::format("{}-{}-{}-{}-{}", what, first.text("policy"), first.text("order"),
                                  first.text("dies_per_channel"), first.text("queue_depth"))),
            title + ": " + panel_name(first.parameters), caption};
}

HeatmapFigure heat_map(const Selected& panel, FigureText text, const std::string& unit, double most,
                       const Value& value) {
    return heat_figure({std::move(text), "channels", "map cache", unit, std::pair(0.0, most),
                        [](const Json& channels) { return channels.dump(); }, cache_name},
                       matrix_of(panel), value);
}

/// A layer of stacked bars; the ledger stage of this name decides the colour.
Layer layer(const std::string& name, std::vector<std::string> parts, const Value& whole) {
    for (std::string& part : parts) {
        part.insert(0, "share_");
    }
    return {name, [share = sum_of(std::move(parts)), whole](const Measured& point) {
                return std::optional(*share(point) * *whole(point));
            }};
}

std::string channels_and_cache(const Measured& point) {
    return point.text("channels") + ", " + cache_of(point);
}

CategoryFigure request_bars(const Selected& panel) {
    const Value whole([](const Measured&) { return 100.0; });
    std::vector<Layer> layers{
        layer("link_transfer", {"link"}, whole), layer("firmware_execute", {"core"}, whole),
        layer("write_buffer_stall", {"queue"}, whole), layer("dram_transfer", {"dram_ecc"}, whole)};
    for (std::size_t i = kFirstFlashPart + 1; i < kFirstMissPart; ++i) {
        layers.push_back(layer(std::string(kParts[i]), {std::string(kParts[i])}, whole));
    }
    layers.push_back(layer("map_read", {kParts.begin() + kFirstMissPart, kParts.end()}, whole));
    return stacked_figure(
        figure_text(panel, "shares", "where the time of a request goes",
                    "Shares of the mean request. map_read is all that misses take; the link and the core "
                    "have their waits with them, dram_transfer the ECC, write_buffer_stall all queues."),
        {"channels, map cache"}, {"share of the time, %"}, panel, channels_and_cache, layers);
}

CategoryFigure miss_bars(const Selected& panel) {
    const Value whole("mean_us");
    std::vector<Layer> layers{layer("lock, buffer", {"miss_queue"}, whole),
                              layer("firmware_execute", {"miss_core"}, whole),
                              layer("dram_transfer", {"miss_dram_ecc"}, whole)};
    for (std::size_t i = kFirstFlashPart + 1; i < kFirstMissPart; ++i) {
        const std::string part(kParts[i]);
        layers.push_back(layer(part, {"miss_" + part}, whole));
    }
    return stacked_figure(
        figure_text(panel, "misses", "what the misses of a request consist of",
                    "The part map_read of the figure above. array is tR: with nothing to wait for there is "
                    "little else. A lock is waited for while another miss reads the same translation page."),
        {"channels, map cache"}, {"misses of a mean request, us"}, panel, channels_and_cache, layers);
}

class ContentionStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    void complete(std::span<Measured> points) const override { mark_answers(points); }
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override {
        // Up to this many points are shown in a table; with more, only the matrix and the answers.
        constexpr std::size_t kMostLines = 36;
        return {{}, figures_of(points), tables(points, details_ || points.size() <= kMostLines, style)};
    }

  private:
    Sweep sweep_;
    std::vector<std::uint64_t> caches_{64 * hal::kKiB,  128 * hal::kKiB, 256 * hal::kKiB,
                                       512 * hal::kKiB, hal::kMiB,       kWhole};
    Load load_;
    bool details_ = false;
};

Program ContentionStudy::program(std::span<char* const> /*arguments*/) const {
    Program program;
    program.name = "tb_contention";
    program.summary =
        "Sweeps channels and the map cache of a simulated SSD: throughput, where the time of requests "
        "and of their misses goes, and from where on more channels or a larger cache stop helping, and why.";
    program.examples = {
        "--out out",
        "--depths 8 --channels 1,4,16 --caches 64k,1m,whole --orders PCWD",
        "--policies dftl,bsb --workload zipf,read=0.7,size=16k,align=16k --warm-up 20000",
        "--set ssd.capacity=1GiB --workload random,read=0.7,size=4k --caches 256k,4m",
        "--preset nvme --host nvme --depths 8,128",
    };
    program.notes =
        "The default sweep has 240 points. The drive exports 256 MiB unless ssd.capacity says otherwise, and "
        "is\naged before each point: --precondition " +
        to_text(Load{}.precondition) + " unless given.\ndocs/contention.md explains the tables.";
    program.unused = {no_requests(program.name, {"--workload"}), {{"--queue-depth"}, "use --depths"}};
    program.configuration_defaults = "[ssd]\ncapacity = \"256MiB\"\n";
    return program;
}

void ContentionStudy::add_options(OptionSet& options) {
    constexpr std::uint64_t kMost = 64;
    constexpr std::uint64_t kMostDepth = 65536;  // what the interface allows: check()
    constexpr std::uint64_t kFewestRequests = 100;
    constexpr std::uint64_t kMostRequests = 10'000'000;
    options.dimension("--channels", sweep_.channels, kinds::integer(1, kMost), "Numbers of channels");
    options.dimension("--caches", caches_, kinds::or_name(kinds::size(1, kWhole - 1), "whole", kWhole),
                      "Sizes of the map cache; whole: the whole map in DRAM");
    options.dimension("--orders", sweep_.orders, permutation_of_cwdp(),
                      "Striping orders, first letter varies fastest");
    options.dimension("--dies", sweep_.dies, kinds::integer(1, kMost), "Numbers of dies per channel");
    options.dimension("--policies", sweep_.policies,
                      kinds::one_of(platform::names_of(fw::map_cache_policies())),
                      "Policies of the map cache");
    options.dimension("--depths", sweep_.depths, kinds::integer(1, kMostDepth), "Requests outstanding");
    options.value("--requests", load_.measured, kinds::integer(kFewestRequests, kMostRequests),
                  "Requests measured at a point");
    options.flag("--details", details_, "A line for every point, also of a large sweep");
}

void ContentionStudy::check(const CommandLine& line, Errors& errors) {
    std::ranges::sort(caches_);
    for (const std::uint64_t bytes : caches_) {
        sweep_.caches.push_back(bytes == kWhole ? Json(kWholeMap) : Json(bytes));
    }
    std::ranges::sort(sweep_.channels);
    for (const std::uint32_t depth : sweep_.depths) {
        const std::uint32_t most = platform::interface_facts(line.configuration).most_depth;
        if (depth > most) {
            errors.push_back(fmt::format(
                "--depths: found {}; allowed: at most {}, {}", depth,
                line.configuration.has_nvme() ? "what the host's queues hold" : "sata.queue_depth", most));
        }
    }
    load_.workload = line.workload.empty() ? load_.workload : line.workload;
    load_.precondition = line.precondition.value_or(load_.precondition);
    if (line.warm_up == kUntilSteady) {
        errors.emplace_back("--warm-up: found steady; allowed: a number, the same for every drive");
    }
    load_.warm_up = line.warm_up != 0 ? line.warm_up : load_.warm_up;
}

StudyPlan ContentionStudy::plan(const CommandLine& line) {
    StudyPlan plan;
    std::map<std::string, std::shared_ptr<DriveToRun>> drives;
    for (const SweepPoint& point : points_of(sweep_, line.configuration)) {
        (void)workload_of(load_, point.configuration);  // finds mistakes before anything runs
        const std::uint32_t depth = point.parameters["queue_depth"];
        const RunSpec settings = settings_of(point.configuration, load_, depth);
        Json of_drive = point.parameters;
        of_drive.erase("queue_depth");
        std::shared_ptr<DriveToRun>& drive = drives[of_drive.dump()];
        if (drive == nullptr) {
            drive = std::make_shared<DriveToRun>(settings);
        }
        plan.jobs.push_back(
            {point.name, point.parameters,
             [this, settings, drive] { return run_point(settings, load_, *drive); },
             [configuration = point.configuration, depth](const Json& result, Measured& measured) {
                 const hw::NandGeometry& geometry = configuration.nand.geometry;
                 const Demand demand = demand_of(configuration, result, depth);
                 measure(result, measured);
                 add_bounds(demand, bounds_of(demand, geometry.channels, geometry.total_dies(), depth),
                            measured);
             },
             true, drive});
    }
    plan.opening =
        fmt::format("{} points of {}; {} at a time\n", plan.jobs.size(), load_.workload, line.jobs);
    return plan;
}

}  // namespace

std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base) {
    std::vector<SweepPoint> points;
    VariantIssues issues;
    each_combination(
        {{"policy", sweep.policies},
         {"queue_depth", sweep.depths},
         {"dies_per_channel", sweep.dies},
         {"order", sweep.orders},
         {"cache_bytes", sweep.caches},
         {"channels", sweep.channels}},
        [&](const Json& at) { issues.attempt([&] { points.push_back(make_point(at, base)); }); });
    issues.report();
    return points;
}

std::string tables(Points points, bool details, const TextStyle& style) {
    std::string text;
    for (const Selected& panel : panels_of(points)) {
        text += "\n" + style.bold(panel_name(panel.front()->parameters)) + "\n" +
                matrix_table(matrix_of(panel), matrix_text(), style);
        if (details) {
            text += "\n" + rows_table(panel, throughput_columns(), style) + "\n" +
                    rows_table(panel, share_columns(), style);
        }
        for (const Question& question : kQuestions) {
            text += answer_table(answers_of(panel, question.along), question, style);
        }
    }
    for (const Question& question : kQuestions) {
        text += in_short(points, question, style);
    }
    return text;
}

std::vector<Figure> figures_of(Points points) {
    double fastest = 0.0;
    for (const Measured& point : points) {
        fastest = std::max(fastest, point.value("mb_per_s"));
    }
    std::vector<Figure> figures;
    for (const Selected& panel : panels_of(points)) {
        const Matrix matrix = matrix_of(panel);
        figures.emplace_back(heat_map(
            panel,
            figure_text(panel, "throughput", "throughput", "All maps of throughput have the same colours."),
            "MB/s", fastest, "mb_per_s"));
        figures.emplace_back(heat_map(
            panel,
            figure_text(panel, "miss-share", "share of the time that goes to misses in the map cache",
                        "High: a larger cache shortens requests, as far as nothing else is full."),
            "%", 100.0, [](const Measured& point) { return 100.0 * point.value("miss_share"); }));
        if (matrix.columns().size() > 1) {
            figures.emplace_back(line_figure(
                figure_text(panel, "over-channels", "throughput over channels",
                            "Where a line becomes level, more channels stop helping; the tables say why."),
                {"channels", true}, {"throughput, MB/s"}, panel, cache_of, "channels", "mb_per_s"));
        }
        if (matrix.rows().size() > 1) {
            figures.emplace_back(category_figure(
                figure_text(panel, "over-caches", "throughput over the size of the map cache",
                            "Where a line becomes level, a larger cache stops helping; the tables say why."),
                CategoryFigure::Look::lines, {"map cache"}, {"throughput, MB/s"}, panel, cache_of,
                [](const Measured& point) { return channels_name(point.parameters["channels"]); },
                "mb_per_s"));
        }
        figures.emplace_back(request_bars(panel));
        figures.emplace_back(miss_bars(panel));
    }
    return figures;
}

}  // namespace solidtlm::testbench::contention

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<contention::ContentionStudy>();
}
