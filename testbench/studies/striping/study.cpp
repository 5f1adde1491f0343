// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "platform/interface_facts.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/studies/kit/claims.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/grid.h"
#include "testbench/studies/kit/result_values.h"
#include "testbench/studies/kit/tables.h"
#include "testbench/studies/striping/striping.h"

namespace solidtlm::testbench::striping {
namespace {

constexpr const char* kScenario = "tb_striping";
/// Parameters of a panel, which all its points share.
constexpr std::array<const char*, 5> kPanel{"order", "striping", "allocation", "pattern", "operation"};

SimulationOutcome run_point(const platform::Configuration& configuration, const Stream& stream,
                            const StreamPlan& plan) {
    StreamSource source(stream, plan, configuration.seed);
    RunSpec settings = run_of(configuration, stream.depth);
    settings.warm_up = plan.commands_before();
    SimulationOutcome outcome = simulate(settings, source, ClosedLoop(stream.depth), {.scenario = kScenario});
    const Json& counters = outcome.result["firmware"];
    for (const char* counter : {"host.read_unwritten_units", "host.read_buffer_hits", "gc.victims"}) {
        if (counters[counter] != 0) {
            outcome.faults.push_back(std::string(counter) + " is " + counters[counter].dump() +
                                     ": the point does not measure what it should");
        }
    }
    return outcome;
}

StreamPlan plan_of(const platform::Configuration& configuration, const Stream& stream, std::uint64_t requests,
                   const Bounds& bounds) {
    constexpr std::uint64_t kSequential = 1500;
    constexpr std::uint64_t kRandom = 12000;
    const std::uint64_t measured = requests != 0 ? requests : stream.sequential ? kSequential : kRandom;
    return plan_stream(configuration, stream, measured, bounds.fill_share());
}

std::string panel_name(const Json& parameters) {
    const auto text = [&parameters](const char* name) { return parameters.at(name).get<std::string>(); };
    return text("pattern") + " " + text("operation") + ", " + text("order") + ", striping " +
           text("striping") + ", " + text("allocation");
}

SweepPoint make_point(const Json& at, const Sweep& sweep, const platform::Configuration& base) {
    std::vector<std::string> settings = geometry_settings(base, at["channels"], at["dies"]);
    for (const auto& [key, name] :
         {std::pair("order", "order"), {"striping", "striping"}, {"mode", "allocation"}}) {
        settings.push_back(fmt::format("firmware.allocation.{}={}", key, at[name].get<std::string>()));
    }
    SweepPoint point{{}, variant_of(base, settings), {}};
    point.stream.operation = at["operation"] == "read" ? Operation::read : Operation::write;
    point.stream.sequential = at["pattern"] == "sequential";
    point.stream.bytes = point.stream.sequential ? sweep.sequential_bytes : sweep.random_bytes;
    point.stream.depth = std::min(sweep.depth, platform::interface_facts(point.configuration).most_depth);
    for (const char* name : kPanel) {
        point.parameters[name] = at[name];
    }
    point.parameters["request_bytes"] = point.stream.bytes;
    point.parameters["queue_depth"] = point.stream.depth;
    point.parameters["channels"] = at["channels"];
    point.parameters["dies_per_channel"] = at["dies"];
    return point;
}

std::vector<Selected> panels_of(Points points) {
    return groups_of(select(points), {kPanel.begin(), kPanel.end()});
}

Matrix matrix_of(const Selected& panel) {
    return {panel, "dies_per_channel", "channels"};
}

Label derived_text(const char* name) {
    return {[name](const Measured& point) { return point.derived.at(name).get<std::string>(); }};
}

const std::vector<Column>& columns() {
    static const std::vector<Column> all{text("ch", "channels", Align::right),
                                         text("dies", "dies_per_channel", Align::right),
                                         plain("MB/s", "mb_per_s", 1),
                                         plain("bound", "bound_mb_per_s", 1),
                                         plain("%", "of_bound", 0),
                                         text("bound by", derived_text("bound_by")),
                                         number("IOPS", "iops", 0),
                                         number("mean us", "mean_us", 0),
                                         number("p99 us", "p99_us", 0),
                                         plain("ch wait %", "channel_wait", 0),
                                         plain("die wait %", "die_wait", 0),
                                         plain("link", "link_busy", 0),
                                         plain("ch", "channels_busy", 0),
                                         plain("die", "dies_busy", 0),
                                         plain("dram", "dram_busy", 0),
                                         plain("core", "core_busy", 0)};
    return all;
}

const MatrixText& matrix_text() {
    static const MatrixText text{"dies per channel",
                                 [](const Json& channels) { return counted(channels, "channel"); },
                                 [](const Json& dies) { return dies.dump(); },
                                 [](const Measured& point) {
                                     return fmt::format("{:.1f} {:<8}", point.value("mb_per_s"),
                                                        point.derived.at("bound_by").get<std::string>());
                                 }};
    return text;
}

/// A heat map; left out if no value is farther than `shown` from `nothing`.
struct Map {
    const char* id;
    const char* title;
    const char* caption;
    const char* unit;
    std::optional<std::pair<double, double>> range;
    const char* value;
    double nothing;
    double shown;
};

std::vector<Map> maps_of(double fastest) {
    const std::pair<double, double> whole{0.0, 100.0};
    return {
        {"throughput", "throughput", "All maps of throughput have the same colours.", "MB/s",
         std::pair(0.0, fastest), "mb_per_s", 0.0, -1.0},
        {"of-bound", "throughput, share of the bound",
         "100 %: as fast as the slowest resource allows. Less: they wait for each other.", "%", std::nullopt,
         "of_bound", 100.0, 5.0},
        {"channel-wait", "share of the latency that requests wait for a channel",
         "High: more channels or a faster bus shorten the latency.", "%", whole, "channel_wait", 0.0, 1.0},
        {"die-wait", "share of the latency that requests wait for a die",
         "High: more dies, or requests spread over more of them, shorten the latency.", "%", whole,
         "die_wait", 0.0, 1.0}};
}

HeatmapFigure heat_map(const Selected& panel, const Map& map) {
    const Measured& first = *panel.front();
    const std::string id =
        fmt::format("{}-{}-{}-{}-{}-{}", map.id, first.text("pattern"), first.text("operation"),
                    first.text("order"), first.text("striping"), first.text("allocation"));
    const auto number_of = [](const Json& value) { return value.dump(); };
    return heat_figure(
        {{figure_id(id), std::string(map.title) + ": " + panel_name(first.parameters), map.caption},
         "channels",
         "dies per channel",
         map.unit,
         map.range,
         number_of,
         number_of},
        matrix_of(panel), map.value);
}

struct JasmineCase {
    const char* claim;  ///< id of the claim
    std::uint32_t channels;
    std::uint32_t ways;
    double published_mb_per_s;
};
constexpr std::array<JasmineCase, 5> kJasmineCases{
    {{"J1", 1, 1, 39.3}, {"J2", 1, 2, 51.4}, {"J3", 1, 3, 49.6}, {"J4", 1, 4, 51.5}, {"J5", 2, 4, 102.8}}};

PublishedClaim jasmine_claim(const JasmineCase& which) {
    const auto measured = [which](Points points) -> std::optional<Finding> {
        const Measured* point = find(points, {{"channels", which.channels}, {"ways", which.ways}});
        if (point == nullptr) {
            return std::nullopt;
        }
        const double mb_per_s = point->value("mb_per_s");
        const double off = mb_per_s / which.published_mb_per_s - 1.0;
        Finding finding{std::round(mb_per_s * 10.0) / 10.0,
                        verdict_of(std::abs(off) <= 0.10, std::abs(off) <= 0.20)};
        if (finding.verdict != Verdict::reproduced) {
            finding.reason =
                fmt::format("{:+.0f} %; array time and bus rate of the board are not published", off * 100.0);
        }
        return finding;
    };
    return {which.claim,
            fmt::format("32 KB two-plane reads, {} of {}, MB/s", counted(which.channels, "channel"),
                        counted(which.ways, "way")),
            which.published_mb_per_s, measured};
}

class StripingStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override;

