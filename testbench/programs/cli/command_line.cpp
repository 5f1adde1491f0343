// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/command_line.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <iostream>
#include <iterator>
#include <thread>

#include "platform/configuration_keys.h"
#include "platform/presets.h"
#include "platform/units.h"
#include "testbench/programs/cli/file_roles.h"
#include "testbench/programs/cli/help.h"
#include "testbench/programs/cli/run_options.h"
#include "testbench/programs/cli/saved_result.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/host/request.h"
#include "testbench/sim/process/interruption.h"
#include "testbench/sim/process/out_of_memory.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint32_t kMaxJobs = 1024;

/// The values of the common options.
struct Options {
    CommandLine line;
    platform::ConfigurationSources sources;
    std::optional<std::string> seed;
    std::optional<std::string> content;
    std::optional<std::string> host;
    std::string rerun;
    std::string compared;
    std::string age_cache;
    std::uint64_t age_cache_size = kDefaultCacheBytes;
    bool list_presets = false;
    bool list_keys = false;
    bool markdown = false;
};

void add_device_options(OptionSet& set, Options& options) {
    constexpr const char* kGroup = "Device";
    set.group(kGroup, Role::aside);
    set.text("--preset", options.sources.preset, "NAME", "Configuration to start from (see --list-presets)");
    set.texts(
        "--config", options.sources.files, "FILE",
        "TOML file on top of the preset, which may describe the run, too; without --config, a FILE.toml "
        "is one; repeatable");
    set.texts("--set", options.sources.settings, "KEY=VALUE", "Set one key, after all files; repeatable");
    set.text("--host", options.host, "INTERFACE",
             "How the host reaches the drive: link, ahci, an adapter with its driver (docs/ahci.md), or nvme "
             "(docs/nvme.md)");
    set.text("--content", options.content, "MODE", "What sectors contain: none (fast), tags or bytes");
    set.group(kGroup);
    add_ageing(set, options.line);
    set.group(kGroup, Role::aside);
    set.text("--age-cache", options.age_cache, "DIR",
             "Folder that keeps drives aged by --precondition for later runs; changes no result");
    set.value("--age-cache-size", options.age_cache_size, kinds::size(),
              "Most space for aged drives; those used least recently are deleted");
    set.text("--seed", options.seed, "N", "Seed of everything random");
}

void add_run_options(OptionSet& set, Options& options) {
    add_output_folder(set, options.line);
    set.group("Run", Role::aside);
    set.text("--rerun", options.rerun, "FILE",
             "Repeat the run of this result.json, and say whether the result is the same");
    set.text("--compare-result", options.compared, "FILE", "Show the result beside this result.json");
    set.unset("--jobs", options.line.jobs, kinds::integer(1, kMaxJobs),
              "Runs at a time, where there are several; as many as processors if not given");
    set.flag("--quiet", options.line.quiet, "No progress and no table");
    set.flag("--dry-run", options.line.dry_run,
             "Check everything, read the traces and build the drive; simulate and write nothing");
}

void add_information_options(CLI::App& app, OptionSet& set, Options& options) {
    constexpr const char* kGroup = "Information";
    set.group(kGroup, Role::aside);
    app.set_version_flag("--version", "solidtlm " + std::string(version()), "Print the version and exit")
        ->group(kGroup);
    set.flag("--list-presets", options.list_presets, "Print the presets and exit");
    CLI::Option* keys = set.flag("--list-keys", options.list_keys, "Print every configuration key and exit");
    set.needs(set.flag("--markdown", options.markdown, "As a Markdown page"), keys);
    set.flag("--show-config", options.line.show_config,
             "Print the effective configuration and the run as TOML, a run file, and exit");
}

void list_presets(std::ostream& out) {
    constexpr std::size_t kColumn = 14;
    for (const platform::Preset& preset : platform::presets()) {
        std::string name(preset.name);
        name.resize(std::max(kColumn, name.size() + 1), ' ');
        out << name << preset.description() << "\n";
    }
}

/// Applies the options that change the configuration.
void take_options(Options& options, const OptionSet& set) {
    const std::vector<std::string>& files = set.files();
    options.sources.files.insert(options.sources.files.begin(), files.begin(), files.end());
    if (!options.rerun.empty()) {
        options.sources.files.insert(options.sources.files.begin(), options.rerun);
    }
    std::vector<std::string>& settings = options.sources.settings;
    if (options.host) {
        std::vector<std::string> first{"host.interface=" + *options.host};
        if (options.host == "ahci") {
            first.emplace_back("content=bytes");  // memory holds bytes only
        }
        settings.insert(settings.begin(), first.begin(), first.end());
        options.sources.options[first.front()] = "--host";
    }
    for (const auto& [name, value] :
         {std::pair("seed", &options.seed), std::pair("content", &options.content)}) {
        if (*value) {
            settings.push_back(std::string(name) + "=" + **value);
            options.sources.options[settings.back()] = std::string("--") + name;
        }
    }
}

