// SPDX-License-Identifier: Apache-2.0
//
// The files that a command line names and their uses, so that no output overwrites an input or another output
// of the same run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "testbench/programs/cli/command_line.h"

namespace solidtlm::testbench {

/// Whether both names are the same file, as far as that is known before the file exists.
[[nodiscard]] bool same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Tries to write `file` and leaves nothing behind. Appends the reason to `errors` if that fails.
void check_writable(const std::filesystem::path& file, Errors& errors);

class FileRoles {
  public:
    /// Registers the files of the common options.
    explicit FileRoles(const CommandLine& line);

    /// `option` is used in messages. An empty name is ignored.
    void reads(const std::string& option, const std::filesystem::path& file) { add(option, file, false); }
    void writes(const std::string& option, const std::filesystem::path& file) { add(option, file, true); }
    /// Error texts for files that are written and are also named by another option.
    [[nodiscard]] Errors clashes() const;

  private:
    struct Role {
        std::string option;
        std::filesystem::path file;
        bool written;
    };
    void add(const std::string& option, const std::filesystem::path& file, bool written);

    std::vector<Role> roles_;
};

}  // namespace solidtlm::testbench
