// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/run_case.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "fw/runtime/sanitized.h"
#include "hw/tlm/tag_run.h"
#include "hw/tlm/time.h"
#include "platform/configuration_keys.h"
#include "testbench/doors/disk/disk_source.h"
#include "testbench/show/result.h"
#include "testbench/sim/event_cutter.h"
#include "testbench/sim/host_settings.h"
#include "testbench/torture/cut_watch.h"
#include "testbench/torture/disk_client.h"
#include "testbench/torture/interjections.h"
#include "testbench/torture/load.h"
#include "testbench/torture/met_faults.h"
#include "testbench/torture/sessions.h"

namespace solidtlm::testbench {
namespace {

/// Frames on the link (of some 30 commands) after which a power cut no longer waits for its event.
constexpr std::uint64_t kPatience = 120;

/// Whether a power cut may destroy data that the drive has not promised to keep.
bool may_lose(const platform::Configuration& configuration) {
    const fw::FirmwareConfig& firmware = configuration.firmware;
    const bool has_log = firmware.recovery.trims != fw::TrimPersistence::lazy ||
                         firmware.recovery.checkpoint_interval > 0 || firmware.dedup.any();
    // A log page that is readable at one boot may be unreadable at the next; trimmed data then comes back.
    // The same holds for a torn page that parity has rebuilt.
    return firmware.dedup.loses_duplicates() ||
           ((has_log || firmware.reliability.parity()) && may_lose_log(configuration));
}

/// Whether parity prevents all losses: only one page, plane or die fails, and every stripe has its parity. A
/// stripe that a power cut has interrupted lacks parity, and so do the pages of a map cache and of
/// deduplication's log.
bool parity_keeps_all(const PreparedCase& prepared) {
    using Kind = hw::ScriptedFault::Kind;
    const platform::Configuration& configuration = prepared.run.configuration;
    const fw::FirmwareConfig& firmware = configuration.firmware;
    hw::NandConfig rest = configuration.nand;
    const std::vector<hw::ScriptedFault> script = std::move(rest.faults.script.faults);
    rest.faults.script.faults.clear();
    return firmware.reliability.parity() && script.size() == 1 && script.front().kind >= Kind::page &&
           !media_may_fail(rest) && !prepared.boots() && firmware.map_cache.whole_map() &&
           !firmware.dedup.any();
}

/// One entry per cut: kind, offset in ps, what the drive was doing.
Json cuts_of(const EventCutter& cutter) {
    Json cuts = Json::array();
    for (const HappenedCut& each : cutter.happened()) {
        cuts.push_back({each.cut.kind, each.cut.offset_ps, each.instant});
    }
    return cuts;
}

Json values_of(const platform::Configuration& configuration) {
    Json values = Json::array();
    for (const platform::ConfigurationKey& key : platform::keys()) {
        values.push_back(key.get(configuration));
    }
    return values;
}

/// Reports how far the simulation got, then lets the signal have its default effect.
void report_hang(int signal_number) {
    std::array<char, 80> text{};
    const auto end =
        fmt::format_to_n(text.data(), text.size(), "hang\n  at simulated time {} ps\n", hw::now().count());
    (void)!write(STDERR_FILENO, text.data(), end.size);
    (void)std::signal(signal_number, SIG_DFL);
    (void)std::raise(signal_number);
}

/// Reports the lack of memory without allocating, and ends the process.
void report_no_memory() {
    rlimit memory{};
    getrlimit(RLIMIT_AS, &memory);
    std::array<char, 128> text{};
    const auto end = fmt::format_to_n(text.data(), text.size(),
                                      "{}\n  at simulated time {} ps, with {} MiB of addresses allowed\n",
                                      kOutOfMemory, hw::now().count(), memory.rlim_cur >> 20U);
    (void)!write(STDERR_FILENO, text.data(), end.size);
    _exit(1);
}

/// Kills a run that does not end, and ends one that takes too much memory.
void limit_child(const CaseLimits& limits) {
    const itimerval once{{0, 0}, {limits.time.count(), 0}};
    (void)std::signal(SIGPROF, report_hang);
    setitimer(ITIMER_PROF, &once, nullptr);
    if (!fw::kAddressSanitizer) {
        std::set_new_handler(report_no_memory);
        rlimit memory{};
        getrlimit(RLIMIT_AS, &memory);
        memory.rlim_cur = std::min<rlim_t>(limits.memory_bytes, memory.rlim_max);
        setrlimit(RLIMIT_AS, &memory);
    }
}

/// Raises the limit on addresses: a large drive maps its DRAM and large tables, but a run touches little of
/// them (hal::ZeroedMemory).
void allow_addresses(const platform::Configuration& configuration) {
    constexpr std::uint64_t kTagBytes = 8;      // per run of sectors: hw::TagPages
    constexpr std::uint64_t kShadowBytes = 16;  // per run of sectors: ShadowMap
    constexpr std::uint64_t kMapBytes = 8;      // per unit: its entry in a map cache and on flash
    constexpr std::uint64_t kScanBytes = 20;    // per unit, at boot: entry, reference, sequence number
    constexpr std::uint64_t kRunBytes = hw::kRunSectors * hal::kSectorBytes;
    rlimit memory{};
    getrlimit(RLIMIT_AS, &memory);
    if (memory.rlim_cur != RLIM_INFINITY) {
        const rlim_t tables = configuration.raw_bytes() / kRunBytes * (kTagBytes + kShadowBytes) +
                              configuration.raw_units() * (kMapBytes + kScanBytes) +
                              configuration.dram.size_bytes;
        memory.rlim_cur = std::min(memory.rlim_cur + tables, memory.rlim_max);
        setrlimit(RLIMIT_AS, &memory);
    }
}

/// The case in step with the kernel, with payloads in place of calls.
TortureCase case_in_step(TortureCase torture) {
    give(torture.settings, {"run_ahead=0s"});
    give(torture.load, {"check_protocol=true"});
    return torture;
}

/// The part of a result that must not depend on how the model is computed.
Json comparable(Json whole) {
    whole = without_wall_times(std::move(whole));
    whole["config"].erase("run_ahead");
    return whole;
}

/// The properties of the case, each a name that counts once, and its cuts at times.
Json shape_of(const PreparedCase& prepared, const SentRequests& sent, const CutWatch& watch) {
    const platform::Configuration& configuration = prepared.run.configuration;
    const std::string interface = platform::find_key("host.interface")->get(configuration);
    const std::uint32_t depth = prepared.load.queue_depth;
    Json sizes = Json::object();
    for (std::size_t i = 0; i < kSizeClasses.size(); ++i) {
        sizes[std::string(kSizeClasses.at(i).name)] = sent.sizes.at(i);
    }
    std::uint64_t cuts = 0;
    for (const auto& [name, count] : watch.instants()) {
        cuts += count;
    }
    const std::string mode = platform::find_key("content")->get(configuration);
    const PowerCuts& planned = prepared.run.power_cuts;
    return {{"presets", {{configuration.preset, 1}}},
            {"clients", {{prepared.by_disk_client() ? "tb_disk" : "host", 1}}},
            {"interfaces", {{interface, 1}}},
            {"contents", {{mode, 1}}},
            {"depths",
             {{depth == 1   ? "1"
               : depth <= 8 ? "2 - 8"
                            : "9 - 32",
               1}}},
            {"sizes", sizes},
            {"planned",
             {{planned.every > Ps{0} ? "every"
               : planned.any()       ? "at"
                                     : "no cut",
               1}}},
            {"cuts", {{"total", cuts}, {"in data phases", watch.in_data_phases()}}},
            {"instants", watch.instants()}};
}

/// How requests are paced: a client of tb_disk sends them as soon as it has them.
std::unique_ptr<Pacing> pacing_of(const PreparedCase& prepared, bool pauses) {
    RunSpec run = prepared.run;
    run.pacing = pauses || prepared.by_disk_client() ? "open" : prepared.mix ? "closed" : "";
    run.workload = prepared.mix ? "random" : run.workload;
    return make_pacing(run);
}

HostConfig host_of(const PreparedCase& prepared) {
    HostConfig host;
    host.max_sectors = prepared.load.max_sectors;
    host.error_log_by_dma = prepared.load.error_log_by_dma;
    if (prepared.load.write_cache != "as_it_is" &&
        !media_may_fail(prepared.run.configuration.nand)) {  // otherwise SET FEATURES may fail too
        host.write_cache = prepared.load.write_cache == "on";
    }
    return host;
}

/// Returns the outcome, and in `whole` the result that a user would get.
SimulationOutcome run_prepared(const PreparedCase& prepared, const RecorderSettings& record, Json& whole) {
    const platform::Configuration& configuration = prepared.run.configuration;
    allow_addresses(configuration);
    SentRequests sent;
    const std::unique_ptr<RequestSource> source = make_source(prepared, sent);
    const std::unique_ptr<Pacing> pacing =
        pacing_of(prepared, prepared.load.pauses > 0 && source->feedback() == nullptr);
    DiskClient client(*source, prepared.load.queue_depth, prepared.load.seed);
    disk::DiskSource disk_source(
        client, {}, {configuration.firmware.exported_sectors, disk::zeros_by_trim(configuration)}, nullptr);
    const bool by_disk = prepared.by_disk_client();
    EventCutter cutter(prepared.cuts, kPatience);
    CutWatch watch([by_disk, &disk_source] {
        if (by_disk) {
            disk_source.power_lost(true);
        }
    });
    const bool may_fail = media_may_fail(configuration.nand);
    using Flash = Interjections::Flash;
    Interjections interjections(prepared,
                                !may_fail                    ? Flash::sound
                                : parity_keeps_all(prepared) ? Flash::readable
                                                             : Flash::may_fail,
                                sent);
    MetFaults met;
    RunSpec run = prepared.run;
    run.record = record;
    RunHooks hooks{.scenario = "tb_torture"};
    hooks.host = host_of(prepared);
    hooks.interjector = &interjections;
    hooks.watcher = &met;
    hooks.built = [&met](const BuiltDrive& drive) { met.built(drive); };
    if (prepared.cuts_power()) {
        hooks.power_switch = prepared.cuts.empty() ? static_cast<PowerSwitch*>(&watch) : &cutter;
    }
    hooks.check_protocol = prepared.load.check_protocol;
    hooks.losses_are_faults = !prepared.boots() || !may_lose(configuration);
    hooks.failures_are_faults = !may_fail;
    SimulationOutcome outcome =
        simulate(run, by_disk ? static_cast<RequestSource&>(disk_source) : *source, *pacing, hooks);
    // After a power cut, the firmware estimates its count; and not all layers count an erase that fails. A
    // saved drive has been erased before.
    if (!met.miscounted().empty() && !prepared.cuts_power() && prepared.sessions.empty() && !may_fail) {
        outcome.faults.push_back(met.miscounted());
    }
    if (std::string kept = met.kept_core(configuration, sent.marks > 0); !kept.empty()) {
        outcome.faults.push_back(std::move(kept));
    }
    whole = std::move(outcome.result);
    outcome.result = {{"values", values_of(configuration)},
                      {"shape", shape_of(prepared, sent, watch)},
                      {"cuts", cuts_of(cutter)},
                      {"commands",
                       {{"read", sent.reads},
                        {"write", sent.writes},
                        {"trim", sent.trims},
                        {"flush", sent.flushes},
                        {"fua", sent.fua},
                        {"not queued", sent.unqueued},
                        {"beyond the device", sent.beyond},
                        {"SMART or log", sent.questions},
                        {"write uncorrectable", sent.marks}}},
                      {"endings", met.endings()},
                      {"faults_met", met.faults(whole)},
                      {"erases", whole["nand"]["erases"]},
                      {"reads_checked", whole["verify"]["reads_checked"]},
                      {"end_ps", hw::now().count()}};
    return outcome;
}

/// Uses a child process, because this process runs the case itself.
PointOutcome run_in_step(const TortureCase& torture) {
    const PointJob job{"in step", [&torture] {
                           Json whole;
                           SimulationOutcome outcome =
                               run_prepared(prepare(case_in_step(torture)), {}, whole);
                           outcome.result = comparable(std::move(whole));
                           return outcome;
                       }};
    PointPool pool{1, true};
    pool.pass_on_messages = false;
    return std::move(run_points(std::span(&job, 1), pool).front());
}

/// The differences from the run in step, if any.
std::optional<std::string> difference(const PointOutcome& in_step, Json whole) {
    constexpr std::string_view kInStep = "in step with the kernel, by payloads";
    if (in_step.outcome.result.is_null()) {
        return fmt::format("{}: {}", kInStep,
                           in_step.messages.empty() ? in_step.outcome.faults.front() : in_step.messages);
    }
    const Json differences = Json::diff(in_step.outcome.result, comparable(std::move(whole)));
    return differences.empty() ? std::nullopt
                               : std::optional(fmt::format("{} other results: {}, {} in all", kInStep,
                                                           differences[0].dump(), differences.size()));
}

}  // namespace

SimulationOutcome run_case(const TortureCase& torture, const RecorderSettings& record) {
    const PreparedCase prepared = prepare(torture);
    if (!prepared.sessions.empty()) {
        return run_sessions(prepared, [&record](const PreparedCase& session) {
            Json whole;
            return run_prepared(session, record, whole);
        });
    }
    std::optional<PointOutcome> in_step;
    if (prepared.load.compare) {
        in_step = run_in_step(torture);
    }
    Json whole;
    SimulationOutcome outcome = run_prepared(prepared, record, whole);
    if (in_step && outcome.faults.empty()) {
        if (auto differs = difference(*in_step, std::move(whole)); differs) {
            outcome.faults.push_back(*std::move(differs));
        }
    }
    return outcome;
}

SimulationOutcome run_as_user(const TortureCase& torture) {
    Json whole;
    SimulationOutcome outcome = run_prepared(prepare(torture), {}, whole);
    outcome.result = without_wall_times(std::move(whole));
    return outcome;
}

std::vector<CaseOutcome> run_in_children(const std::vector<CaseJob>& jobs, std::uint32_t at_once,
                                         const CaseLimits& limits) {
    std::vector<PointJob> points;
    points.reserve(jobs.size());
    for (const CaseJob& job : jobs) {
        points.push_back({job.name, [&job, &limits] {
                              limit_child(limits);
                              return job.run();
                          }});
    }
    PointPool pool{at_once, true};
    pool.pass_on_messages = false;
    std::vector<CaseOutcome> outcomes;
    for (PointOutcome& point : run_points(points, pool)) {
        CaseOutcome& outcome = outcomes.emplace_back();
        outcome.result = std::move(point.outcome.result);
        outcome.faults = std::move(point.outcome.faults);
        outcome.wall_time_s = point.wall_time_s;
        outcome.peak_memory_bytes = point.peak_memory_bytes;
        // the messages of a check, a sanitizer or SystemC say more than the exit status
        if (!point.messages.empty()) {
            outcome.faults.insert(outcome.faults.begin(), point.messages);
        }
    }
    return outcomes;
}

std::string signature_of(const std::vector<std::string>& faults) {
    if (faults.empty()) {
        return {};
    }
    std::string text = faults.front();
    text.erase(0, std::min(text.find_first_not_of("=\n"), text.size()));  // above AddressSanitizer's report
    // For a failed check, also adds where it is.
    const std::size_t first_line = text.find('\n');
    const std::size_t end = text.starts_with("check failed") && first_line != std::string::npos
                                ? text.find('\n', first_line + 1)
                                : first_line;
    const std::string_view line =
        std::string_view(text).substr(0, std::min({end, text.find(" on address "), text.find(" at pc ")}));
    std::string signature;
    for (std::size_t at = 0; at < line.size();) {
        if (std::isdigit(static_cast<unsigned char>(line[at])) == 0) {
            signature += line[at++];
            continue;
        }
        signature += '#';
        at = std::min(line.find_first_not_of("0123456789.", at), line.size());
        for (const std::string_view unit : {" ps", " ns", " us", " ms"}) {
            if (line.substr(at).starts_with(unit)) {
                signature += " s";
                at += unit.size();
            }
        }
    }
    return signature;
}

}  // namespace solidtlm::testbench
