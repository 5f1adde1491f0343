// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/simulation.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"
#include "platform/interface_facts.h"
#include "platform/ssd.h"
#include "platform/units.h"
#include "testbench/show/counted_source.h"
#include "testbench/show/failures.h"
#include "testbench/show/filesystem_section.h"
#include "testbench/show/json_number.h"
#include "testbench/show/observer_chain.h"
#include "testbench/show/progress.h"
#include "testbench/show/time_series.h"
#include "testbench/sim/age/ageing.h"
#include "testbench/sim/files/file_claim.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/host/warm_up.h"
#include "testbench/sim/make_host.h"
#include "testbench/sim/power_cycler.h"
#include "testbench/sim/process/interruption.h"
#include "testbench/sim/refused_commands.h"
#include "testbench/sim/request_source.h"
#include "testbench/sim/save/age_cache.h"
#include "testbench/sim/save/drive_file.h"
#include "testbench/sim/stall_report.h"
#include "testbench/sim/steady_window.h"
#include "testbench/sim/stop_when_finished.h"
#include "testbench/sim/telemetry.h"
#include "testbench/sim/verify/verifier.h"
#include "testbench/watch/recording.h"

namespace solidtlm::testbench {
namespace {

/// Lets the drive continue in step with the kernel, and checks `ended` every `step`.
template <class Ended>
void run_until(const platform::Ssd& ssd, const sc_core::sc_time& step, Ended ended) {
    ssd.agenda().set_quantum(Ps{0});
    while (!ended()) {
        sc_core::sc_start(step);
    }
}

/// Lets background work continue until the core is idle: in the middle of a step, the firmware's tables may
/// be half updated.
void finish_step(const platform::Ssd& ssd) {
    run_until(ssd, {1.0, sc_core::SC_US}, [&ssd] { return ssd.core.idle(); });
}

DriveSize size_of(const platform::Ssd& ssd) {
    const platform::Configuration& configuration = ssd.configuration();
    return {configuration.raw_bytes(), configuration.firmware.exported_sectors * hal::kSectorBytes};
}

/// Whether the drive had been written over before the run, so that it collects as soon as the host writes.
bool is_aged(const RunSpec& run) {
    return !run.load_state.empty() ||
           (run.precondition && (run.precondition->random > 0 || !run.precondition->repeat.empty()));
}

StateFacts facts_of(const RunSpec& run, const Pacing& pacing) {
    StateFacts facts;
    facts.round_bytes = run.configuration.raw_bytes() / run.configuration.nand.geometry.blocks;
    facts.aged = is_aged(run);
    facts.open = !pacing.loop();
    facts.queue_depth = queue_depth_of(run);
    facts.known = run.known;
    return facts;
}

TrimDurability trim_durability(fw::TrimPersistence persistence) {
    switch (persistence) {
        case fw::TrimPersistence::journal:
            return TrimDurability::after_flush;
        case fw::TrimPersistence::immediate:
            return TrimDurability::on_completion;
        default:
            return TrimDurability::never;
    }
}

/// Whether the drive boots from flash, after a cut or after loading.
bool boots(const RunSpec& run, const RunHooks& hooks) {
    return run.power_cuts.any() || hooks.power_switch != nullptr || run.boot == platform::Start::boot_timed;
}

bool keeps_aged_drive(const RunSpec& run) {
    return run.precondition && !run.precondition->cache.empty();
}

VerifierConfig verifier_config(const RunSpec& run, const RunHooks& hooks) {
    const platform::Configuration& configuration = run.configuration;
    const platform::InterfaceFacts facts = platform::interface_facts(configuration);
    VerifierConfig config;
    config.power_cuts =
        boots(run, hooks) || !run.load_state.empty() || !run.save_state.empty() || keeps_aged_drive(run);
    config.trims = may_lose_log(configuration) ? TrimDurability::never
                                               : trim_durability(configuration.firmware.recovery.trims);
    config.volatile_cache = configuration.firmware.write_buffer.policy == fw::WriteCachePolicy::write_back &&
                            hooks.host.write_cache.value_or(facts.write_cache);
    config.content = configuration.content;
    config.sectors = configuration.firmware.exported_sectors;
    config.deterministic_after_trim = facts.deterministic_after_trim;
    config.zeros_after_trim = facts.zeros_after_trim;
    return config;
}

/// The host makes the drive write back the contents of its memory. True: they are on flash.
bool shut_down(const platform::Ssd& ssd, Host& host) {
    host.shut_down();
    run_until(ssd, {1.0, sc_core::SC_MS},
              [&host] { return host.is_shut_down() || !sc_core::sc_pending_activity(); });
    return host.is_shut_down().value_or(false);
}

/// Lets the firmware finish its work, unless that never ends. True: its state may be saved.
bool come_to_rest(platform::Ssd& ssd) {
    run_until(ssd, {1.0, sc_core::SC_MS},
              [&ssd] { return ssd.firmware().may_be_saved() || !sc_core::sc_pending_activity(); });
    return ssd.firmware().may_be_saved();
}

/// If saving fails, the run's result is kept.
void save(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier,
          std::vector<std::string>& faults) {
    try {
        save_drive(path, ssd, verifier);
    } catch (const OutputError& error) {
        faults.emplace_back(error.what());
    }
}

/// A failed check ends the program: this keeps what was recorded until then. One recording at a time.
class KeptRecording {
  public:
    explicit KeptRecording(Recording& recording) {
        kept = &recording;
        usual_handler = hal::set_check_handler(keep);
    }
    ~KeptRecording() {
        hal::set_check_handler(usual_handler);
        kept = nullptr;
    }
    KeptRecording(const KeptRecording&) = delete;
    KeptRecording& operator=(const KeptRecording&) = delete;

