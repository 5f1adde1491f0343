// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/command_line.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <iostream>
#include <iterator>
#include <thread>

#include "platform/configuration_keys.h"
#include "platform/presets.h"
#include "platform/units.h"
#include "testbench/files/output_file.h"
#include "testbench/host/pacing.h"
#include "testbench/host/request.h"
#include "testbench/host/warm_up.h"
#include "testbench/process/interruption.h"
#include "testbench/process/out_of_memory.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint32_t kMaxJobs = 1024;

/// The options as they are filled in.
struct Options {
    CommandLine line;
    platform::ConfigurationSources sources;
    std::optional<std::string> seed;
    std::optional<std::string> content;
    std::optional<std::string> host;
    std::optional<std::string> precondition;
    std::string age_cache;
    std::uint64_t age_cache_size = kDefaultCacheBytes;
    bool list_presets = false;
    bool list_keys = false;
    bool markdown = false;
};

void add_device_options(OptionSet& set, Options& options) {
    set.group("Device");
    set.text("--preset", options.sources.preset, "NAME", "Configuration to start from (see --list-presets)");
    set.texts("--config", options.sources.files, "FILE", "TOML file on top of the preset; repeatable");
    set.texts("--set", options.sources.settings, "KEY=VALUE", "One key on top of all files; repeatable");
    set.text("--host", options.host, "INTERFACE",
             "How the host reaches the drive: link, or ahci, an adapter with its driver (docs/ahci.md)");
    set.text("--content", options.content, "MODE", "What sectors contain: none (fast), tags or bytes");
    set.text("--precondition", options.precondition, "SPEC",
             "Age the drive first, in no simulated time; fill=1,random=2 if no SPEC is given")
        ->expected(0, 1);
    set.text("--age-cache", options.age_cache, "DIR",
             "Keep drives aged by --precondition there, and take them from there; changes no result");
    set.value("--age-cache-size", options.age_cache_size, kinds::size(),
              "Room for them: the drives that were used least recently leave");
    set.text("--seed", options.seed, "N", "Seed of everything random");
}

void add_request_options(OptionSet& set, CommandLine& line) {
    constexpr double kFastest = 1e9;
    set.group("Requests");
    set.texts("--trace", line.traces, "FILE", "Trace to replay; repeatable");
    set.text("--format", line.format, "NAME", "Format of the traces; by content if not given");
    set.value("--fit", line.fit, kinds::one_of({"error", "wrap", "scale"}), "Addresses past the device");
    set.unset("--regroup-trims", line.regroup_trims, kinds::one_of({"per_extent", "batched", "queued"}),
              "Send trims per_extent (one range a command), batched (up to 64) or queued (NCQ)");
    set.text("--workload", line.workload, "SPEC", "Generated requests");
    set.unset("--pacing", line.pacing, kinds::one_of({"open", "closed", "recorded"}),
              "open: at their arrival times; closed: keep the queue full; recorded: as deep as recorded");
    set.unset("--queue-depth", line.queue_depth, kinds::integer(1, kMostOutstanding),
              "Commands outstanding at most; closed: requests, what finds no tag waits in the host");
    set.value("--speed", line.speed, kinds::number_above(0, kFastest), "Divide arrival times by this");
    set.unset("--limit", line.limit, kinds::integer(), "Requests at most; 0: all");
    set.unset("--warm-up", line.warm_up, kinds::or_name(kinds::integer(), "steady", kUntilSteady),
              "Commands that bring the device into a steady state, or steady: until it is in one "
              "(docs/ageing.md); the result begins after them");
}

void add_run_options(OptionSet& set, CommandLine& line) {
    set.group("Run");
    set.text("--out", line.out, "DIR", "Folder for result files; created if need be");
    set.unset("--jobs", line.jobs, kinds::integer(1, kMaxJobs),
              "Runs at a time; as many as processors if not given");
    set.flag("--quiet", line.quiet, "No progress and no table");
    set.flag("--dry-run", line.dry_run,
             "Check everything, read the traces and build the drive; simulate and write nothing");
}

void add_information_options(CLI::App& app, OptionSet& set, Options& options) {
    constexpr const char* kGroup = "Information";
    set.group(kGroup);
    app.set_help_flag("-h,--help", "Print this help and exit")->group(kGroup);
    app.set_version_flag("--version", "solidtlm " SOLIDTLM_VERSION, "Print the version and exit")
        ->group(kGroup);
    set.flag("--list-presets", options.list_presets, "Print the presets and exit");
    CLI::Option* keys = set.flag("--list-keys", options.list_keys, "Print every configuration key and exit");
    set.needs(set.flag("--markdown", options.markdown, "As a Markdown page"), keys);
    set.flag("--show-config", options.line.show_config, "Print the effective configuration as TOML and exit");
}

