// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/help.h"

#include <fmt/format.h>

#include <ostream>
#include <sstream>

#include "platform/configuration_keys.h"
#include "platform/presets.h"
#include "testbench/programs/cli/command_line.h"
#include "testbench/show/text_table.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kMostColumns = 100;
constexpr std::size_t kScreenExamples = 3;

/// The shared options that most runs use; --help lists only these.
const platform::Names kUsual{"--preset",       "--set",         "--trace",  "--workload",
                             "--precondition", "--queue-depth", "--limit",  "--until",
                             "--out",          "--jobs",        "--dry-run"};

/// Inserts break positions after commas in lists that are longer than a line.
std::string breakable(const std::string& text, std::size_t width) {
    std::string result;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        result += result.empty() ? "" : " ";
        for (const char letter : word) {
            result += letter;
            result += letter == ',' && columns_of(word) > width ? " " : "";
        }
    }
    return result;
}

/// `head`, then `text` in lines that begin in column `indent`. A head that is too long gets a line of its
/// own.
std::string entry(const std::string& head, const std::string& text, std::size_t indent, std::size_t width) {
    std::string lines = head;
    if (columns_of(head) + 1 >= indent) {
        lines += "\n" + std::string(indent, ' ');
    } else {
        lines.resize(lines.size() + indent - columns_of(head), ' ');
    }
    return fmt::format("{}{}\n", lines,
                       fmt::join(wrap_words(breakable(text, width - indent), width - indent),
                                 "\n" + std::string(indent, ' ')));
}

std::string paragraph(const std::string& text, std::size_t width) {
    return fmt::format("{}\n", fmt::join(wrap_words(text, width), "\n"));
}

/// Lines "key meaning" for the keys of a spec (platform/keys.h).
std::string keys_of_spec(const std::string& text, std::size_t width) {
    constexpr std::size_t kColumn = 14;
    std::string lines;
    std::istringstream in(text);
    for (std::string key, meaning; in >> key && std::getline(in, meaning);) {
        lines += entry(key, meaning, kColumn, width);
    }
    return lines;
}

/// A command line, broken before options.
std::string command(const std::string& text, std::size_t width) {
    std::string lines;
    std::size_t begin = 0;
    std::size_t last = 0;  // last position where the line may be broken
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        quoted ^= text[i] == '\'';
        if (!quoted && text.compare(i, 3, " --") == 0) {
            last = i;
        }
        if (i - begin + 2 >= width && last > begin) {
            lines += text.substr(begin, last - begin) + " \\\n   ";
            begin = last;
        }
    }
    return lines + text.substr(begin) + "\n";
}

bool is_flag(const CLI::Option& option) {
    return option.get_expected_max() == 0;
}

/// "--queue-depth N", or "LOAD ..." for a positional argument.
std::string head(const CLI::Option& option) {
    std::string text = option.get_positional() ? "" : option.get_name(false, true);
    if (is_flag(option)) {
        return text;
    }
    const std::string type = option.get_type_name();
    const bool may_lack = option.get_expected_min() == 0;
    // the type of a list already ends in "...]"
    const bool several = option.get_expected_max() > 1 && !type.ends_with("...]");
    text += text.empty() ? "" : " ";
    return text + (may_lack ? "[" + type + "]" : type) + (several ? " ..." : "");
}

/// The option's description without its details.
std::string in_short(const CLI::Option& option) {
    const std::string& text = option.get_description();
    return text.substr(0, text.find("; "));
}

}  // namespace

Help::Help(CLI::App& app, const OptionSet& set, const Program& program)
    : app_(app), set_(set), program_(program), width_(std::min(style_for(1).width, kMostColumns)) {
    app.set_help_flag();
    about_ = app.add_option("-h,--help", name_,
                            "Print what matters most, or all about an option, a configuration key or a "
                            "table of keys, and exit")
                 ->expected(0, 1)
                 ->type_name("NAME")
                 ->group("Information");
    app.add_flag("--help-all", all_, "Print every option with what it may be, and exit")
        ->expected(0)
        ->group("Information");
}

std::vector<std::string> Help::arguments(int argc, const char* const* argv) {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::size_t count = arguments.size();
    if (count > 1 && (arguments[count - 2] == "--help" || arguments[count - 2] == "-h")) {
        arguments[count - 2] = "--help=" + arguments[count - 1];
        arguments.pop_back();
    }
    return arguments;
}