  private:
    [[nodiscard]] bool jasmine() const { return study_ == "jasmine"; }

    Sweep sweep_;
    std::string study_ = "sweep";
    std::optional<std::uint32_t> random_bytes_;  ///< as given
    std::vector<const CLI::Option*> of_sweep_;   ///< options that do not apply to the board; until check()
    bool chosen_ = false;                        ///< some of them was given
    bool details_ = false;
};

Program StripingStudy::program(std::span<char* const> arguments) const {
    Program program;
    program.name = kScenario;
    program.summary =
        "Sweeps channels, dies and striping of a simulated SATA SSD, 640 points unless options choose fewer: "
        "throughput beside what its parts allow, and how much of each request's time is lost waiting for "
        "channels and dies.";
    program.examples = {
        "--out out",
        "--channels 2,4,8,16 --dies 4 --patterns random --operations read",
        "--preset agrawal --set dram.size=512MiB --orders PCWD --striping full --allocation dynamic "
        "--random-size 4k",
        "--study jasmine",
    };
    program.notes =
        "The whole sweep of 640 points takes one to two minutes on two idle cores; --dry-run counts the "
        "points of others.\n"
        "docs/striping.md explains the tables.";
    program.unused = {no_requests(program.name),
                      {kAgeingOptions, "tb_striping fills the device and warms it up itself"}};
    // Contents do not change this study's results, and take time.
    program.configuration_defaults = "content = \"none\"\n";
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (argument == "--study=jasmine" || (argument == "--study" && i + 1 < arguments.size() &&
                                              arguments[i + 1] == std::string_view("jasmine"))) {
            program.configuration_defaults += "preset = \"jasmine\"\n";
            break;
        }
    }
    return program;
}

