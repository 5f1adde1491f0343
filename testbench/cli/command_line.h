// SPDX-License-Identifier: Apache-2.0
//
// The command line that all executables share. Exit codes: 0 success; 1 the run failed (results could not be
// written, data did not verify, a bug of the model); 2 a mistake of the user, found before anything is
// simulated (command line, configuration, trace, an output folder that cannot be written to); 130 and 143
// SIGINT or SIGTERM ended the run, even if something else failed. Every error is one line on stderr that
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
#include "testbench/cli/option_set.h"
#include "testbench/run/dry_run_end.h"
#include "testbench/run/spec.h"

namespace solidtlm::testbench {

class FileRoles;
struct SavedResult;

constexpr int kExitSuccess = 0;
constexpr int kExitFailure = 1;
constexpr int kExitUserError = 2;

/// A run as the command line and its run files describe it, and how this process carries it out.
struct CommandLine : RunSpec {
    platform::ConfigurationSources sources;  ///< what the configuration was loaded from, for variants of it
    RunEntries asked;                        ///< all that the result depends on, apart from the configuration
    std::shared_ptr<const SavedResult> rerun;     ///< the result must be the same as this one
    std::shared_ptr<const SavedResult> compared;  ///< the result is shown beside this one
    std::uint32_t jobs = 1;                       ///< runs at a time
    bool quiet = false;                           ///< no progress, no table
    bool dry_run = false;      ///< all checks, no simulation: the body ends with a DryRunEnd, see there
    bool show_config = false;  ///< for checks alone: nothing will be run, so nothing has to be given
};

/// As large as a drive can be.
constexpr std::uint64_t kAnyDrive = std::uint64_t{1} << 38U;  // sectors

/// Creates a folder that the run will write to, or says why it cannot. A dry run, or a run with errors
/// already, leaves nothing behind.
void check_folder(const std::filesystem::path& folder, const CommandLine& line, Errors& errors);

/// --log-level: see start_logging(). `level` must outlive the parsing.
void add_log_level(OptionSet& options, std::string& level);

/// Reports contents other than bytes as a mistake. `because` is the reason in the message.
void require_bytes(const platform::Configuration& configuration, std::string_view because, Errors& errors);

/// Common options that say what is requested and when, but for --queue-depth.
inline const platform::Names kRequestOptions = [] {
    platform::Names names{"--trace",  "--format", "--fit",   "--regroup-trims", "--workload",
                          "--pacing", "--speed",  "--limit", "--until"};
    names.insert(names.end(), kTraceOptions.begin(), kTraceOptions.end());
    return names;
}();
/// Common options that say what happens to a drive before it is measured.
inline const platform::Names kAgeingOptions{"--precondition", "--age-cache", "--age-cache-size", "--warm-up"};

/// Common options about results that were written earlier.
inline const platform::Names kSavedResultOptions{"--rerun", "--compare-result"};

/// Common options that a program has no use for.
struct Unused {
    platform::Names options;
    std::string why = {};  ///< for the message: "requests come from a guest"; may be empty
};

/// What an executable says about itself and adds.
struct Program {
    std::string name;
    std::string summary;                     ///< one sentence
    std::vector<std::string> examples = {};  ///< command lines without the program's name
    std::string notes = {};                  ///< at the end of the help; a page of docs/, for one
    /// The program does not have these options: its help does not list them, and giving one is a mistake.
    std::vector<Unused> unused = {};
    bool one_run = false;  ///< of one drive: it may be recorded, lose its power, be loaded and saved
    /// Adds the executable's own options; they are parsed together with the common ones.
    std::function<void(OptionSet&)> add_options = {};
    /// Names the files that the executable's own options read and write.
    std::function<void(FileRoles&)> name_files = {};
    /// Reads what the options name, and checks the options against each other, for any drive. Of the
    /// configuration it may look at firmware.exported_sectors alone, which is kAnyDrive if the configuration
    /// has mistakes. Returns error texts.
    std::function<Errors(const CommandLine&)> check_options = {};
    /// Checks the options against the configuration, which has no mistake. Returns error texts.
    std::function<Errors(const CommandLine&)> check = {};
    /// TOML below the user's files, see platform::ConfigurationSources::defaults.
    std::string configuration_defaults = {};
    bool varies_keys = false;  ///< see platform::ConfigurationSources::varied
};

/// A command line to run with, or the code to exit with at once.
struct ParsedCommandLine {
    std::optional<CommandLine> line;
    int exit_code = kExitSuccess;
};

/// Parses, loads the configuration, creates the output folder (a dry run leaves none behind). Help and
/// listings go to `out`, errors to `err`.
ParsedCommandLine parse_command_line(int argc, const char* const* argv, const Program& program,
                                     std::ostream& out, std::ostream& err);

/// Prints each line of `message` as "error: ...".
void report_error(std::ostream& err, std::string_view message);

/// What main() of an executable does: parses, calls `body`, reports what it throws. A ConfigurationError or
/// an InputError is the user's mistake, a DryRunEnd the end of a dry run, everything else a failure.
int run_program(int argc, const char* const* argv, const Program& program,
                const std::function<int(const CommandLine&)>& body);

}  // namespace solidtlm::testbench