int Help::print(std::ostream& out, std::ostream& err) const {
    if (all_) {
        out << everything();
    } else if (about_->results().empty() || name_.empty()) {
        out << screen();
    } else if (const std::string text = about(name_); !text.empty()) {
        out << text;
    } else {
        report_error(err, unknown(name_));
        return kExitUserError;
    }
    return kExitSuccess;
}

std::string Help::usage() const {
    std::string text = paragraph(program_.summary, width_) + "Usage: " + program_.name + " [OPTIONS]";
    for (const CLI::Option* option : app_.get_options()) {
        text += option->get_positional() ? " " + head(*option) : "";
    }
    return text + (set_.takes_files() ? " [FILE.toml ...]" : "") + "\n";
}

std::string Help::screen() const {
    constexpr std::size_t kColumn = 30;
    constexpr std::size_t kGroupColumn = 20;
    std::string text = usage() + "\n";
    std::string others;
    for (const std::string& group : app_.get_groups()) {
        std::string names;
        for (const CLI::Option* option : app_.get_options()) {
            if (option->get_group() != group) {
                continue;
            }
            const std::string name = option->get_name(option->get_positional());
            if (set_.is_own(*option) || std::ranges::find(kUsual, name) != kUsual.end()) {
                const std::string line = in_short(*option);
                text +=
                    entry("  " + head(*option), wrap_words(line, width_ - kColumn).front(), kColumn, width_);
            } else {
                names += (names.empty() ? "" : " ") + name;
            }
        }
        others += names.empty() ? "" : entry("  " + group, names, kGroupColumn, width_);
    }
    text += "\nThere are also:\n" + others + "\n" + examples(kScreenExamples);
    if (!program_.notes.empty()) {
        text += notes() + "\n";
    }
    return text + paragraph(
                      "--help NAME says all about an option or a configuration key (--help seed, --help "
                      "nand.geometry.channels), --help-all about every option.",
                      width_);
}

std::string Help::everything() const {
    constexpr std::size_t kColumn = 30;
    std::string text = usage();
    for (const std::string& group : app_.get_groups()) {
        std::string entries;
        for (const CLI::Option* option : app_.get_options()) {
            if (option->get_group() == group) {
                const std::string allowed = set_.allowed(*option);
                entries += entry("  " + head(*option),
                                 option->get_description() + (allowed.empty() ? "" : "; " + allowed), kColumn,
                                 width_);
            }
        }
        if (!entries.empty()) {
            text.append("\n").append(group).append(":\n").append(entries);
        }
    }
    text += "\n" +
            paragraph(
                "Exit codes: 0 success; 1 the run failed; 2 a mistake in command line, "
                "configuration or trace; 130 and 143 ended by SIGINT (Ctrl-C) and SIGTERM.",
                width_) +
            "\n" + examples(program_.examples.size());
    for (const auto& [option, spec] : set_.specs()) {
        text += "Keys of " + option + ":\n" + keys_of_spec(spec, width_) + "\n";
    }
    return text + (program_.notes.empty() ? "" : notes());
}

std::string Help::examples(std::size_t most) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(most, program_.examples.size()); ++i) {
        text += "  " + command(program_.name + " " + program_.examples[i], width_ - 2);
    }
    return text.empty() ? "" : "Examples:\n" + text + "\n";
}

std::string Help::notes() const {
    return paragraph(program_.notes, width_);
}

std::string Help::about_option(const std::string& name) const {
    const CLI::Option* option = app_.get_option_no_throw(name);
    if (option == nullptr) {
        return "";
    }
    constexpr std::size_t kIndent = 4;
    const auto line = [this](const std::string& text) { return entry(std::string(), text, kIndent, width_); };
    std::string text = head(*option) + "\n" + line(option->get_description());
    if (const std::string allowed = set_.allowed(*option); !allowed.empty()) {
        text += line(allowed);
    }
    if (const std::string key = set_.key(name); set_.takes_files() && !key.empty()) {
        text += line("In a run file: " + key + " in [run]");
    }
    text += line(set_.is_own(*option) && !program_.notes.empty() ? program_.notes : "docs/command-line.md");
    for (const auto& [of, spec] : set_.specs()) {
        text += of.starts_with(name) ? "\nKeys of " + of + ":\n" + keys_of_spec(spec, width_) : "";
    }
    return text;
}