/// Loads the configuration and, from the same files, the run's options. True if no mistake was found.
bool configure(CommandLine& line, OptionSet& set, Errors& errors) {
    bool sound = true;
    line.sources.foreign = {"run", [&set](const platform::ForeignEntry& entry) { return set.take(entry); }};
    try {
        line.configuration = platform::load_configuration(line.sources);
    } catch (const platform::ConfigurationError& error) {
        for (const platform::ConfigurationIssue& issue : error.issues()) {
            errors.push_back(issue.text());
        }
        line.configuration.firmware.exported_sectors = kAnyDrive;
        sound = false;
    }
    line.sources.foreign.take = nullptr;  // a variant's file must not change the run
    return sound;
}

/// Checks the run without looking at the drive.
void check_run(const Program& program, const Options& options, const OptionSet& set, Errors& errors) {
    const CommandLine& line = options.line;
    const auto add = [&errors](Errors more) { std::ranges::move(more, std::back_inserter(errors)); };
    if (!line.traces.empty() && !line.workload.empty()) {
        errors.emplace_back("--trace and --workload exclude each other; allowed: one of them");
    }
    if (program.one_run) {
        add(check_one_run(set, line));
    }
    FileRoles files(line);
    files.reads("--compare-result", options.compared);
    if (program.name_files) {
        program.name_files(files);
    }
    add(files.clashes());
    if (program.check_options) {
        add(program.check_options(line));
    }
}

/// Reads everything before values are checked against each other. Returns all mistakes.
Errors prepare(const Program& program, Options& options, OptionSet& set, Errors errors) {
    CommandLine& line = options.line;
    line.rerun = read_saved_result("--rerun", options.rerun, program.name, errors);
    if (!options.rerun.empty() && line.rerun == nullptr) {
        return errors;  // the run is not fully known, so further checks make no sense
    }
    options.sources.defaults = program.configuration_defaults;
    options.sources.varied = program.varies_keys;
    take_options(options, set);
    line.sources = options.sources;
    const bool sound = configure(line, set, errors);
    std::ranges::sort(line.power_cuts.at);
    if (line.precondition) {
        line.precondition->cache = options.age_cache;
        line.precondition->cache_bytes = options.age_cache_size;
    }
    line.asked = set.entries(false);
    Errors found = set.check_needs();
    line.compared = read_saved_result("--compare-result", options.compared, program.name, found);
    check_run(program, options, set, found);
    if (sound && program.one_run) {
        std::ranges::move(check_one_run_on_drive(set, line), std::back_inserter(found));
    }
    if (sound && program.check) {
        std::ranges::move(program.check(line), std::back_inserter(found));
    }
    std::ranges::move(set.located(found), std::back_inserter(errors));
    if (!line.show_config && !line.out.empty()) {
        check_folder(line.out, line, errors);
    }
    if (const std::string what = errors.empty() && program.lacks ? program.lacks(line) : ""; !what.empty()) {
        errors.push_back(what);
    }
    if (const std::string note = line.rerun ? version_note(*line.rerun) : "";
        !errors.empty() && !note.empty()) {
        errors.push_back("--rerun: " + note);
    }
    return errors;
}

void add_all_options(CLI::App& app, OptionSet& set, Options& options, const Program& program) {
    add_information_options(app, set, options);
    add_device_options(set, options);
    add_requests(set, options.line);
    add_run_options(set, options);
    for (const Unused& unused : program.unused) {
        set.leave_out(unused.options, unused.why);
    }
    if (program.one_run) {
        add_one_run(set, options.line);
    }
    if (program.add_options) {
        set.group("Options");
        set.begin_own();
        program.add_options(set);
    }
    if (set.has("--config")) {
        set.take_files({".toml", ".json"});
    }
}

/// Prints requested information instead of running; true if there was any.
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

void add_log_level(OptionSet& options, std::string& level) {
    options.group("Options", Role::aside);
    options.value("--log-level", level, kinds::one_of({"trace", "debug", "info", "warning", "error", "off"}),
                  "Messages of the model");
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
    options.line.jobs = std::max(1U, std::thread::hardware_concurrency());
    OptionSet set(app);
    const Help help(app, set, program);
    add_all_options(app, set, options, program);
    Errors errors;
    try {
        errors = set.parse(Help::arguments(argc, argv));
    } catch (const CLI::CallForVersion& version) {
        out << version.what() << "\n";
        return {std::nullopt, kExitSuccess};
    }
    if (help.wanted()) {
        return {std::nullopt, help.print(out, err)};
    }
    if (errors.empty() && print_information(options, out)) {
        return {std::nullopt, kExitSuccess};
    }
    errors = prepare(program, options, set, std::move(errors));
    for (const std::string& error : errors) {
        report_error(err, error);
    }
    if (!errors.empty()) {
        return {std::nullopt, kExitUserError};
    }
    if (options.line.show_config) {
        const std::string run = to_toml(set.entries(true));
        out << platform::to_toml(options.line.configuration) << (run.empty() ? "" : "\n") << run;
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

/// For users who ran out of memory: what grows with the used part of the drive.
std::string needs_of(const platform::Configuration& drive) {
    constexpr std::uint64_t kRunBytes = 4096;  // 8 sectors; the model keeps one entry for them
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
    std::signal(SIGXFSZ, SIG_IGN);  // so that a file size limit is reported like a full disk
    const int exit_code = parse_and_run(argc, argv, program, body);
    return Interruption::signal() != 0 ? Interruption::exit_code() : exit_code;
}

}  // namespace solidtlm::testbench
