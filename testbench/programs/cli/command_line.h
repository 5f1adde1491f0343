// SPDX-License-Identifier: Apache-2.0
//
// The command line that all executables share. Exit codes: 0 success; 1 the run failed (results could not be
// written, data did not verify, a bug of the model); 2 a mistake of the user, found before anything is
// simulated (command line, configuration, trace, an output folder that cannot be written to); 130 and 143
// SIGINT or SIGTERM ended the run, even if something else failed too. Every error is one line on stderr that
// begins with "error: ", and all mistakes of a command line are reported together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "platform/names.h"
#include "testbench/programs/cli/option_set.h"
#include "testbench/sim/spec/dry_run_end.h"
#include "testbench/sim/spec/spec.h"

namespace solidtlm::testbench {

class FileRoles;
struct SavedResult;

constexpr int kExitSuccess = 0;
constexpr int kExitFailure = 1;
constexpr int kExitUserError = 2;

/// A run as the command line and its run files describe it, and options of this process.
struct CommandLine : RunSpec {
    platform::ConfigurationSources sources;  ///< sources of the configuration, for making variants of it
    RunEntries asked;  ///< all options that the result depends on, apart from the configuration
    std::shared_ptr<const SavedResult> rerun;     ///< --rerun: the result must equal this one
    std::shared_ptr<const SavedResult> compared;  ///< --compare-result: shown beside the result
    std::uint32_t jobs = 1;                       ///< number of parallel runs
    bool quiet = false;                           ///< print neither progress nor tables
    bool dry_run = false;      ///< check everything and simulate nothing: the body throws a DryRunEnd
    bool show_config = false;  ///< for checks: nothing will run, so required options may be missing
};

/// The largest possible drive, in sectors.
constexpr std::uint64_t kAnyDrive = std::uint64_t{1} << 38U;

/// Creates a folder for results, or reports why it cannot be written to. A dry run, or a run that already has
/// errors, leaves no folder.
void check_folder(const std::filesystem::path& folder, const CommandLine& line, Errors& errors);

/// --log-level: see start_logging(). `level` must outlive the parsing.
void add_log_level(OptionSet& options, std::string& level);

/// Reports contents other than bytes as a mistake. `because` is the reason given in the message.
void require_bytes(const platform::Configuration& configuration, std::string_view because, Errors& errors);

/// Common options about what is requested and when, except --queue-depth.
inline const platform::Names kRequestOptions = [] {
    platform::Names names{"--trace",  "--format", "--fit",   "--regroup-trims", "--workload",
                          "--pacing", "--speed",  "--limit", "--until",         "--merge"};
    names.insert(names.end(), kTraceOptions.begin(), kTraceOptions.end());
    return names;
}();
/// Common options about the drive's state before it is measured.
inline const platform::Names kAgeingOptions{"--precondition", "--age-cache", "--age-cache-size", "--warm-up"};

/// Common options about earlier results.
inline const platform::Names kSavedResultOptions{"--rerun", "--compare-result"};

/// Common options that a program cannot use.
struct Unused {
    platform::Names options;
    std::string why = {};  ///< for the message, such as "requests come from a guest"; may be empty
};

/// An executable's description, and what it adds to the common command line.
struct Program {
    std::string name;
    std::string summary;                     ///< one sentence
    std::vector<std::string> examples = {};  ///< command lines without the program's name
    std::string notes = {};                  ///< at the end of the help, such as a page of docs/
    /// Common options that the program lacks: its help does not list them, and giving one is a mistake.
    std::vector<Unused> unused = {};
    /// the program runs one drive, which may be recorded, lose power, be loaded and saved
    bool one_run = false;
    /// Adds the executable's own options; they are parsed together with the common ones.
    std::function<void(OptionSet&)> add_options = {};
    /// Registers the files that the executable's own options read and write.
    std::function<void(FileRoles&)> name_files = {};
    /// Reads the inputs that the options name, and checks the options against each other, without looking at
    /// the drive. It may read only firmware.exported_sectors of the configuration, which is kAnyDrive if the
    /// configuration has mistakes. Returns error texts.
    std::function<Errors(const CommandLine&)> check_options = {};
    /// What a line without any mistake still lacks; empty: nothing.
    std::function<std::string(const CommandLine&)> lacks = {};
    /// Checks the options against the configuration, which is free of mistakes. Returns error texts.
    std::function<Errors(const CommandLine&)> check = {};
    /// TOML that the user's files override; see platform::ConfigurationSources::defaults.
    std::string configuration_defaults = {};
    bool varies_keys = false;  ///< see platform::ConfigurationSources::varied
};

/// A command line to run, or the exit code if there is nothing to run.
struct ParsedCommandLine {
    std::optional<CommandLine> line;
    int exit_code = kExitSuccess;
};

/// Parses the command line, loads the configuration, and creates the output folder (a dry run leaves none).
/// Help and listings go to `out`, errors to `err`.
ParsedCommandLine parse_command_line(int argc, const char* const* argv, const Program& program,
                                     std::ostream& out, std::ostream& err);

/// Prints each line of `message` as "error: ...".
void report_error(std::ostream& err, std::string_view message);

/// The main() of an executable: parses, calls `body`, and reports exceptions. A ConfigurationError or an
/// InputError is a mistake of the user, a DryRunEnd the end of a dry run, and everything else a failure.
int run_program(int argc, const char* const* argv, const Program& program,
                const std::function<int(const CommandLine&)>& body);

}  // namespace solidtlm::testbench