  private:
    static void keep(const std::string& message) {
        if (Recording* recording = std::exchange(kept, nullptr)) {
            (void)recording->finish(hw::now());
        }
        usual_handler(message);
    }
    inline static Recording* kept = nullptr;
    inline static hal::CheckHandler usual_handler = nullptr;
};

/// What is checked when a run has ended.
struct Ended {
    const RunSpec& run;
    const RunHooks& hooks;
    const platform::Ssd& ssd;
    const HostMetrics& metrics;
    const Verifier& verifier;
    const RefusedCommands& refused;
    const Failures& failures;
    const PowerReport& power;
    const Host& host;
    bool finished;
    bool known;  ///< whether the contents at the start are known, because ageing had no failures
};

double seconds_of(Ps at) {
    return ps_of(at) / hal::kPsPerSecond;
}

Json section_of(const Failures& failures, const platform::Ssd& ssd) {
    if (!ssd.powered()) {
        return failures_section(failures, nullptr);
    }
    const DriveState drive{ssd.firmware().health(), ssd.firmware().translation().lost_writes()};
    return failures_section(failures, &drive);
}

void find_faults(const Ended& ended, std::vector<std::string>& faults) {
    const auto& [run, hooks, ssd, metrics, verifier, refused, failures, power, host, finished, known] = ended;
    if (const auto at = host.interrupted_at()) {
        faults.push_back(fmt::format("{} at {:.6f} s of simulated time, after {} requests",
                                     Interruption::in_words(), seconds_of(*at), host.statistics().requests));
    }
    if (!finished) {
        faults.push_back(fmt::format("the device stalled: {} commands issued, {} completed, {} failed",
                                     metrics.issued(), metrics.completed(), metrics.failed()) +
                         (ssd.powered() ? "\n" + stall_report(ssd, host) : ""));
    }
    std::uint64_t expected = power.lost_commands + refused.count();
    if (hooks.interjector != nullptr) {
        expected += hooks.interjector->expected_failures();
        std::ranges::copy(hooks.interjector->faults(), std::back_inserter(faults));
    }
    if (metrics.failed() > expected && hooks.failures_are_faults) {
        faults.push_back(fmt::format("{} of {} commands failed: {}", metrics.failed() - expected,
                                     metrics.issued(),
                                     fmt::join(failure_facts(section_of(failures, ssd)), "; ")));
    }
    if (refused.accepted() > 0) {
        faults.push_back(fmt::format("{} commands beyond the capacity were carried out", refused.accepted()));
    }
    if (!verifier.passed() && hooks.losses_are_faults && known) {
        faults.push_back(
            fmt::format("{} sectors did not read back what was written", verifier.counts().mismatches));
        for (const Mismatch& mismatch : verifier.mismatches()) {
            faults.push_back(
                fmt::format("LBA {}: expected identity {:#018x}, found {:#018x} (read command {})",
                            mismatch.lba.value, mismatch.expected, mismatch.found, mismatch.read));
        }
        if (boots(run, hooks) && run.configuration.firmware.dedup.loses_duplicates()) {
            faults.emplace_back(
                "they may be duplicates that were never programmed: a power cut loses those of "
                "firmware.dedup.system=online unless firmware.dedup.protection is capacitor or journal");
        }
    }
    if (metrics.largest_residual() != Ps{0}) {
        faults.push_back(fmt::format("the stages of a command miss its latency by {} ps",
                                     metrics.largest_residual().count()));
    }
    if (const auto excess = host.latency_excess(); finished && excess && *excess != Ps{0}) {
        faults.push_back(
            fmt::format("the latencies of a closed loop miss Little's law by {} ps", excess->count()));
    }
    if (count_violations(ssd) > 0) {
        faults.push_back(
            fmt::format("{} NAND rules broken, the first: {}", count_violations(ssd), first_violation(ssd)));
    }
    if (const std::string books = ssd.firmware().check(); !books.empty()) {
        faults.push_back("the firmware's books disagree: " + books);
    }
}

/// The counters of a run.
struct Counted {
    const RunSpec& run;
    const RunHooks& hooks;
    RequestSource& source;
    const CountedSource& counted;
    const HostMetrics& metrics;
    const platform::Ssd& ssd;
    const Host& host;
    const Failures& failures;
    const TimeSeries& series;
    const SteadyWindow& window;
    const Verifier& verifier;
    const PowerCycler& power;
    const std::optional<AgeingReport>& ageing;
    std::chrono::steady_clock::time_point wall_begin;
};

/// The curves of the whole run, and which part of it is measured.
Json series_of(const Counted& counts) {
    Json series = counts.series.to_json();
    if (counts.run.warm_up > 0 && counts.window.opened()) {
        const auto since_begin = [&counts](Ps at) { return ps_of(at - counts.series.begin()) / kPsPerUs; };
        series["measured_us"] =
            Json::array({since_begin(counts.window.begin()), since_begin(counts.window.end())});
    }
    return series;
}

/// Empty: nearly all reads found data.
std::string unwritten_reads(const Json& result) {
    constexpr double kNegligible = 0.01;
    const Json& firmware = result.at("firmware");
    const double read = firmware.at("host.read_units");
    const double unwritten = firmware.at("host.read_unwritten_units");
    return unwritten > kNegligible * read
               ? fmt::format(
                     "{:.1f} % of the units read had never been written or were trimmed, and cost no "
                     "read of flash",
                     100 * unwritten / read)
               : "";
}

Json result_of(const Counted& counts, const DeviceTelemetry& telemetry,
               const std::vector<std::string>& faults) {
    const RunSpec& run = counts.run;
    const RunHooks& hooks = counts.hooks;
    RunInfo info;
    info.scenario = hooks.scenario;
    info.seed = run.configuration.seed;
    info.config = platform::to_json(run.configuration);
    info.sim_time = counts.metrics.measured();
    info.wall_time_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - counts.wall_begin).count();
    info.requests = counts.counted.requests() - counts.host.statistics().dropped;
    info.precondition = counts.ageing;
    const VerifyCounts verify =
        hooks.contents != nullptr
            ? hooks.contents->counts()
            : VerifyCounts{counts.verifier.counts().reads_checked, counts.verifier.counts().mismatches};
    Json result = make_result(info, counts.metrics, telemetry, verify);
    if (const SourceFeedback* feedback = counts.source.feedback();
        feedback != nullptr && !feedback->counters().empty()) {
        result["filesystem"] = filesystem_section(*feedback);
    }
    if (boots(run, hooks)) {
        result["power"] = power_section(counts.power.report(), counts.verifier.counts().audited_sectors);
    }
    if (counts.failures.any()) {
        result["failures"] = section_of(counts.failures, counts.ssd);
    }
    if (!hooks.failures_are_faults) {
        result["failures_expected"] = true;
    }
    if (const auto at = counts.host.interrupted_at()) {
        result["interrupted_at_s"] = seconds_of(*at);
    }
    result["faults"] = faults;
    result["state"] = counts.window.state();
    result["steady_state"] = counts.window.steady_state();
    std::vector<std::string> warnings = counts.window.warnings();
    if (std::string unwritten = unwritten_reads(result); !unwritten.empty()) {
        warnings.push_back(std::move(unwritten));
    }
    std::ranges::copy(counts.power.warnings(), std::back_inserter(warnings));
    if (!warnings.empty()) {
        result["warnings"] = warnings;
    }
    result["series"] = series_of(counts);
    return result;
}

/// Throws InputError if the simulation was paused because the run would not end, or not before the horizon.
void refuse_endless_run(const RunSpec& run, const Host& host, const PowerCycler& cycler) {
    if (cycler.in_vain()) {
        throw InputError(
            fmt::format("found power cuts {} after the drive is ready, {} times in a row before the host had "
                        "sent a command (host.submit_time is {}); allowed: a longer time",
                        platform::format_duration(run.power_cuts.every), PowerCycler::kMostStartsInVain,
                        platform::format_duration(run.configuration.host.submit)));
    }
    if (cycler.beyond_horizon()) {
        throw InputError(fmt::format(
            "found a power cut at {:.6f} s of simulated time and {} without power, which end after "
            "{}; allowed: fewer cuts, or a shorter time without power",
            seconds_of(hw::now()), platform::format_duration(run.power_cuts.off), hal::kHorizonText));
    }
    if (host.beyond_horizon()) {
        throw InputError(
            fmt::format("found a request that comes after {} of simulated time, after {} requests before; "
                        "allowed: a load that ends before that, or --until",
                        hal::kHorizonText, host.statistics().requests));
    }
}

}  // namespace