void StripingStudy::add_options(OptionSet& options) {
    constexpr std::uint64_t kMost = 64;
    constexpr std::uint64_t kFewestRequests = 100;
    constexpr std::uint64_t kMostRequests = 10'000'000;
    // Requests must cover whole pages or whole parts of a page.
    const Kind<std::uint64_t> request = kinds::where(
        kinds::size(hal::kSectorBytes, hal::kMiB),
        [](std::uint64_t bytes) { return std::has_single_bit(bytes); }, "a power of two");
    options.value("--study", study_, kinds::one_of({"sweep", "jasmine"}),
                  "sweep, or jasmine: the board with published numbers");
    of_sweep_ = {
        options.dimension("--channels", sweep_.channels, kinds::integer(1, kMost), "Numbers of channels"),
        options.dimension("--dies", sweep_.dies, kinds::integer(1, kMost), "Numbers of dies per channel"),
        options.dimension("--orders", sweep_.orders, permutation_of_cwdp(),
                          "Striping orders, first letter varies fastest"),
        options.dimension("--striping", sweep_.striping, kinds::one_of({"full", "none"}),
                          "Striping over all parallel units, or none"),
        options.dimension("--allocation", sweep_.allocation, kinds::one_of({"static", "dynamic"}),
                          "Allocation"),
        options.dimension("--patterns", sweep_.patterns, kinds::one_of({"sequential", "random"}),
                          "Access patterns"),
        options.dimension("--operations", sweep_.operations, kinds::one_of({"read", "write"}),
                          "Kinds of request"),
        options.value("--size", sweep_.sequential_bytes, request, "Size of a sequential request"),
        options.unset("--random-size", random_bytes_, request,
                      "Size of a random request; 4k or firmware.unit if not given"),
        options.flag("--details", details_, "A line for every point, also of a large sweep"),
    };
    options.unset("--requests", sweep_.requests, kinds::integer(kFewestRequests, kMostRequests),
                  "Requests measured at a point; 1500 sequential, 12000 random ones if not given");
}

