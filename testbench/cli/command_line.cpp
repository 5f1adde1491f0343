// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/command_line.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <iostream>
#include <limits>
#include <thread>

#include "platform/configuration_keys.h"
#include "platform/presets.h"
#include "testbench/files/output_file.h"
#include "testbench/host/request.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint32_t kMaxQueueDepth = 32;  // NCQ
constexpr std::uint32_t kMaxJobs = 1024;

/// The options as CLI11 fills them in.
struct Options {
    CommandLine line;
    platform::ConfigurationSources sources;
    std::string seed;
    std::string content;
    std::string precondition;
    std::uint32_t queue_depth = 0;
    std::uint32_t jobs = 0;
    bool list_presets = false;
    bool list_keys = false;
    bool markdown = false;
};

void add_device_options(CLI::App& app, Options& options) {
    constexpr const char* kGroup = "Device";
    app.add_option("--preset", options.sources.preset, "Configuration to start from (see --list-presets)")
        ->type_name("NAME")
        ->group(kGroup);
    app.add_option("--config", options.sources.files, "TOML file on top of the preset; repeatable")
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->group(kGroup);
    app.add_option("--set", options.sources.settings, "One key on top of all files; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false)
        ->group(kGroup);
    app.add_option("--content", options.content, "What sectors contain: none (fast), tags or bytes")
        ->type_name("MODE")
        ->group(kGroup);
    app.add_option("--precondition", options.precondition,
                   "Age the drive first, in no simulated time; fill=1,random=2 if no SPEC is given")
        ->type_name("SPEC")
        ->expected(0, 1)
        ->group(kGroup);
    app.add_option("--seed", options.seed, "Seed of everything random")->type_name("N")->group(kGroup);
}

void add_request_options(CLI::App& app, Options& options) {
    constexpr const char* kGroup = "Requests";
    CommandLine& line = options.line;
    app.add_option("--trace", line.traces, "Trace to replay; repeatable")
        ->type_name("FILE")
        ->allow_extra_args(false)
        ->group(kGroup);
    app.add_option("--format", line.format, "Format of the traces; by content if not given")
        ->type_name("NAME")
        ->group(kGroup);
    app.add_option("--fit", line.fit, "Addresses past the device: error, wrap or scale")
        ->type_name("HOW")
        ->check(CLI::IsMember({"error", "wrap", "scale"}))
        ->capture_default_str()
        ->group(kGroup);
    app.add_option("--regroup-trims", line.regroup_trims,
                   "Send trims per_extent (one range a command), batched (up to 64) or queued (NCQ)")
        ->type_name("HOW")
        ->check(one_of({"per_extent", "batched", "queued"}))
        ->group(kGroup);
    app.add_option("--workload", line.workload, "Generated requests")->type_name("SPEC")->group(kGroup);
    app.add_option("--pacing", line.pacing,
                   "open: at their arrival times; closed: keep the queue full; recorded: as deep as recorded")
        ->type_name("HOW")
        ->check(one_of({"open", "closed", "recorded"}))
        ->group(kGroup);
    app.add_option("--queue-depth", options.queue_depth, "Commands outstanding at most, 1 to 32")
        ->type_name("N")
        ->check(whole_number(1, kMaxQueueDepth))
        ->group(kGroup);
    app.add_option("--speed", line.speed, "Divide arrival times by this")
        ->type_name("X")
        ->capture_default_str()
        ->group(kGroup);
    app.add_option("--limit", line.limit, "Requests at most; 0: all")
        ->type_name("N")
        ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
        ->group(kGroup);
    app.add_option("--warm-up", line.warm_up,
                   "Commands that bring the device into a steady state; the result begins after them")
        ->type_name("N")
        ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
        ->group(kGroup);
}

void add_run_options(CLI::App& app, Options& options) {
    constexpr const char* kGroup = "Run";
    app.add_option("--out", options.line.out, "Folder for result files; created if need be")
        ->type_name("DIR")
        ->group(kGroup);
    app.add_option("--jobs", options.jobs, "Runs at a time; as many as processors if not given")
        ->type_name("N")
        ->check(whole_number(1, kMaxJobs))
        ->group(kGroup);
    app.add_flag("--quiet", options.line.quiet, "No progress and no table")->group(kGroup);
    app.add_flag("--dry-run", options.line.dry_run,
                 "Check everything, read the traces and build the drive; simulate and write nothing")
        ->group(kGroup);
}

void add_information_options(CLI::App& app, Options& options) {
    constexpr const char* kGroup = "Information";
    app.set_help_flag("-h,--help", "Print this help and exit")->group(kGroup);
    app.set_version_flag("--version", "solidtlm " SOLIDTLM_VERSION, "Print the version and exit")
        ->group(kGroup);
    app.add_flag("--list-presets", options.list_presets, "Print the presets and exit")->group(kGroup);
    CLI::Option* keys =
        app.add_flag("--list-keys", options.list_keys, "Print every configuration key and exit")
            ->group(kGroup);
    app.add_flag("--markdown", options.markdown, "With --list-keys: as a Markdown page")
        ->needs(keys)
        ->group(kGroup);
    app.add_flag("--show-config", options.line.show_config,
                 "Print the effective configuration as TOML and exit")
        ->group(kGroup);
}

std::string footer(const Program& program) {
    std::string text =
        "Exit codes: 0 success; 1 the run failed; 2 a mistake in command line, configuration or trace.";
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

/// What to say about arguments that no option took.
std::string unexpected(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    const std::vector<std::string> arguments = app.remaining();
    const auto option =
        std::ranges::find_if(arguments, [](const auto& each) { return each.starts_with('-'); });
    if (option == arguments.end()) {
        return "unexpected argument " + (arguments.empty() ? std::string() : arguments.front());
    }
    const auto name = platform::nearest(option->substr(0, option->find('=')), names);
    return "unknown option " + *option + (name ? "; did you mean " + *name + "?" : "");
}

void list_presets(std::ostream& out) {
    constexpr std::size_t kColumn = 12;
    for (const platform::Preset& preset : platform::presets()) {
        std::string name(preset.name);
        name.resize(std::max(kColumn, name.size() + 1), ' ');
        out << name << preset.description() << "\n";
    }
}

/// What the options mean: mistakes that CLI11 does not see.
std::vector<std::string> check_options(const CLI::App& app, Options& options) {
    std::vector<std::string> errors;
    CommandLine& line = options.line;
    if (!(line.speed > 0.0 && line.speed <= 1e9)) {  // NaN fails, too
        errors.push_back("--speed: found " + app["--speed"]->results().front() +
                         "; allowed: number above 0, at most 1000000000");
    }
    if (!line.traces.empty() && !line.workload.empty()) {
        errors.emplace_back("--trace and --workload exclude each other; allowed: one of them");
    }
    if (app.count("--out") != 0 && line.out.empty()) {
        errors.emplace_back("--out: found nothing; allowed: the name of a folder");
    }
    if (app.count("--queue-depth") != 0) {
        line.queue_depth = options.queue_depth;
    }
    line.jobs = options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
    if (app.count("--precondition") != 0) {
        try {
            line.precondition = parse_preconditioning(options.precondition);
        } catch (const InputError& error) {
            errors.emplace_back(error.what());
        }
    }
    if (app.count("--seed") != 0) {
        options.sources.settings.push_back("seed=" + options.seed);
    }
    if (app.count("--content") != 0) {
        options.sources.settings.push_back("content=" + options.content);
    }
    return errors;
}

/// Makes sure that results can be written. Of a dry run nothing stays.
void prepare_output(const CommandLine& line) {
    std::error_code ignored;
    std::vector<std::filesystem::path> missing;  // the innermost first
    for (std::filesystem::path folder = std::filesystem::absolute(line.out);
         !std::filesystem::exists(folder, ignored) && folder.has_relative_path();
         folder = folder.parent_path()) {
        missing.push_back(folder);
    }
    prepare_output_folder(line.out);
    if (line.dry_run) {
        for (const std::filesystem::path& folder : missing) {
            std::filesystem::remove(folder, ignored);
        }
    }
}

/// Configuration and output folder; appends what is wrong with them.
void prepare(const Program& program, Options& options, std::vector<std::string>& errors) {
    options.sources.defaults = program.configuration_defaults;
    try {
        options.line.configuration = platform::load_configuration(options.sources);
        options.line.sources = options.sources;
    } catch (const platform::ConfigurationError& error) {
        for (const platform::ConfigurationIssue& issue : error.issues()) {
            errors.push_back(issue.text());
        }
    }
    if (errors.empty() && program.check) {
        errors = program.check(options.line);
    }
    if (errors.empty() && !options.line.show_config && !options.line.out.empty()) {
        try {
            prepare_output(options.line);
        } catch (const OutputError& error) {
            errors.emplace_back(error.what());
        }
    }
}

/// Parses into `options`; the exit code if the program ends here.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv, Options& options,
                         std::ostream& out, std::ostream& err) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        out << app.help();
        return kExitSuccess;
    } catch (const CLI::CallForVersion& version) {
        out << version.what() << "\n";
        return kExitSuccess;
    } catch (const CLI::ExtrasError&) {
        report_error(err, unexpected(app));
        return kExitUserError;
    } catch (const CLI::ParseError& error) {
        report_error(err, error.what());
        return kExitUserError;
    }
    if (options.list_presets) {
        list_presets(out);
        return kExitSuccess;
    }
    if (options.list_keys) {
        out << (options.markdown ? platform::list_keys_markdown() : platform::list_keys_text());
        return kExitSuccess;
    }
    return std::nullopt;
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> names) {
    return CLI::Validator(
        [names = std::move(names)](const std::string& text) {
            std::string allowed;
            for (const std::string& name : names) {
                allowed += (allowed.empty() ? "" : ", ") + name;
            }
            const bool known = std::ranges::find(names, text) != names.end();
            return known ? std::string() : "found " + text + "; allowed: one of " + allowed;
        },
        "");
}

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
    return CLI::Validator(
        [low, high](const std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            const bool good = error == std::errc{} && stop == end && value >= low && value <= high;
            return good ? std::string()
                        : "found " + text + "; allowed: integer from " + std::to_string(low) + " to " +
                              std::to_string(high);
        },
        "");
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
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    add_information_options(app, options);
    add_device_options(app, options);
    add_request_options(app, options);
    add_run_options(app, options);
    if (program.add_options) {
        program.add_options(app);
    }
    if (const auto code = parse(app, argc, argv, options, out, err)) {
        return {std::nullopt, *code};
    }
    std::vector<std::string> errors = check_options(app, options);
    prepare(program, options, errors);
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

}  // namespace

int run_program(int argc, const char* const* argv, const Program& program,
                const std::function<int(const CommandLine&)>& body) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is reported like a full disk
    try {
        const ParsedCommandLine parsed = parse_command_line(argc, argv, program, std::cout, std::cerr);
        return parsed.line ? run_body(*parsed.line, body) : parsed.exit_code;
    } catch (const platform::ConfigurationError& error) {
        report_error(std::cerr, error.what());
        return kExitUserError;
    } catch (const InputError& error) {
        report_error(std::cerr, error.what());
        return kExitUserError;
    } catch (const std::exception& error) {
        report_error(std::cerr, error.what());
        return kExitFailure;
    }
}

}  // namespace solidtlm::testbench
