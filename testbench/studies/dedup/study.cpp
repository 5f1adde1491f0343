// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <list>

#include "platform/units.h"
#include "testbench/studies/dedup/dedup.h"
#include "testbench/studies/kit/figures.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::dedup {
namespace {

/// The loads of the study and two more recorded ones. The sizes of generated loads are chosen so that each
/// writes the drive several times. The mail spool was recorded on a disk in memory, and its writer waits for
/// every file; a flash drive cannot keep up with its arrivals.
struct StudyLoad {
    const char* name;
    const char* workload;         ///< null: a trace
    std::uint64_t requests;       ///< generated, or at most from the trace; 0: all of it
    std::uint64_t address_bytes;  ///< generated: size of the drive that it is made for
    double slower;                ///< factor for the times between arrivals
    const char* file;             ///< path in the folder of traces
};
constexpr std::array<StudyLoad, 5> kStudyLoads{{
    {"webvm", "webvm", 320'000, 256ULL << 20U, 1, nullptr},
    {"app_install", "app_install", 16'000, 192ULL << 20U, 1, nullptr},
    {"nat_dev_lowmem", nullptr, 0, 0, 1, "recorded/nat_dev_lowmem.nbd.xz"},
    {"nat_maildir", nullptr, 60'000, 0, 4, "recorded/nat_maildir.nbd.xz"},
    {"fiu_mail", nullptr, 0, 0, 1, "public/fiu_mail_10k_md5.blkparse.xz"},
}};

const StudyLoad& study_load(const std::string& name) {
    return *std::ranges::find_if(kStudyLoads, [&name](const StudyLoad& load) { return load.name == name; });
}

LoadSpec generated(const StudyLoad& load, double scale, const std::string& more) {
    const auto requests = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(load.requests) * scale)));
    return LoadSpec{load.name,   fmt::format("{},count={}{}", load.workload, requests, more),
                    "",          0,
                    load.slower, load.address_bytes};
}

/// Values of part `sensitivity`.
struct SensitivityOptions {
    std::vector<std::uint32_t> duplicates{10, 30, 60};  ///< percent
    std::vector<std::string> idles{"3ms", "10ms", "31ms", "100ms"};
    std::vector<double> speeds{0.1, 0.3, 1.0};
    std::vector<std::uint32_t> md5_us{25, 50, 100, 200};
    std::vector<std::string> byte_times{"1ns", "5ns", "25ns"};
    std::vector<std::uint64_t> table_bytes{64 * hal::kKiB, 256 * hal::kKiB, hal::kMiB, 4 * hal::kMiB};
};

/// A varied parameter, and the load for it.
struct Varied {
    Variation variation;
    std::string workload;
    double share = 1.0;     ///< share of its requests
    std::string more = {};  ///< appended to its description
};

/// Share of the load that is enough if nothing needs to be collected.
constexpr double kPart = 0.25;

void add_loads(const SensitivityOptions& options, std::vector<Varied>& axes) {
    constexpr double kPercent = 100.0;
    for (const std::uint32_t percent : options.duplicates) {
        axes.push_back({{"duplicates", static_cast<double>(percent)},
                        "webvm",
                        1.0,
                        fmt::format(",duplicates={}", percent / kPercent)});
    }
    for (const std::string& idle : options.idles) {
        const double ms = std::chrono::duration<double, std::milli>(*platform::parse_duration(idle)).count();
        axes.push_back({{"idle", ms}, "app_install", 1.0, ",idle=" + idle});
    }
    for (const double speed : options.speeds) {
        axes.push_back({{"speed", speed, {}, speed}, "app_install"});
    }
}

void add_drives(const SensitivityOptions& options, std::vector<Varied>& axes) {
    constexpr double kKilo = 1000.0;
    for (const std::string& byte_time : options.byte_times) {
        const double ns =
            std::chrono::duration<double, std::nano>(*platform::parse_duration(byte_time)).count();
        axes.push_back({{"byte_time", ns, {"nand.bus.byte_time=" + byte_time}}, "webvm", kPart});
    }
    for (const std::uint32_t us : options.md5_us) {
        axes.push_back(
            {{"md5", static_cast<double>(us), {fmt::format("hash.md5_per_4k={}us", us)}}, "webvm", kPart});
    }
    for (const std::uint64_t bytes : options.table_bytes) {
        axes.push_back({{"table",
                         static_cast<double>(bytes) / kKilo,
                         {fmt::format("firmware.dedup.table_size={}", bytes)}},
                        "webvm",
                        kPart});
    }
}

/// The systems of a load side by side; each bar is the sum of layers over `total` of the system `unit`.
void add_stacked(Points points, const FigureText& text, const std::string& load, const char* unit,
                 const char* total, const std::vector<std::pair<const char*, const char*>>& parts,
                 std::vector<Figure>& figures) {
    const Measured* one = find(points, load, unit);
    if (one == nullptr || one->value(total) <= 0.0) {
        return;
    }
    std::vector<Layer> layers;
    std::vector<std::string> values;
    for (const auto& [name, value] : parts) {
        values.emplace_back(value);
        layers.push_back({name, [of = std::string(value), whole = one->value(total)](const Measured& point) {
                              return point.value(of) / whole;
                          }});
    }
    Selected systems = select(points, {{"part", "systems"}, {"load", load}});
    std::erase_if(systems, [sum = sum_of(values)](const Measured* point) { return *sum(*point) <= 0.0; });
    figures.emplace_back(stacked_figure(text, {"system"}, {fmt::format("{} = 1", unit)}, systems, "system",
                                        layers, Layers::all));
}

/// Figures 3 and 4 of the study, for each load.
void add_times(Points points, std::vector<Figure>& figures) {
    for (const std::string& load : loads_of(points)) {
        add_stacked(points,
                    {figure_id("response-" + load), "Mean write response, " + load,
                     "Figure 3 of the study: what a write waits for."},
                    load, "online", "write_mean_us",
                    {{"CRC32 and fingerprints", "write_hash_us"},
                     {"flash", "write_flash_us"},
                     {"waiting for destaging", "write_buffer_us"},
                     {"rest", "write_rest_us"}},
                    figures);
        add_stacked(points,
                    {figure_id("time-" + load), "Time spent deduplicating, " + load,
                     "Figure 4 of the study: steps of hashing, reading and comparing, waits included."},
                    load, "offline", "dedup_total_s",
                    {{"CRC32", "dedup_crc_s"},
                     {"fingerprints", "dedup_fingerprint_s"},
                     {"reading", "dedup_read_s"},
                     {"comparing", "dedup_compare_s"}},
                    figures);
    }
}

/// Figure 5 of the study.
void add_moves(Points points, std::vector<Figure>& figures) {
    const auto times = [points](const Measured& point) {
        return ratio(&point, find(points, point.text("load"), "online"), "gc_moved_pages");
    };
    const Selected systems = select(points, {{"part", "systems"}});
    if (std::ranges::any_of(systems, [&times](const Measured* point) { return times(*point).has_value(); })) {
        figures.emplace_back(category_figure(
            {"moves", "Pages moved by garbage collection",
             "Figure 5 of the study: over what online moves. A gap where online moves none."},
            CategoryFigure::Look::bars, {"load"}, {"online = 1"}, systems, "load", "system", times));
    }
}

void add_curves(Points points, std::vector<Figure>& figures) {
    for (const std::string& load : loads_of(points)) {
        LineFigure figure{{figure_id("found-" + load), "Duplicates found over time, " + load, ""},
                          {"time, s"},
                          {"pages"},
                          {}};
        for (const Measured* point : select(points, {{"part", "systems"}, {"load", load}})) {
            if (point->more.contains("found") && !point->more["found"].empty()) {
                figure.series.push_back({point->text("system"),
                                         point->more["found"].get<std::vector<std::pair<double, double>>>()});
            }
        }
        add_unless_empty(figures, std::move(figure));
    }
}

struct Dependence {
    const char* id;
    const char* parameter;
    const char* value;
    const char* title;
    const char* x;
    const char* y;
    bool log;
    bool log_y = false;
};
constexpr std::array<Dependence, 10> kDependences{
    {{"duplicates-response", "duplicates", "write_mean_us", "Mean write response by the share of duplicates",
      "duplicates, %", "us", false},
     {"duplicates-moves", "duplicates", "gc_moved_pages",
      "Pages moved by garbage collection by the share of duplicates", "duplicates, %", "pages", false},
     {"idle-found", "idle", "duplicates", "Duplicates found by the mean pause between bursts", "pause, ms",
      "pages", true},
     {"idle-moves", "idle", "gc_moved_pages",
      "Pages moved by garbage collection by the mean pause between bursts", "pause, ms", "pages", true},
     {"speed-response", "speed", "write_mean_us", "Mean write response by the speed of arrivals",
      "times as fast", "us", true, true},
     {"byte_time-response", "byte_time", "write_mean_us",
      "Mean write response by the time of a byte on the flash bus", "ns", "us", true},
     {"byte_time-time", "byte_time", "dedup_total_s",
      "Time spent deduplicating by the time of a byte on the flash bus", "ns", "s", true},
     {"md5-response", "md5", "write_mean_us", "Mean write response by the time of an MD5", "us for 4 KiB",
      "us", true},
     {"md5-time", "md5", "dedup_total_s", "Time spent deduplicating by the time of an MD5", "us for 4 KiB",
      "s", true},
     {"table-found", "table", "duplicates", "Duplicates found by the size of the table", "KB", "pages",
      true}}};

void add_dependence(Points points, const Dependence& what, std::vector<Figure>& figures) {
    const Selected all = select(points, {{"part", "sensitivity"}, {"parameter", what.parameter}});
    if (all.empty()) {
        return;
    }
    Selected by_system;
    for (const Selected& system : groups_of(all, {"system"})) {
        by_system.insert(by_system.end(), system.begin(), system.end());
    }
    LineFigure figure =
        line_figure({what.id, what.title, fmt::format("On {}.", all.front()->text("load"))},
                    {what.x, what.log}, {what.y, what.log_y}, by_system, "system", "value", what.value);
    for (LineFigure::Series& series : figure.series) {
        std::ranges::sort(series.points);
    }
    figures.emplace_back(std::move(figure));
}

std::string loads_text(std::span<const Load> loads, const TextStyle& style) {
    std::vector<Measured> rows;
    for (const Load& load : loads) {
        rows.push_back({{{"load", load.name}}, load.properties});
    }
    const auto scaled = [](const char* name, double scale) {
        return [name, scale](const Measured& row) { return scale * row.value(name); };
    };
    return titled_table(
        select(rows), "Loads",
        {text("load", "load"), number("requests", "requests", 0), number("pages written", "written_pages", 0),
         number("distinct", "distinct_contents", 0), number("repeated %", scaled("repeated_share", 100.0), 1),
         number("duplicates %", scaled("duplicate_share", 100.0), 1),
         number(
             "touched MB", [](const Measured& row) { return row.value("touched_bytes") / 1e6; }, 1),
         number("idle %", scaled("idle_share", 100.0), 0), number("gap ms", "mean_gap_ms", 1)},
        style);
}

std::string system_text(Points points, const std::string& load, const TextStyle& style) {
    const Selected of = select(points, {{"part", "systems"}, {"load", load}});
    return titled_table(of, load + ": writes and flash",
                        {text("system", "system"), number("write mean us", "write_mean_us", 1),
                         number("p99 us", "write_p99_us", 0), number("hash us", "write_hash_us", 1),
                         number("flash us", "write_flash_us", 1), number("buffer us", "write_buffer_us", 1),
                         number("read mean us", "read_mean_us", 1), number("programs", "programs", 0),
                         number("GC moved", "gc_moved_pages", 0), number("erases", "erases", 0)},
                        style) +
           titled_table(of, load + ": deduplication",
                        {text("system", "system"), number("found", "duplicates", 0),
                         number("candidates", "candidates", 0), number("checked", "checked", 0),
                         number("compared", "comparisons", 0), number("waiting", "waiting", 0),
                         number("unit busy %", "hash_busy_percent", 0),
                         number("us per page", "dedup_page_us", 1), number("time s", "dedup_total_s", 2),
                         number("CRC32 s", "dedup_crc_s", 2), number("MD5 s", "dedup_fingerprint_s", 2),
                         number("reading s", "dedup_read_s", 2), number("comparing s", "dedup_compare_s", 2)},
                        style);
}

class DedupStudy : public Study {
  public:
    [[nodiscard]] Program program(std::span<char* const> arguments) const override;
    void add_options(OptionSet& options) override;
    void check(const CommandLine& line, Errors& errors) override;
    [[nodiscard]] StudyPlan plan(const CommandLine& line) override;
    [[nodiscard]] Conclusions conclude(Points points, const TextStyle& style) const override {
        return {claims_of(points), figures_of(points), tables_of(points, loads_, style)};
    }