bool may_lose_log(const platform::Configuration& configuration) {
    const hw::FaultConfig& faults = configuration.nand.faults;
    return faults.bit_errors || std::ranges::any_of(faults.script.faults, [](const hw::ScriptedFault& fault) {
               using Kind = hw::ScriptedFault::Kind;
               return fault.kind == Kind::page || fault.kind == Kind::plane || fault.kind == Kind::die;
           });
}

RunSpec run_of(const platform::Configuration& configuration, std::uint32_t depth) {
    RunSpec run;
    run.configuration = configuration;
    run.queue_depth = depth;
    return run;
}

struct DriveToRun::Parts {
    Parts(const RunSpec& run, const RunHooks& hooks);

    std::unique_ptr<FileClaim> claim;  ///< on the file in which the drive will be saved
    platform::Ssd ssd;
    Verifier verifier;
    std::optional<AgeingReport> ageing;
};

DriveToRun::Parts::Parts(const RunSpec& run, const RunHooks& hooks)
    : claim(run.save_state.empty() ? nullptr : std::make_unique<FileClaim>(run.save_state)),
      ssd("ssd", run.configuration,
          hooks.check_protocol ? platform::ProtocolChecks::on : platform::ProtocolChecks::off),
      verifier(verifier_config(run, hooks)) {
    if (run.precondition) {
        const ProgressMode progress = progress_mode(hooks.quiet);
        ageing = keeps_aged_drive(run) ? age_once(ssd, *run.precondition, verifier, progress)
                                       : age(ssd, *run.precondition, verifier, progress);
    }
    if (hooks.before != nullptr && carry_out(ssd, *hooks.before, verifier) > 0) {
        throw InputError("a command failed that comes before the run");
    }
}