void StripingStudy::check(const CommandLine& line, Errors& errors) {
    // Smaller writes would have to read the rest of their unit, which is another study.
    const std::uint32_t unit = line.configuration.firmware.unit_bytes;
    const auto check_size = [&](const char* name, std::uint32_t bytes) {
        if (bytes < unit) {
            errors.push_back(
                fmt::format("{}: found {}; allowed: at least {} (firmware.unit)", name, bytes, unit));
        }
    };
    const auto given = [](const CLI::Option* option) { return option->count() > 0; };
    chosen_ = std::ranges::any_of(of_sweep_, given);
    if (jasmine()) {
        const auto refuse = [&errors](const std::string& option) {
            errors.push_back(option + ": found with --study jasmine, which has its own; allowed: with sweep");
        };
        if (line.queue_depth) {
            refuse("--queue-depth");
        }
        for (const CLI::Option* option : of_sweep_) {
            if (given(option)) {
                refuse(option->get_name());
            }
        }
    }
    sweep_.random_bytes = random_bytes_.value_or(std::max(sweep_.random_bytes, unit));
    check_size("--size", sweep_.sequential_bytes);
    check_size("--random-size", sweep_.random_bytes);
    sweep_.depth = line.queue_depth.value_or(platform::interface_facts(line.configuration).queue_depth);
}

StudyPlan StripingStudy::plan(const CommandLine& line) {
    if (jasmine()) {
        return {"", jasmine_jobs(line.configuration, sweep_.requests)};
    }
    const std::vector<SweepPoint> points = points_of(sweep_, line.configuration);
    const std::size_t panels = points.size() / (sweep_.channels.size() * sweep_.dies.size());
    StudyPlan plan{
        fmt::format("{} points: {} numbers of channels, {} of dies, {} kinds of traffic; {} at a time{}\n",
                    points.size(), sweep_.channels.size(), sweep_.dies.size(), panels, line.jobs,
                    chosen_ ? "" : "; options such as --channels, --dies and --orders choose fewer")};
    for (const SweepPoint& point : points) {
        plan.jobs.push_back(point.job());
    }
    return plan;
}

Conclusions StripingStudy::conclude(Points points, const TextStyle& style) const {
    if (jasmine()) {
        return {jasmine_claims(points), std::nullopt, std::nullopt};
    }
    // Up to this many points are shown in a table; more are shown as matrices.
    constexpr std::size_t kMostLines = 48;
    return {{}, heat_maps(points), tables(points, details_ || points.size() <= kMostLines, style)};
}

}  // namespace

StudyJob SweepPoint::job() const {
    return {fmt::format("{}, {} x {}", panel_name(parameters), parameters["channels"].get<std::uint32_t>(),
                        parameters["dies_per_channel"].get<std::uint32_t>()),
            parameters,
            [configuration = configuration, stream = stream, plan = plan] {
                return run_point(configuration, stream, plan);
            },
            [operation = stream.operation, bounds = bounds](const Json& result, Measured& point) {
                measure(result, operation, bounds, point);
            }};
}

std::vector<SweepPoint> points_of(const Sweep& sweep, const platform::Configuration& base) {
    std::vector<SweepPoint> points;
    VariantIssues issues;
    const auto add = [&](const Json& parameters) {
        issues.attempt([&] { points.push_back(make_point(parameters, sweep, base)); });
    };
    each_combination({{"order", sweep.orders},
                      {"striping", sweep.striping},
                      {"allocation", sweep.allocation},
                      {"pattern", sweep.patterns},
                      {"operation", sweep.operations},
                      {"dies", sweep.dies},
                      {"channels", sweep.channels}},
                     add);
    issues.report();
    for (SweepPoint& point : points) {
        point.bounds = bounds_of(point.configuration, point.stream);
        point.plan = plan_of(point.configuration, point.stream, sweep.requests, point.bounds);
    }
    return points;
}

