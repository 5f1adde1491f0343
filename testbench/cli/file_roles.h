// SPDX-License-Identifier: Apache-2.0
//
// Which files a command line names, and for what, so that no output overwrites an input or another output of
// the same run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"

namespace solidtlm::testbench {

/// Whether both are the same file, as far as that can be told before it is written.
[[nodiscard]] bool same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Tries whether `file` can be written, and leaves nothing behind. Appends the reason if it cannot.
void check_writable(const std::filesystem::path& file, Errors& errors);

class FileRoles {
  public:
    /// Begins with what the run reads and writes.
    explicit FileRoles(const CommandLine& line);

    /// `option`: for messages. An empty name is no file.
    void reads(const std::string& option, const std::filesystem::path& file) { add(option, file, false); }
    void writes(const std::string& option, const std::filesystem::path& file) { add(option, file, true); }
    /// Finds files that are written and are also the file of another option. Returns error texts.
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
