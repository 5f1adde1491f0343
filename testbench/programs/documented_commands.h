// SPDX-License-Identifier: Apache-2.0
//
// For the tests: the commands that a Markdown page shows in its fenced code blocks.
//
// In a block with lines that begin with "$ ", those lines are commands and the rest is their output. In a
// block marked sh, bash, shell or console, every line is a command; so is every line of any other block in
// which some line's first word names a program of this project or a tool that builds it. Everything else is
// output, code or a folder tree. A line that ends in a backslash continues on the next line. Comments are cut
// off; ";", "&&" and "|" separate commands. "name=text" on a line sets $name for the rest of the page; before
// a command it is dropped, like text in [brackets].
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace solidtlm::testbench {

/// Not built without nbdkit-plugin-dev.
constexpr std::string_view kWithNbdkit = "tb_disk";

struct DocumentedCommand {
    std::size_t line = 0;  ///< line of the page, from 1
    std::string text;      ///< with variables replaced, without environment and comment

    /// The words after shell splitting, without quotes.
    [[nodiscard]] std::vector<std::string> words() const;
};

[[nodiscard]] std::vector<DocumentedCommand> documented_commands(const std::string& markdown);

/// "tb_replay" for "build/release/bin/tb_replay".
[[nodiscard]] std::string program_of(const std::string& word);
/// Whether the name is that of an executable of this project.
[[nodiscard]] bool is_our_program(const std::string& name);

}  // namespace solidtlm::testbench