std::string footer(const Program& program) {
    std::string text =
        "Exit codes: 0 success; 1 the run failed; 2 a mistake in command line, configuration or trace; 130 "
        "and 143 ended by SIGINT (Ctrl-C) and SIGTERM.";
    if (!program.examples.empty()) {
        text += "\n\nExamples:";
        for (const std::string& example : program.examples) {
            text += "\n  " + program.name + " " + example;
        }
    }
    if (!program.notes.empty()) {
        text += "\n\n" + program.notes;
    }
    return text;
}

void list_presets(std::ostream& out) {
    constexpr std::size_t kColumn = 12;
    for (const platform::Preset& preset : platform::presets()) {
        std::string name(preset.name);
        name.resize(std::max(kColumn, name.size() + 1), ' ');
        out << name << preset.description() << "\n";
    }
}

/// What the options say about the configuration and the age of the drive.
void take_options(Options& options, Errors& errors) {
    CommandLine& line = options.line;
    if (!line.traces.empty() && !line.workload.empty()) {
        errors.emplace_back("--trace and --workload exclude each other; allowed: one of them");
    }
    if (options.precondition) {
        try {
            line.precondition = parse_preconditioning(*options.precondition);
            line.precondition->cache = options.age_cache;
            line.precondition->cache_bytes = options.age_cache_size;
        } catch (const InputError& error) {
            errors.emplace_back(error.what());
        }
    }
    std::vector<std::string>& settings = options.sources.settings;
    if (options.host) {
        std::vector<std::string> first{"host.interface=" + *options.host};
        if (options.host == "ahci") {
            first.emplace_back("content=bytes");  // memory has nothing else
        }
        settings.insert(settings.begin(), first.begin(), first.end());
    }
    if (options.seed) {
        settings.push_back("seed=" + *options.seed);
    }
    if (options.content) {
        settings.push_back("content=" + *options.content);
    }
    line.sources = options.sources;
}

/// Loads the configuration. Returns whether it has no mistake.
bool configure(CommandLine& line, Errors& errors) {
    try {
        line.configuration = platform::load_configuration(line.sources);
        return true;
    } catch (const platform::ConfigurationError& error) {
        for (const platform::ConfigurationIssue& issue : error.issues()) {
            errors.push_back(issue.text());
        }
        line.configuration.firmware.exported_sectors = kAnyDrive;
        return false;
    }
}

/// Reads everything before anything is judged by anything else. Returns all mistakes.
Errors prepare(const Program& program, Options& options, Errors errors) {
    options.sources.defaults = program.configuration_defaults;
    options.sources.varied = program.varies_keys;
    take_options(options, errors);
    CommandLine& line = options.line;
    const bool sound = configure(line, errors);
    if (program.check_options) {
        std::ranges::move(program.check_options(line), std::back_inserter(errors));
    }
    if (sound && program.check) {
        std::ranges::move(program.check(line), std::back_inserter(errors));
    }
    if (!line.show_config && !line.out.empty()) {
        check_folder(line.out, line, errors);
    }
    return errors;
}

void add_all_options(CLI::App& app, OptionSet& set, Options& options, const Program& program) {
    add_information_options(app, set, options);
    add_device_options(set, options);
    add_request_options(set, options.line);
    add_run_options(set, options.line);
    for (const Unused& unused : program.unused) {
        set.leave_out(unused.options, unused.why);
    }
    if (program.add_options) {
        set.group("Options");
        program.add_options(set);
    }
}

/// Prints what was asked for instead of a run; whether anything was.
bool print_information(const Options& options, std::ostream& out) {
    if (options.list_presets) {
        list_presets(out);
    } else if (options.list_keys) {
        out << (options.markdown ? platform::list_keys_markdown() : platform::list_keys_text());
    }
    return options.list_presets || options.list_keys;
}

}  // namespace

void check_folder(const std::filesystem::path& folder, const CommandLine& line, Errors& errors) {
    try {
        prepare_output_folder(folder, errors.empty() && !line.dry_run);
    } catch (const OutputError& error) {
        errors.emplace_back(error.what());
    }
}

void require_bytes(const platform::Configuration& configuration, std::string_view because, Errors& errors) {
    if (configuration.content != hal::ContentMode::bytes) {
        errors.push_back("content: found " + platform::find_key("content")->get(configuration) +
                         "; allowed: bytes, because " + std::string(because));
    }
}