namespace {

std::string leaf_of(std::string_view key) {
    return std::string(key.substr(key.rfind('.') + 1));
}

/// How a key's value is written, and which presets change it.
std::string about_key(const platform::ConfigurationKey& key, std::size_t width) {
    constexpr std::size_t kIndent = 4;
    const std::string usual = key.get(platform::Configuration{});
    std::string presets;
    for (const platform::Preset& preset : platform::presets()) {
        platform::ConfigurationSources sources;
        sources.preset = preset.name;
        if (const std::string value = key.get(platform::load_configuration(sources)); value != usual) {
            presets += fmt::format("{}{} {}", presets.empty() ? "" : ", ", preset.name, value);
        }
    }
    std::string text;
    std::istringstream lines(platform::key_text(key));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t indent = line.find_first_not_of(' ');
        text += indent == 0 ? line + "\n" : entry(std::string(), line, indent, width);
    }
    const std::size_t dot = key.name.rfind('.');
    const std::string table =
        dot == std::string_view::npos ? "at the top" : fmt::format("in [{}]", key.name.substr(0, dot));
    return text + (presets.empty() ? "" : entry(std::string(), "In presets: " + presets, kIndent, width)) +
           entry(std::string(),
                 fmt::format("In a file: {} {}; on the command line: --set {}=VALUE", leaf_of(key.name),
                             table, key.name),
                 kIndent, width) +
           entry(std::string(), "docs/configuration.md", kIndent, width);
}

/// The tables of keys with this whole name, or with this last name.
platform::Names tables_called(const std::string& name) {
    platform::Names tables;
    for (const platform::ConfigurationKey& key : platform::keys()) {
        for (std::size_t dot = key.name.find('.'); dot != std::string_view::npos;
             dot = key.name.find('.', dot + 1)) {
            const std::string table(key.name.substr(0, dot));
            if ((table == name || leaf_of(table) == name) &&
                std::ranges::find(tables, table) == tables.end()) {
                tables.push_back(table);
            }
        }
    }
    return tables;
}

/// Tables that lie in no other.
platform::Names outer_tables() {
    platform::Names tables;
    for (const platform::ConfigurationKey& key : platform::keys()) {
        const std::string table(key.name.substr(0, key.name.find('.')));
        if (table != key.name && std::ranges::find(tables, table) == tables.end()) {
            tables.push_back(table);
        }
    }
    std::ranges::sort(tables);
    return tables;
}

/// The keys of a table, one line each.
std::string about_table(const std::string& table, std::size_t width) {
    constexpr std::size_t kColumn = 42;
    std::string text;
    for (const platform::ConfigurationKey& key : platform::keys()) {
        if (key.name.starts_with(table + ".")) {
            text += entry(std::string(key.name), std::string(key.doc), kColumn, width);
        }
    }
    return text;
}

}  // namespace

std::string Help::about(const std::string& name) const {
    const bool dashes = name.starts_with("-");
    std::string option = dashes ? name : "--" + name;
    std::ranges::replace(option, '_', '-');
    std::string text = about_option(option);
    const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "\n") + more; };
    for (const platform::ConfigurationKey& key : platform::keys()) {
        if (!dashes && (key.name == name || leaf_of(key.name) == name)) {
            add(about_key(key, width_));
        }
    }
    for (const std::string& table : dashes ? platform::Names{} : tables_called(name)) {
        add(about_table(table, width_));
    }
    return text;
}

std::string Help::unknown(const std::string& name) const {
    platform::Names names;
    for (const CLI::Option* option : app_.get_options()) {
        for (const std::string& each : option->get_lnames()) {
            names.push_back(each);
        }
    }
    auto meant = platform::nearest(name.substr(std::min(name.find_first_not_of('-'), name.size())), names);
    for (const bool tables : {false, true}) {
        meant = meant ? meant : platform::nearest_key(name, tables);
    }
    return "--help: found " + name + "; allowed: an option, a configuration key or a table of keys" +
           (meant ? platform::did_you_mean(meant)
                  : fmt::format(" ({}, and tables in them)", fmt::join(outer_tables(), ", ")));
}

}  // namespace solidtlm::testbench