  private:
    void add_given_loads(const CommandLine& line);
    void add_study_loads(Errors& errors);
    void add_power(const Drive& drive, std::vector<StudyJob>& jobs) const;
    void add_sensitivity(const CommandLine& line, const Drive& drive, std::vector<StudyJob>& jobs);

    std::vector<std::string> parts_{"systems", "power", "sensitivity"};
    std::vector<std::string> systems_{"none", "online", "offline", "offline_separated", "offline_crc32"};
    std::vector<std::string> workloads_;  ///< workloads of the study; empty: all available ones
    std::string trace_folder_;            ///< empty: not given
    double scale_ = 1.0;                  ///< factor for the requests of generated workloads
    double used_ = 1.0;
    std::string protection_ = "none";
    SensitivityOptions varied_;
    std::vector<LoadSpec> specs_;  ///< loads of the systems
    std::string absent_;           ///< text about loads of the study that are left out, and why
    std::vector<Load> loads_;
    std::list<Load> varied_loads_;  ///< jobs refer to these loads
};

Program DedupStudy::program(std::span<char* const> /*arguments*/) const {
    Program program;
    program.name = "tb_dedup";
    program.summary =
        "Compares ways to deduplicate in a simulated SATA SSD: online with fingerprints, offline in idle "
        "time, and with CRC32 instead of fingerprints; and the claims of Park and Shin 2014 beside what "
        "comes out.";
    program.examples = {
        "--out out",
        "--parts systems --workloads webvm --systems online,offline_crc32",
        "--parts systems --trace my.nbd.xz --used 0.7 --out out",
        "--parts sensitivity --idles 1ms,10ms,100ms --systems offline,offline_crc32",
    };
    program.unused = {
        {{"--scale"}},  // the study has its own option
        {kAgeingOptions, "the drive of tb_dedup begins empty and its load fills it; use tb_replay"},
        {{"--queue-depth"}, "use --set sata.queue_depth=N"},
        {{"--pacing"},
         "requests come at their arrival times, because idle time is what the systems differ in"}};
    program.notes = "docs/dedup-study.md explains the tables and the verdicts.";
    // One plane per die, so that even a drive for a small load has enough blocks in each parallel unit.
    program.configuration_defaults = "preset = \"study_c\"\n[nand.geometry]\nplanes = 1\nblocks = 608\n";
    return program;
}

void DedupStudy::add_options(OptionSet& options) {
    constexpr std::uint64_t kMostPercent = 90;
    constexpr std::uint64_t kLongestMd5 = 100'000;
    const Kind<std::string> time = kinds::as_text(kinds::duration(hal::Ps{1}));
    options.dimension("--parts", parts_, kinds::one_of({"systems", "power", "sensitivity"}),
                      "systems: C1 to C5; power: C6; sensitivity: what the results depend on");
    options.dimension("--systems", systems_,
                      kinds::one_of({"none", "online", "offline", "offline_separated", "offline_crc32"}),
                      "What deduplicates");
    options.dimension(
        "--workloads", workloads_, kinds::one_of(platform::names_of(kStudyLoads)),
        "Loads of the study; given neither these nor --workload nor --trace: the generated ones, and with "
        "--trace-folder the traces that are there");
    options.text("--trace-folder", trace_folder_, "DIR", "Where the traces among them are");
    options.value("--scale", scale_, kinds::number(0.001, 100),
                  "Requests of generated workloads, times this");
    options.value("--used", used_, kinds::number(0.05, 1),
                  "Share of the drive's capacity that the load uses; the drive is made to fit");
    options.value("--protection", protection_, kinds::one_of({"none", "capacitor", "journal"}),
                  "online: what keeps duplicates over a power loss, in C1 to C5");
    options.dimension("--duplicates", varied_.duplicates, kinds::integer(0, kMostPercent),
                      "Sensitivity: duplicates among the pages written, percent");
    options.dimension("--idles", varied_.idles, time, "Sensitivity: mean pauses between bursts");
    options.list("--speeds", varied_.speeds, kinds::number(0.001, 1000),
                 "Sensitivity: arrival times are divided by these");
    options.dimension("--byte-times", varied_.byte_times, time,
                      "Sensitivity: times of a byte on the flash bus");
    options.dimension("--md5", varied_.md5_us, kinds::integer(1, kLongestMd5),
                      "Sensitivity: times of an MD5 over 4 KiB, us");
    options.dimension("--tables", varied_.table_bytes, kinds::size(),
                      "Sensitivity: sizes of the table of fingerprints or CRC32 values");
}

void DedupStudy::check(const CommandLine& line, Errors& errors) {
    if (line.configuration.content == hal::ContentMode::none) {
        errors.emplace_back("content: found none; allowed: tags, bytes, because contents are compared");
    }
    check_traces_once(line, errors);
    add_given_loads(line);
    add_study_loads(errors);
}

void DedupStudy::add_given_loads(const CommandLine& line) {
    for (const std::string& path : line.traces) {
        const std::string file = std::filesystem::path(path).filename().string();
        specs_.push_back(
            LoadSpec{file.substr(0, std::max<std::size_t>(1, file.find('.'))), "", path, line.limit, 1.0, 0});
    }
    if (!line.workload.empty()) {
        specs_.push_back(
            LoadSpec{line.workload, line.workload, "", line.limit, 1.0, line.configuration.exported_bytes()});
    }
    for (LoadSpec& load : specs_) {
        const auto same = [&load](const LoadSpec& other) {
            return &other != &load && other.name == load.name;
        };
        if (std::ranges::any_of(specs_, same)) {
            load.name = load.trace;
        }
    }
}

void DedupStudy::add_study_loads(Errors& errors) {
    const bool all = workloads_.empty();
    if (all && !specs_.empty()) {
        return;
    }
    for (const StudyLoad& load : kStudyLoads) {
        if (!all && !has(workloads_, load.name)) {
            continue;
        }
        if (load.workload != nullptr) {
            specs_.push_back(generated(load, scale_, ""));
            continue;
        }
        const std::string path = (std::filesystem::path(trace_folder_) / load.file).string();
        const std::string lacking =
            trace_folder_.empty() ? fmt::format("--trace-folder must name a folder with {}", load.file)
            : !std::filesystem::exists(path) ? fmt::format("{} is not there (--trace-folder)", path)
                                             : "";
        if (lacking.empty()) {
            specs_.push_back(LoadSpec{load.name, "", path, load.requests, load.slower, 0});
        } else if (all) {
            absent_ += fmt::format("{}: left out; {}\n", load.name, lacking);
        } else {
            errors.push_back(fmt::format("--workloads: found {}; {}", load.name, lacking));
        }
    }
}

void DedupStudy::add_power(const Drive& drive, std::vector<StudyJob>& jobs) const {
    std::vector<System> systems;
    for (const std::string& name : systems_) {
        if (name != "online") {
            systems.push_back(system_named(name));
            continue;
        }
        for (const char* protection : {"none", "capacitor", "journal"}) {
            systems.push_back(online_with(protection));
        }
    }
    for (const System& system : systems) {
        for (const Moment moment : {Moment::at_once, Moment::idle}) {
            jobs.push_back(power_job(system, moment, drive));
        }
    }
}

void DedupStudy::add_sensitivity(const CommandLine& line, const Drive& drive, std::vector<StudyJob>& jobs) {
    std::vector<Varied> axes;
    add_loads(varied_, axes);
    add_drives(varied_, axes);
    for (const Varied& axis : axes) {
        const LoadSpec spec = generated(study_load(axis.workload), scale_ * axis.share, axis.more);
        varied_loads_.push_back(std::move(read_loads({&spec, 1}, line).front()));
        for (const std::string& system : systems_) {
            const bool searches = axis.variation.parameter == "md5" || axis.variation.parameter == "table";
            if (system != "none" || !searches) {
                jobs.push_back(
                    sensitivity_job(varied_loads_.back(), system_named(system), drive, axis.variation));
            }
        }
    }
}

StudyPlan DedupStudy::plan(const CommandLine& line) {
    StudyPlan plan;
    const Drive drive{line.configuration, used_, line.speed};
    if (has(parts_, "systems")) {
        plan.opening += absent_;
        loads_ = read_loads(specs_, line);
        for (const Load& load : loads_) {
            for (const std::string& name : systems_) {
                const System system = name == "online" ? online_with(protection_) : system_named(name);
                plan.jobs.push_back(system_job(load, system, drive));
            }
        }
    }
    if (has(parts_, "power")) {
        add_power(drive, plan.jobs);
    }
    if (has(parts_, "sensitivity")) {
        add_sensitivity(line, drive, plan.jobs);
    }
    plan.opening += usual_opening(plan.jobs, line);
    return plan;
}

}  // namespace

