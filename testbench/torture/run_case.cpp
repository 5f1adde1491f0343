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

#include "fw/runtime/sanitized.h"
#include "hw/tlm/time.h"
#include "platform/configuration_keys.h"
#include "testbench/simulation/event_cutter.h"
#include "testbench/simulation/host_settings.h"
#include "testbench/torture/draw_rules.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {
namespace {

/// Commands may fail, because blocks wear out or flash fails.
bool media_may_fail(const hw::NandConfig& nand) {
    return nand.rules.endurance_cycles > 0 || nand.faults.any();
}

Json cuts_of(const EventCutter& cutter) {
    Json cuts = Json::object();
    for (std::size_t kind = 0; kind < kEventKindNames.size(); ++kind) {
        const EventCutCount& count = cutter.count(static_cast<EventKind>(kind));
        if (count.cuts > 0) {
            cuts[std::string(kEventKindNames[kind])] = {count.cuts, count.booting};
        }
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

/// Says how far the simulation got, and lets the signal do what it does.
void report_hang(int signal_number) {
    std::array<char, 80> text{};
    const auto end =
        fmt::format_to_n(text.data(), text.size(), "hang\n  at simulated time {} ps\n", hw::now().count());
    (void)!write(STDERR_FILENO, text.data(), end.size);
    (void)std::signal(signal_number, SIG_DFL);
    (void)std::raise(signal_number);
}

/// A run that goes on for ever is killed; one that takes too much memory gets no more.
void limit_child(const CaseLimits& limits) {
    const itimerval once{{0, 0}, {limits.time.count(), 0}};
    (void)std::signal(SIGPROF, report_hang);
    setitimer(ITIMER_PROF, &once, nullptr);
    if (!fw::kAddressSanitizer) {
        const rlimit memory{limits.memory_bytes, limits.memory_bytes};
        setrlimit(RLIMIT_AS, &memory);
    }
}

}  // namespace

SimulationOutcome run_case(const TortureCase& torture, const RecorderSettings& record) {
    const PreparedCase prepared = prepare(torture);
    const platform::Configuration& configuration = prepared.line.configuration;
    SentRequests sent;
    const std::unique_ptr<RequestSource> source = make_source(prepared, sent);
    CommandLine line = prepared.line;
    line.pacing = prepared.mix ? "closed" : "";
    line.workload = prepared.mix ? "random" : line.workload;
    const HostSettings host = host_settings(line);
    EventCutter cutter(prepared.cuts);
    SimulationSettings settings;
    settings.scenario = "tb_torture";
    settings.configuration = configuration;
    settings.host = host.config;
    settings.host.max_sectors = prepared.load.max_sectors;
    settings.host.error_log_by_dma = prepared.load.error_log_by_dma;
    const bool may_fail = media_may_fail(configuration.nand);
    if (prepared.load.write_cache != "as_it_is" && !may_fail) {  // else SET FEATURES may fail, too
        settings.host.write_cache = prepared.load.write_cache == "on";
    }
    settings.quiet = true;
    settings.precondition = prepared.line.precondition;
    settings.record = record;
    settings.power_cuts.off = prepared.load.power_off;
    settings.event_cuts = prepared.cuts.empty() ? nullptr : &cutter;
    settings.check_protocol = true;
    settings.losses_are_faults = prepared.cuts.empty() || !configuration.firmware.dedup.loses_duplicates();
    settings.failures_are_faults = !may_fail;
    SimulationOutcome outcome = simulate(settings, *source, *host.pacing);
    const Json whole = std::move(outcome.result);
    outcome.result = {{"values", values_of(configuration)},
                      {"cuts", cuts_of(cutter)},
                      {"boots", prepared.cuts.empty() ? Json(0) : whole["power"]["interrupted_boots"]},
                      {"commands",
                       {{"read", sent.reads},
                        {"write", sent.writes},
                        {"trim", sent.trims},
                        {"flush", sent.flushes},
                        {"fua", sent.fua},
                        {"not queued", sent.unqueued},
                        {"beyond the device", sent.beyond}}},
                      {"failed", whole["host"]["failed"]},
                      {"erases", whole["nand"]["erases"]},
                      {"reads_checked", whole["verify"]["reads_checked"]},
                      {"end_ps", hw::now().count()}};
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
        if (!point.messages.empty()) {  // of a check, a sanitizer, SystemC: says more than how it ended
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
    // Of a check also where it is.
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
