// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/documented_commands.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace solidtlm::testbench {
namespace {

using Variables = std::map<std::string, std::string>;

struct Line {
    std::size_t number = 0;
    std::string text;
};

struct Block {
    std::string mark;  ///< the text after the fence
    std::vector<Line> lines;
};

constexpr std::array kShellMarks{"sh", "bash", "shell", "console"};
constexpr std::array kTools{"cmake", "ctest", "git"};
constexpr std::string_view kPrompt = "$ ";

std::string trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    return begin == std::string_view::npos
               ? std::string()
               : std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The fence that a line begins with, or "".
std::string fence_of(const std::string& line) {
    const std::string text = trimmed(line);
    const char kind = text.empty() ? ' ' : text.front();
    const std::size_t length = std::min(text.find_first_not_of(kind), text.size());
    return (kind == '`' || kind == '~') && length >= 3 ? text.substr(0, length) : "";
}

std::vector<Block> blocks_of(const std::string& markdown) {
    std::vector<Block> blocks;
    std::istringstream input(markdown);
    std::string fence;
    std::string text;
    for (std::size_t number = 1; std::getline(input, text); ++number) {
        const std::string found = fence_of(text);
        if (fence.empty()) {
            if (!found.empty()) {
                fence = found;
                blocks.push_back({trimmed(trimmed(text).substr(found.size())), {}});
            }
        } else if (found.starts_with(fence) && trimmed(text) == found) {
            fence.clear();
        } else {
            blocks.back().lines.push_back({number, trimmed(text)});
        }
    }
    return blocks;
}

/// Joins lines that end in a backslash with the next line.
std::vector<Line> joined(const std::vector<Line>& lines) {
    std::vector<Line> result;
    bool goes_on = false;
    for (const Line& line : lines) {
        if (goes_on) {
            result.back().text += line.text;
        } else {
            result.push_back(line);
        }
        goes_on = result.back().text.ends_with('\\');
        if (goes_on) {
            result.back().text.back() = ' ';
        }
    }
    return result;
}

/// Cuts at ";", "&&" and "|" outside quotes; text after " #" is a comment.
std::vector<std::string> commands_in(const std::string& line) {
    std::vector<std::string> commands(1);
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != 0) {
            quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
            break;
        } else if (c == ';' || c == '|' || (c == '&' && i + 1 < line.size() && line[i + 1] == '&')) {
            i += c == '&' ? 1 : 0;
            commands.emplace_back();
            continue;
        }
        commands.back() += c;
    }
    for (std::string& command : commands) {
        command = trimmed(command);
    }
    std::erase(commands, "");
    return commands;
}

std::string replaced(const std::string& text, const Variables& variables) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '$') {
            result += text[i];
            continue;
        }
        const bool braces = i + 1 < text.size() && text[i + 1] == '{';
        const std::size_t begin = i + (braces ? 2 : 1);
        std::size_t end = begin;
        while (end < text.size() && is_name(text[end])) {
            ++end;
        }
        const auto variable = variables.find(text.substr(begin, end - begin));
        if (variable == variables.end()) {
            result += '$';
            continue;
        }
        result += variable->second;
        i = braces ? end : end - 1;
    }
    return result;
}

/// The name that "name=..." assigns to.
std::optional<std::string> assigned(const std::string& word) {
    const std::size_t equals = word.find('=');
    const bool name = equals != std::string::npos && equals > 0 &&
                      std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), is_name);
    return name ? std::optional(word.substr(0, equals)) : std::nullopt;
}

/// Removes leading assignments; if nothing else follows, they set variables.
std::string without_assignments(std::string command, Variables& variables) {
    while (true) {
        const std::string word = command.substr(0, command.find_first_of(" \t"));
        const auto name = assigned(word);
        if (!name) {
            return command;
        }
        command = trimmed(command.substr(word.size()));
        if (command.empty()) {
            variables[*name] = word.substr(name->size() + 1);
        }
    }
}

std::string without_brackets(std::string command) {
    for (std::size_t open = command.find(" ["); open != std::string::npos; open = command.find(" [")) {
        const std::size_t close = std::min(command.find(']', open), command.size() - 1);
        command.erase(open, close - open + 1);
    }
    return command;
}

bool is_known(const std::string& command) {
    const std::string word = command.substr(0, command.find_first_of(" \t"));
    const bool script = word.starts_with("scripts/") && word.size() > std::string_view("scripts/").size();
    return is_our_program(program_of(word)) || script || word == ".ci/run" ||
           std::ranges::find(kTools, word) != kTools.end();
}

}  // namespace

std::string program_of(const std::string& word) {
    return word.substr(word.rfind('/') + 1);  // npos + 1 is 0
}

bool is_our_program(const std::string& name) {
    return (name.starts_with("tb_") && std::ranges::all_of(name, is_name)) || name == "describe_load" ||
           name == "bench_speed";
}

std::vector<std::string> DocumentedCommand::words() const {
    std::vector<std::string> words;
    std::string word;
    bool begun = false;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0 && c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '\'' || c == '"')) {
            quote = c;
            begun = true;
        } else if (quote == 0 && (c == ' ' || c == '\t')) {
            if (begun) {
                words.push_back(std::exchange(word, {}));
            }
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (begun) {
        words.push_back(word);
    }
    return words;
}

std::vector<DocumentedCommand> documented_commands(const std::string& markdown) {
    std::vector<DocumentedCommand> result;
    Variables variables;
    for (const Block& block : blocks_of(markdown)) {
        const auto has_prompt = [](const Line& line) { return line.text.starts_with(kPrompt); };
        const bool prompts = std::ranges::any_of(block.lines, has_prompt);
        bool commands = prompts || std::ranges::find(kShellMarks, block.mark) != kShellMarks.end();
        std::vector<DocumentedCommand> found;
        for (const Line& line : joined(block.lines)) {
            if (prompts && !has_prompt(line)) {
                continue;
            }
            for (std::string command : commands_in(prompts ? line.text.substr(kPrompt.size()) : line.text)) {
                command = without_brackets(without_assignments(replaced(command, variables), variables));
                commands = commands || is_known(command);
                if (!command.empty()) {
                    found.push_back({line.number, command});
                }
            }
        }
        if (commands) {
            result.insert(result.end(), found.begin(), found.end());
        }
    }
    return result;
}

}  // namespace solidtlm::testbench