std::string tables_of(Points points, std::span<const Load> loads, const TextStyle& style) {
    std::string shown = loads_text(loads, style);
    for (const std::string& load : loads_of(points)) {
        shown += system_text(points, load, style);
    }
    shown +=
        titled_table(select(points, {{"part", "power"}}), "Power loss after acknowledged duplicates",
                     {text("system", "system"), text("protection", "protection"), text("moment", "moment"),
                      number("pages lost", "lost_pages", 0), number("of", "pages_at_risk", 0)},
                     style);
    for (const auto& [parameter, title] : {std::pair("duplicates", "Share of duplicates, %"),
                                           {"idle", "Mean pause between bursts, ms"},
                                           {"speed", "Speed of arrivals"},
                                           {"byte_time", "Time of a byte on the flash bus, ns"},
                                           {"md5", "Time of an MD5 over 4 KiB, us"},
                                           {"table", "Size of the table, KB"}}) {
        shown += titled_table(
            select(points, {{"part", "sensitivity"}, {"parameter", parameter}}), title,
            {text("value", "value"), text("system", "system"), number("write mean us", "write_mean_us", 1),
             number("found", "duplicates", 0), number("waiting", "waiting", 0),
             number("time s", "dedup_total_s", 2), number("GC moved", "gc_moved_pages", 0)},
            style);
    }
    return shown;
}

std::vector<Figure> figures_of(Points points) {
    std::vector<Figure> figures;
    add_times(points, figures);
    add_moves(points, figures);
    add_curves(points, figures);
    for (const Dependence& what : kDependences) {
        add_dependence(points, what, figures);
    }
    return figures;
}

}  // namespace solidtlm::testbench::dedup

std::unique_ptr<solidtlm::testbench::Study> solidtlm::testbench::make_study() {
    return std::make_unique<dedup::DedupStudy>();
}