DriveToRun::DriveToRun(RunSpec run, RunHooks hooks) : run_(std::move(run)), hooks_(std::move(hooks)) {}

DriveToRun::~DriveToRun() = default;

DriveToRun::Parts& DriveToRun::get() {
    if (!parts_) {
        parts_ = std::make_unique<Parts>(run_, hooks_);
    }
    return *parts_;
}

SimulationOutcome simulate(const RunSpec& run, RequestSource& source, const Pacing& pacing,
                           const RunHooks& hooks) {
    DriveToRun drive(run, hooks);
    return simulate(run, source, pacing, hooks, drive);
}

SimulationOutcome simulate(const RunSpec& run, RequestSource& source, const Pacing& pacing,
                           const RunHooks& hooks, DriveToRun& drive) {
    const platform::Configuration& configuration = run.configuration;
    if (configuration.host.interface == platform::HostInterface::ahci &&
        (run.power_cuts.any() || hooks.power_switch != nullptr)) {
        throw InputError("a drive behind an adapter (host.interface = \"ahci\") keeps its power");
    }
    platform::Ssd& ssd = drive.get().ssd;
    Verifier& verifier = drive.get().verifier;
    const std::optional<AgeingReport>& ageing = drive.get().ageing;
    if (hooks.built) {
        hooks.built(BuiltDrive{ssd, verifier});
    }
    // without the ageing, which has a wall time of its own
    const auto wall_begin = std::chrono::steady_clock::now();
    HostMetrics metrics;
    TimeSeries series([&ssd](DeviceSample& sample) { sample_device(ssd, sample); });
    CountedSource counted(source);
    Progress progress("requests", source.size(), progress_mode(hooks.quiet));
    ProgressObserver progress_observer(progress, counted);
    StopWhenFinished stop(ssd.agenda());
    const PowerCycler* power = nullptr;
    const std::unique_ptr<DevicePort> port = make_port(run, hooks, ssd);
    std::unique_ptr<Host> host_of_run;
    const auto collect = [&ssd, &power, &host_of_run] {
        DeviceTelemetry telemetry = collect_telemetry(ssd);
        host_of_run->tell(telemetry.hardware);
        telemetry.firmware.add_past(power->past());
        return telemetry;
    };
    const std::uint64_t warm_up = run.warm_up == 0 && !run.known.empty() ? kOneRound : run.warm_up;
    SteadyWindow window(warm_up, size_of(ssd), facts_of(run, pacing),
                        {collect, [&ssd] { return flash_work(ssd); }}, metrics, counted);
    ObserverChain observers;
    observers.add(hooks.contents != nullptr ? static_cast<CommandObserver&>(*hooks.contents) : verifier);
    RefusedCommands refused(configuration.firmware.exported_sectors);
    observers.add(refused);
    if (hooks.interjector != nullptr) {
        observers.add(*hooks.interjector);
    }
    Failures failures;
    observers.add(failures);
    observers.add(metrics);
    observers.add(window);
    if (hooks.watcher != nullptr) {
        hooks.watcher->begin(collect);
        observers.add(*hooks.watcher);
    }
    observers.add(series);
    observers.add(progress_observer);
    observers.add(stop);
    if (hooks.power_switch != nullptr && hooks.power_switch->observer() != nullptr) {
        observers.add(*hooks.power_switch->observer());
    }
    Recording recording(run.record, configuration);
    if (hooks.power_switch != nullptr && hooks.power_switch->probe() != nullptr) {
        recording.add(*hooks.power_switch->probe());
    }
    recording.attach(ssd, observers);
    const KeptRecording kept(recording);
    host_of_run = make_host(run, hooks, ssd, port.get(), counted, pacing, observers);
    Host& host = *host_of_run;
    PowerCycler cycler("power_cycler", run.power_cuts, PowerCycler::Drive{ssd, host, verifier});
    if (hooks.power_switch != nullptr) {
        hooks.power_switch->attach(ssd, cycler);
    }
    power = &cycler;
    if (!run.load_state.empty()) {
        load_drive(run.load_state, ssd, verifier, run.boot, cycler.when_ready());
    }
    SimulationOutcome outcome;
    bool to_be_saved = !run.save_state.empty();
    if (to_be_saved && hooks.save_at_cut) {
        cycler.when_off([&] {
            if (std::exchange(to_be_saved, false)) {
                save(run.save_state, ssd, verifier, outcome.faults);
            }
        });
    }
    const Counted counts{run,      hooks,  source, counted,  metrics, ssd,    host,
                         failures, series, window, verifier, cycler,  ageing, wall_begin};
    if (hooks.running) {
        hooks.running([&] { return result_of(counts, window.telemetry(), {}); });
    }
    if (hooks.interjector != nullptr) {
        hooks.interjector->begin(host);
        cycler.tell(*hooks.interjector);
    }

    {
        const Interruption interruption;
        sc_core::sc_start();
    }
    refuse_endless_run(run, host, cycler);
    cycler.stop();
    const DeviceTelemetry telemetry = window.telemetry();
    if (ageing && ageing->failed > 0 && hooks.failures_are_faults) {
        outcome.faults.push_back(fmt::format("{} commands failed while the device was aged", ageing->failed));
    }
    if (!window.opened()) {
        outcome.faults.push_back(
            run.warm_up == kUntilSteady
                ? "nothing was measured: the requests ended before the drive was steady"
                : fmt::format("nothing was measured: the warm-up of {} commands took all there were",
                              run.warm_up));
    }
    to_be_saved &= stop.done;
    bool asleep = false;
    if (to_be_saved && run.shutdown != Shutdown::cut) {
        if (shut_down(ssd, host)) {
            verifier.written_back();
            asleep = come_to_rest(ssd) && run.shutdown == Shutdown::sleep;
        } else {
            outcome.faults.emplace_back("the drive refused to write back what it held before it was saved");
        }
    }
    if (stop.done) {
        finish_step(ssd);
    }
    sc_core::sc_stop();
    find_faults(Ended{run, hooks, ssd, metrics, verifier, refused, failures, cycler.report(), host, stop.done,
                      !ageing || ageing->failed == 0},
                outcome.faults);
    if (hooks.contents != nullptr) {
        for (std::string& fault : hooks.contents->faults()) {
            outcome.faults.push_back(std::move(fault));
        }
    }
    for (std::string& failure : recording.finish(hw::now())) {
        outcome.faults.push_back(std::move(failure));
    }
    if (to_be_saved && !asleep && ssd.firmware().recoverable()) {
        (void)ssd.power_cut();
        verifier.power_cut();
    }
    if (to_be_saved && (asleep || !ssd.powered())) {
        save(run.save_state, ssd, verifier, outcome.faults);
    } else if (to_be_saved) {
        outcome.faults.emplace_back(
            "the drive was not saved: it does not come to rest, and finds nothing on flash again");
    }
    outcome.result = result_of(counts, telemetry, outcome.faults);
    return outcome;
}

}  // namespace solidtlm::testbench