void measure(const Json& result, Operation operation, const Bounds& bounds, Measured& point) {
    const std::string name(kOperationNames[static_cast<std::size_t>(operation)]);
    const Json& host = result["host"][name];
    const Json& stages = result["ledger"]["by_operation"][name];
    const double mean_us = host["latency_us"]["mean"];
    const double of_bound = 100.0 * host["mb_per_s"].get<double>() / bounds.least;
    point.derived = {{"mb_per_s", host["mb_per_s"]},
                     {"iops", host["iops"]},
                     {"bound_mb_per_s", bounds.least},
                     {"measured_of_bound", of_bound / 100.0},
                     {"bound_by", bounds.binding()}};
    for (std::size_t i = 0; i < kResources; ++i) {
        point.derived["bound_" + std::string(kResourceNames[i]) + "_mb_per_s"] = bounds.mb_per_s[i];
    }
    point.more = {{"of_bound", of_bound}, {"mean_us", mean_us}, {"p99_us", host["latency_us"]["p99"]}};
    for (const std::string& resource : {std::string("channel"), std::string("die")}) {
        const WaitShare wait = wait_share(stages, resource, mean_us);
        point.derived[resource + "_wait_share"] = wait.total / 100.0;
        point.derived[resource + "_wait_host_share"] = wait.host / 100.0;
        point.derived[resource + "_wait_gc_share"] = wait.gc / 100.0;
        point.more[resource + "_wait"] = wait.total;
    }
    for (const std::string_view resource : kResourceNames) {
        const Json& busy = result["utilization"][resource];
        point.more[std::string(resource) + "_busy"] =
            100.0 * (busy.is_array() ? mean_of(busy) : busy.get<double>());
    }
}

std::string tables(Points points, bool details, const TextStyle& style) {
    std::string text;
    for (const Selected& panel : panels_of(points)) {
        text += "\n" + style.bold(panel_name(panel.front()->parameters)) + "\n";
        text += details ? rows_table(panel, columns(), style)
                        : matrix_table(matrix_of(panel), matrix_text(), style);
    }
    return text;
}

std::vector<Figure> heat_maps(Points points) {
    double fastest = 0.0;
    for (const Measured& point : points) {
        fastest = std::max(fastest, point.value("mb_per_s"));
    }
    std::vector<Figure> figures;
    for (const Selected& panel : panels_of(points)) {
        for (const Map& map : maps_of(fastest)) {
            if (std::ranges::any_of(panel, [&map](const Measured* point) {
                    return std::abs(point->value(map.value) - map.nothing) > map.shown;
                })) {
                figures.emplace_back(heat_map(panel, map));
            }
        }
    }
    return figures;
}

std::vector<StudyJob> jasmine_jobs(const platform::Configuration& base, std::uint64_t requests) {
    Stream stream;
    stream.bytes = 32768;
    std::vector<StudyJob> jobs;
    for (const JasmineCase& which : kJasmineCases) {
        const platform::Configuration board =
            platform::variant_of(base, {fmt::format("nand.geometry.channels={}", which.channels),
                                        fmt::format("nand.geometry.dies={}", which.ways)});
        const StreamPlan plan = plan_of(board, stream, requests, bounds_of(board, stream));
        jobs.push_back({which.claim,
                        {{"channels", which.channels}, {"ways", which.ways}},
                        [board, stream, plan] { return run_point(board, stream, plan); },
                        [](const Json& result, Measured& point) {
                            point.more["mb_per_s"] = result["host"]["read"]["mb_per_s"];
                        }});
    }
    return jobs;
}

std::vector<Claim> jasmine_claims(Points points) {
    std::vector<PublishedClaim> claims;
    claims.reserve(kJasmineCases.size());
    for (const JasmineCase& which : kJasmineCases) {
        claims.push_back(jasmine_claim(which));
    }
    return judge(claims, points);
}

}  // namespace solidtlm::testbench::striping

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<striping::StripingStudy>();
}
