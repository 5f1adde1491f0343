// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "platform/units.h"
#include "testbench/programs/cli/command_line.h"
#include "testbench/programs/cli/file_roles.h"
#include "testbench/programs/cli/trace_options.h"
#include "testbench/show/section_log.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/host/pacing.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/host/warm_up.h"
#include "testbench/sim/load/spec_items.h"

namespace solidtlm::testbench {
namespace {

namespace fs = std::filesystem;

void add_recording(OptionSet& set, const std::string& name, fs::path& file, RecordWindow& window,
                   const std::string& what) {
    CLI::Option* option = set.text(name, file, "FILE", what);
    set.needs(set.unset(name + "-from", window.from, kinds::duration(),
                        "Simulated time at which it begins; power-on if not given"),
              option);
    set.needs(set.unset(name + "-to", window.to, kinds::duration(),
                        "Simulated time at which it ends; the end of the run if not given"),
              option);
}

void add_power_cuts(OptionSet& set, PowerCuts& cuts) {
    const Kind<Ps> time = kinds::duration(Ps{1});
    set.group("Power cuts");
    set.list("--power-cut-at", cuts.at, time, "Instants of simulated time at which the drive loses power");
    set.unset("--power-cut-every", cuts.every, time,
              "Cut power this long after each time the drive is ready, until the run ends");
    set.value("--power-off", cuts.off, time, "Time without power after a cut");
}

void add_saved_drives(OptionSet& set, RunSpec& run) {
    const char* group = "Saved drives";
    set.group(group);
    const CLI::Option* load =
        set.text("--load-state", run.load_state, "FILE", "Begin with a drive that was saved");
    set.needs(
        set.unset(
            "--boot", run.boot, kinds::enumerator({"instant", "timed"}, 1),
            "When the firmware boots from flash, even if it was saved: before simulated time begins, or "
            "as a power-on that takes its time"),
        load);
    set.group(group, Role::output);
    const CLI::Option* save = set.text("--save-state", run.save_state, "FILE", "Save the drive at the end");
    set.needs(
        set.value(
            "--shutdown", run.shutdown, kinds::enumerator({"sleep", "clean", "cut"}),
            "How the drive stops before it is saved: with STANDBY IMMEDIATE, and its firmware is saved, "
            "too; or its flash alone, after STANDBY IMMEDIATE or a power cut after the last "
            "command"),
        save);
}

void check_window(const std::string& option, const RecordWindow& window, Errors& errors) {
    if (window.from >= window.to) {
        errors.push_back(option + "-to: found " + platform::format_duration(window.to) +
                         "; allowed: later than " + option + "-from, " +
                         platform::format_duration(window.from));
    }
}

void check_table(const std::string& option, const fs::path& file, Errors& errors) {
    if (!file.empty() && !is_table(file)) {
        errors.push_back(option + ": found " + file.string() +
                         "; allowed: a name that ends with .csv, .csv.zst or .columns" +
                         (file.extension() == ".parquet" ? ", or solidtlm run, which writes .parquet" : ""));
    }
}

void check_recordings(const RecorderSettings& record, Errors& errors) {
    std::vector<fs::path> files{record.vcd, record.timeline, record.commands, record.decisions};
    if (!record.fio_log.empty()) {
        std::ranges::copy(fio_log_paths(record.fio_log), std::back_inserter(files));
    }
    for (const fs::path& file : files) {
        if (!file.empty()) {
            check_writable(file, errors);
        }
    }
    check_table("--commands", record.commands, errors);
    check_table("--decisions", record.decisions, errors);
    check_window("--vcd", record.vcd_window, errors);
    check_window("--timeline", record.timeline_window, errors);
    if (!record.vcd.empty() && same_file(record.vcd, gtkwave_save_path(record.vcd))) {
        errors.push_back("--vcd: found " + record.vcd.string() +
                         "; allowed: another ending than .gtkw, which is the save file's");
    }
}

// --until: a time, and quantities with the precision that is enough.
constexpr double kBestPrecision = 0.001;
constexpr double kUsualPrecision = 0.05;

platform::Names names_of_quantities() {
    platform::Names names;
    for (const Quantity& quantity : quantities()) {
        names.emplace_back(quantity.name);
    }
    return names;
}

std::optional<std::string> read_known(const SpecItem& item, RunSpec& run) {
    const std::string name(item.key);
    if (find_quantity(name) == nullptr) {
        const platform::Names names = names_of_quantities();
        return name + ": unknown quantity" + platform::did_you_mean(name, names) +
               "; known: " + platform::join_names(names);
    }
    if (std::ranges::find(run.known, name, &Precision::quantity) != run.known.end()) {
        return name + ": given twice";
    }
    const Kind<double> precision = kinds::share(kBestPrecision);
    const auto share = precision.read(item.value);
    if (!share) {
        return fmt::format("{}: found {}; allowed: {}", name, item.value, precision.range);
    }
    run.known.push_back({name, *share});
    return std::nullopt;
}

Errors read_end(const std::string& text, RunSpec& run) {
    run.until.reset();
    run.known.clear();
    Errors errors;
    bool known = false;
    for (const SpecItem& item : split_spec(text)) {
        if (item.text == "known") {
            known = true;
        } else if (!item.key.empty()) {
            if (auto error = read_known(item, run)) {
                errors.push_back("--until: " + *error);
            }
        } else {
            const Kind<Ps> time = kinds::duration(Ps{1});
            run.until = time.read(item.text);
            if (!run.until) {
                errors.push_back(fmt::format("--until: found {}; allowed: {}", item.text, time.range));
            }
        }
    }
    if (known && run.known.empty() && errors.empty()) {
        run.known = {{"mean", kUsualPrecision}, {"p99", kUsualPrecision}};
    } else if (!known && !run.known.empty()) {
        errors.emplace_back("--until: found a quantity without known; allowed: known,p99=2%");
    }
    return errors;
}

std::string end_text(const RunSpec& run) {
    std::string text = run.until ? kinds::duration(Ps{1}).write(*run.until) : "";
    if (!run.known.empty()) {
        text += text.empty() ? "known" : ",known";
    }
    for (const Precision& each : run.known) {
        text += fmt::format(",{}={:g}%", each.quantity, 100 * each.share);
    }
    return text;
}

std::string end_help() {
    std::string text = key_help("known", "end when the drive is steady and all given quantities are known",
                                "", "alone: mean=5%,p99=5%");
    for (const Quantity& quantity : quantities()) {
        text += key_help(quantity.name,
                         fmt::format("{}: half width of the 95 % interval, of its value", quantity.label), "",
                         kinds::share(kBestPrecision).range);
    }
    return text;
}

}  // namespace

void add_ageing(OptionSet& set, RunSpec& run) {
    const auto take = [&run](const std::string& text) {
        try {
            run.precondition = parse_preconditioning(text);
        } catch (const InputError& error) {
            return Errors{error.what()};
        }
        return Errors();
    };
    set.spec(
           "--precondition", "SPEC", take,
           [&run] { return run.precondition ? to_text(*run.precondition) : std::string(); },
           "What the drive holds when the run begins, written without simulated time: none, reads (only what "
           "the load will read, where nothing is said), or keys; fill=1,random=2 without SPEC")
        ->expected(0, 1);
    set.explain("--precondition", preconditioning_help());
}

void add_requests(OptionSet& set, RunSpec& run) {
    constexpr double kFastest = 1e9;
    set.group("Requests");
    set.texts("--trace", run.traces, "FILE", "Trace to replay; repeatable");
    set.text("--format", run.format, "NAME",
             "Format of the traces, or columns:'...' (traces/README.md); by content if not given");
    set.flag(
        "--merge", run.merge,
        "Run the traces at once, merged by time, each from its own first request; not one after another");
    add_trace_options(set, run.selection, run.offsets);
    set.value("--fit", run.fit, kinds::one_of({"error", "wrap", "scale"}), "Addresses past the device");
    set.unset("--regroup-trims", run.regroup_trims, kinds::one_of({"per_extent", "batched", "queued"}),
              "Send trims per_extent (one range per command), batched (up to 64) or queued (NCQ)");
    set.text("--workload", run.workload, "SPEC", "Generated requests");
    set.instead("--trace", "--workload");
    Kind<std::string> pacing = kinds::one_of({"open", "closed", "recorded_depth"});
    pacing.example = "; open keeps the recorded times, recorded_depth the recorded depth of the queue";
    set.unset(
        "--pacing", run.pacing, pacing,
        "open: at their arrival times; closed: keep the queue full; recorded_depth: as many outstanding "
        "as when they were recorded, at any time");
    set.unset("--queue-depth", run.queue_depth, kinds::integer(1, kMostOutstanding),
              "Commands outstanding at most; closed: requests, which wait in the host without a tag");
    set.value("--speed", run.speed, kinds::number_above(0, kFastest), "Divide arrival times by this");
    set.unset("--limit", run.limit, kinds::integer(), "Requests at most; 0: all");
    set.spec(
        "--until", "T|known,...", [&run](const std::string& text) { return read_end(text, run); },
        [&run] { return end_text(run); },
        "Requests that arrive before this simulated time; those under way then still end. Or until these are "
        "known, with a warm-up of one round of collection: known,p99=2%,mean=2%; or what comes first, by "
        "comma");
    set.explain("--until", end_help());
    set.unset("--warm-up", run.warm_up,
              kinds::or_name(kinds::integer(0, kOneRound - 1), "steady", kUntilSteady),
              "Commands that bring the device into a steady state, or steady: until it is in one "
              "(docs/ageing.md); the result begins after them");
}

void add_output_folder(OptionSet& set, RunSpec& run) {
    set.group("Run", Role::output);
    set.text("--out", run.out, "DIR", "Folder for result files; created if need be");
    set.flag("--no-report", run.no_report, "Write result.json there, and no report.html");
}

void add_one_run(OptionSet& set, RunSpec& run) {
    set.group("Recording", Role::output);
    add_recording(set, "--vcd", run.record.vcd, run.record.vcd_window,
                  "Waveforms for GTKWave (VCD); a save file FILE with .gtkw goes with it");
    add_recording(set, "--timeline", run.record.timeline, run.record.timeline_window,
                  "Timeline for ui.perfetto.dev (trace-event JSON)");
    set.text(
        "--commands", run.record.commands, "FILE",
        "Every command with its times and stages, a line each; the end of FILE says in which form: .csv, "
        ".csv.zst (compressed) or .columns (binary)");
    set.text(
        "--decisions", run.record.decisions, "FILE",
        "What the firmware collects, destages, merges, retires, ... and why, a line each; as --commands");
    set.text("--fio-log", run.record.fio_log, "PREFIX",
             "Latencies as fio logs them: PREFIX_lat.1.log, PREFIX_slat.1.log, PREFIX_clat.1.log");
    add_power_cuts(set, run.power_cuts);
    add_saved_drives(set, run);
}

Errors check_one_run(const OptionSet& set, const CommandLine& line) {
    Errors errors;
    check_recordings(line.record, errors);
    if (set.given("--power-off") && !set.given("--power-cut-at") && !set.given("--power-cut-every")) {
        errors.emplace_back(
            "--power-off: found without a power cut; allowed: with --power-cut-at or --power-cut-every");
    }
    if (!line.load_state.empty() && line.precondition) {
        errors.emplace_back(
            "--precondition: found with --load-state; allowed: one of them, only a new drive "
            "is aged");
    }
    if (fs::is_directory(line.save_state)) {
        errors.push_back("--save-state: found " + line.save_state.string() +
                         ", a folder; allowed: the name of a file");
    } else if (!line.save_state.empty() && !line.show_config) {
        check_folder(folder_of(line.save_state), line, errors);
    }
    return errors;
}

Errors check_one_run_on_drive(const OptionSet& set, const CommandLine& line) {
    Errors errors;
    for (const char* option : {"--power-cut-at", "--power-cut-every"}) {
        if (std::string error = power_cut_error(option, line.configuration);
            set.given(option) && !error.empty()) {
            errors.push_back(std::move(error));
        }
    }
    if (line.configuration.firmware.by_block()) {
        const auto refuse = [&](std::string_view option, std::string_view found, std::string_view allowed) {
            errors.push_back(
                fmt::format("{}: found {} with firmware.translation = \"{}\"; allowed: {}, because "
                            "block-mapped layers do "
                            "not find their state on flash again",
                            option, found, line.configuration.firmware.translation.name, allowed));
        };
        if (line.boot) {
            refuse("--boot", *line.boot == platform::Start::boot_timed ? "timed" : "instant",
                   "with page_map");
        }
        if (line.shutdown != Shutdown::sleep) {
            refuse("--shutdown", line.shutdown == Shutdown::cut ? "cut" : "clean", "sleep, or with page_map");
        }
    }
    return errors;
}

std::string power_cut_error(const std::string& option, const platform::Configuration& configuration) {
    if (configuration.firmware.by_block()) {
        return option + ": found with firmware.translation = \"" +
               std::string(configuration.firmware.translation.name) +
               "\"; allowed: with page_map, because block-mapped layers do not find their state on flash "
               "again";
    }
    if (configuration.host.interface == platform::HostInterface::ahci) {
        return option +
               ": found with host.interface = \"ahci\"; allowed: with link, because an adapter does not "
               "notice power cuts";
    }
    return "";
}

}  // namespace solidtlm::testbench
