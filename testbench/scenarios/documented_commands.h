// SPDX-License-Identifier: Apache-2.0
//
// For the tests: the commands that a Markdown page shows in its fenced code blocks.
//
// In a block with lines that begin with "$ ", these are commands and the rest is their output. In a block
// marked sh, bash, shell or console every line is a command, and so it is in any other block with a line
// whose first word names a program of this project or a tool that builds it. What is left is output, code and
// folder trees. A line that ends in a backslash goes on in the next. Comments are cut off; commands between
// ";", "&&" and "|" are commands of their own. "name=text" on a line sets $name for the rest of the page;
// before a command it is left out, as is what stands in [brackets].
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace solidtlm::testbench {

/// Not built without nbdkit-plugin-dev.
constexpr std::string_view kWithNbdkit = "tb_disk";

struct DocumentedCommand {
    std::size_t line = 0;  ///< of the page, from 1
    std::string text;      ///< variables replaced, without environment and comment

    /// The words as a shell would split them, quotes removed.
    [[nodiscard]] std::vector<std::string> words() const;
};

[[nodiscard]] std::vector<DocumentedCommand> documented_commands(const std::string& markdown);

/// "tb_replay" of "build/release/bin/tb_replay".
[[nodiscard]] std::string program_of(const std::string& word);
/// Whether the name is that of an executable of this project.
[[nodiscard]] bool is_our_program(const std::string& name);

}  // namespace solidtlm::testbench