void report_error(std::ostream& err, std::string_view message) {
    for (std::size_t begin = 0; begin < message.size();) {
        const std::size_t end = std::min(message.find('\n', begin), message.size());
        err << "error: " << message.substr(begin, end - begin) << "\n";
        begin = end + 1;
    }
}

ParsedCommandLine parse_command_line(int argc, const char* const* argv, const Program& program,
                                     std::ostream& out, std::ostream& err) {
    Options options;
    CLI::App app(program.summary, program.name);
    app.footer(footer(program));
    options.line.jobs = std::max(1U, std::thread::hardware_concurrency());
    OptionSet set(app);
    add_all_options(app, set, options, program);
    Errors errors;
    try {
        errors = set.parse({argv + 1, argv + argc});
    } catch (const CLI::CallForHelp&) {
        out << app.help();
        return {std::nullopt, kExitSuccess};
    } catch (const CLI::CallForVersion& version) {
        out << version.what() << "\n";
        return {std::nullopt, kExitSuccess};
    }
    if (errors.empty() && print_information(options, out)) {
        return {std::nullopt, kExitSuccess};
    }
    errors = prepare(program, options, std::move(errors));
    for (const std::string& error : errors) {
        report_error(err, error);
    }
    if (!errors.empty()) {
        return {std::nullopt, kExitUserError};
    }
    if (options.line.show_config) {
        out << platform::to_toml(options.line.configuration);
        return {std::nullopt, kExitSuccess};
    }
    return {std::move(options.line), kExitSuccess};
}

namespace {

int run_body(const CommandLine& line, const std::function<int(const CommandLine&)>& body) {
    try {
        return body(line);
    } catch (const DryRunEnd& end) {
        if (!line.quiet) {
            std::cout << "dry run: no mistake found; " << end.planned << " not simulated\n";
        }
        return kExitSuccess;
    }
}

/// What grows with the drive, as far as it is used: for who ran out of memory.
std::string needs_of(const platform::Configuration& drive) {
    constexpr std::uint64_t kRunBytes = 4096;  // 8 sectors, of which the model keeps one entry each
    constexpr std::uint64_t kMapEntryBytes = 4;
    constexpr std::uint64_t kFlashEntryBytes = 8;
    constexpr std::uint64_t kVerifierEntryBytes = 16;
    constexpr double kMb = 1e6;
    const auto gb = [](std::uint64_t bytes) {
        return platform::format_number(std::floor(static_cast<double>(bytes) / kMb) / 1000) + " GB";
    };
    const std::uint64_t exported = drive.exported_bytes();
    const bool bytes = drive.content == hal::ContentMode::bytes;
    return "the drive exports " + gb(exported) + " and has " + gb(drive.raw_bytes()) +
           " of flash; fully written it takes " +
           gb(bytes ? drive.raw_bytes() : drive.raw_bytes() / kRunBytes * kFlashEntryBytes) +
           " for its contents (content), " + gb(exported / drive.firmware.unit_bytes * kMapEntryBytes) +
           " for its map and " + gb(exported / kRunBytes * kVerifierEntryBytes) + " to verify it";
}

int parse_and_run(int argc, const char* const* argv, const Program& program,
                  const std::function<int(const CommandLine&)>& body) {
    ParsedCommandLine parsed;
    try {
        parsed = parse_command_line(argc, argv, program, std::cout, std::cerr);
        const int exit_code = parsed.line ? run_body(*parsed.line, body) : parsed.exit_code;
        if (!std::cout.flush()) {
            throw OutputError("cannot write to standard output");
        }
        return exit_code;
    } catch (const platform::ConfigurationError& error) {
        report_error(std::cerr, error.what());
        return kExitUserError;
    } catch (const InputError& error) {
        report_error(std::cerr, error.what());
        return kExitUserError;
    } catch (const std::bad_alloc& error) {
        report_error(std::cerr, out_of_memory(error));
        if (parsed.line) {
            report_error(std::cerr, needs_of(parsed.line->configuration));
        }
        return kExitFailure;
    } catch (const std::exception& error) {
        report_error(std::cerr, error.what());
        return kExitFailure;
    }
}

}  // namespace

int run_program(int argc, const char* const* argv, const Program& program,
                const std::function<int(const CommandLine&)>& body) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is reported like a full disk
    const int exit_code = parse_and_run(argc, argv, program, body);
    return Interruption::signal() != 0 ? Interruption::exit_code() : exit_code;
}

}  // namespace solidtlm::testbench
