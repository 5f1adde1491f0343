// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/option_set.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "platform/toml_mistake.h"

namespace solidtlm::testbench {
namespace {

/// The placeholder of a value in the help.
std::string symbol(const platform::Allowed& allowed) {
    switch (allowed.type) {
        case platform::ValueType::integer:
            return "N";
        case platform::ValueType::number:
            return "X";
        case platform::ValueType::size:
            return "SIZE";
        case platform::ValueType::duration:
            return "T";
        default:
            return allowed.names.empty() ? "TEXT" : "NAME";
    }
}

/// As platform::foreign_format(), by the beginning of the file.
std::string foreign_file(const std::string& file) {
    constexpr std::size_t kRead = 65'536;
    std::string text(kRead, '\0');
    std::ifstream in(file, std::ios::binary);
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return platform::foreign_format(text);
}

std::string with(std::string text, char from, char to) {
    std::ranges::replace(text, from, to);
    return text;
}

/// "--queue-depth" for queue_depth, and the reverse.
std::string option_of(const std::string& key) {
    return "--" + with(key, '_', '-');
}
std::string key_of(const std::string& option) {
    return with(option.substr(2), '-', '_');
}

/// Splits errors at line ends, so that each line is an error.
Errors lines_of(const Errors& errors) {
    Errors lines;
    for (const std::string& error : errors) {
        std::istringstream in(error);
        for (std::string line; std::getline(in, line);) {
            lines.push_back(line);
        }
    }
    return lines;
}

}  // namespace

CLI::Option* OptionSet::add_plain(const std::string& name, const std::string& help, Variable variable,
                                  platform::ValueType type) {
    const auto take = [take = variable.take](const CLI::results_t& results) {
        take(results);
        return true;
    };
    const auto shown = [write = variable.write] {
        std::string text;
        for (const std::string& value : write()) {
            text += (text.empty() ? "" : ",") + value;
        }
        return text;
    };
    // `take` receives all values and refuses surplus ones itself: CLI11 would throw at the first such option.
    CLI::Option* option = app_.add_option(name, take, help, false, shown)
                              ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                              ->group(group_);
    Values usual = variable.write();
    order_.push_back(name);
    declared_.emplace(name, Declared{option, std::move(variable), type, role_, std::move(usual), {}});
    return option;
}

CLI::Option* OptionSet::add(const std::string& name, const platform::Allowed& allowed,
                            const std::string& help, Variable variable) {
    CLI::Option* option = add_plain(name, help, std::move(variable), allowed.type);
    declared_.at(name).allowed = allowed.range;
    return option->type_name(symbol(allowed));
}

CLI::Option* OptionSet::flag(const std::string& name, bool& value, const std::string& help) {
    const auto take = [this, name, &value](const Values& values) {
        value = read(name, kinds::boolean(), values.back()).value_or(value);
    };
    const auto write = [&value] { return Values{value ? "true" : "false"}; };
    return add_plain(name, help, {take, write}, platform::ValueType::boolean)->expected(0);
}

CLI::Option* OptionSet::spec(const std::string& name, const std::string& type,
                             const std::function<Errors(const std::string&)>& take,
                             const std::function<std::string()>& write, const std::string& help) {
    const auto all = [this, name, take](const Values& values) {
        std::ranges::move(take(only(name, values)), std::back_inserter(errors_));
    };
    const auto shown = [write] {
        const std::string text = write();
        return text.empty() ? Values() : Values{text};
    };
    return add_plain(name, help, {all, shown})->type_name(type);
}

void OptionSet::needs(CLI::Option* option, const CLI::Option* other) {
    option->description(option->get_description() + "; only with " + other->get_name());
    needs_.push_back({option, other});
}

void OptionSet::instead(const std::string& one, const std::string& other) {
    instead_.emplace(one, other);
    instead_.emplace(other, one);
}

void OptionSet::leave_out(const platform::Names& names, const std::string& why) {
    for (const std::string& name : names) {
        app_.remove_option(app_.get_option(name));
        declared_.erase(name);
        std::erase(order_, name);
        std::erase_if(specs_, [&name](const auto& spec) { return spec.first.starts_with(name); });
        left_out_[name] = why;
    }
}

bool OptionSet::is_own(const CLI::Option& option) const {
    const auto options = app_.get_options();
    return std::find(options.begin() + static_cast<std::ptrdiff_t>(shared_), options.end(), &option) !=
           options.end();
}

std::string OptionSet::allowed(const CLI::Option& option) const {
    const auto declared = declared_.find(option.get_name(option.get_positional()));
    std::string text = declared == declared_.end() ? "" : declared->second.allowed;
    const std::string usual = option.get_default_str();
    return usual.empty() ? text : text + (text.empty() ? "" : "; ") + usual + " if not given";
}

std::string OptionSet::key(const std::string& name) const {
    const auto declared = declared_.find(name);
    return declared == declared_.end() || declared->second.role == Role::aside ? "" : key_of(name);
}

bool OptionSet::has(const std::string& name) const {
    return declared_.contains(name);
}

const std::string& OptionSet::only(const std::string& name, const Values& values) {
    if (values.size() > 1) {
        errors_.push_back(name + ": found " + std::to_string(values.size()) + " values; allowed: one");
    }
    return values.front();
}

void OptionSet::check_place(const std::string& name, const std::string& type, const std::string& place) {
    const bool file = type.starts_with("FILE") || type == "PATH";
    if (place.empty() && (file || type == "DIR")) {
        errors_.push_back(name + ": found nothing; allowed: the name of a " + (file ? "file" : "folder"));
    }
}

void OptionSet::refuse_again(const std::string& name, const std::string& element) {
    errors_.push_back(name + ": found " + element + " twice; allowed: each value once");
}

/// Takes an argument as a file, or reports it as a mistake.
void OptionSet::refuse_stray(const std::string& argument) {
    if (std::ranges::any_of(endings_, [&](const auto& ending) { return argument.ends_with(ending); })) {
        files_.push_back(argument);
        return;
    }
    std::error_code error;
    const bool file = std::filesystem::is_regular_file(argument, error);
    const std::string format = file ? foreign_file(argument) : "";
    std::string hint;
    if (!format.empty()) {
        hint = ": found " + format + "; allowed: ";
        for (const auto& ending : endings_) {
            hint += "FILE" + std::string(ending) + ", ";
        }
        hint += has("--trace") ? "--trace FILE or --workload SPEC" : "options";
    } else if (file && has("--trace")) {
        hint = "; did you mean --trace " + argument + "?";
    }
    errors_.push_back("unexpected argument " + argument + hint);
}

/// The argument after an unknown option may be its value, so it is not reported separately.
void OptionSet::refuse_unknown() {
    platform::Names names;
    for (const CLI::Option* option : app_.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    bool value_may_follow = false;
    for (const std::string& argument : app_.remaining()) {
        const bool option = argument.size() > 1 && argument.starts_with('-') &&
                            std::isdigit(static_cast<unsigned char>(argument[1])) == 0;
        const std::string name = argument.substr(0, argument.find('='));
        const auto left_out = left_out_.find(name);
        if (left_out != left_out_.end()) {
            const std::string& why = left_out->second;
            errors_.push_back("unknown option " + name + (why.empty() ? "" : "; " + why));
        } else if (option && argument != "--") {
            errors_.push_back("unknown option " + argument + platform::did_you_mean(name, names));
        } else if (!option && !value_may_follow) {
            refuse_stray(argument);
        }
        value_may_follow = option && name == argument;
    }
}

Errors OptionSet::parse(std::vector<std::string> arguments) {
    app_.allow_extras();
    const auto take = [this, &arguments] {
        std::vector<std::string> last_first(arguments.rbegin(), arguments.rend());
        app_.parse(std::move(last_first));
    };
    try {
        try {
            take();
        } catch (const CLI::ArgumentMismatch&) {
            // The remaining CLI11 error: the last argument is an option that needs a value. No option was
            // taken yet.
            errors_.push_back(arguments.back() + ": found nothing; allowed: a value");
            arguments.pop_back();
            take();
        }
    } catch (const CLI::Success&) {
        throw;
    } catch (const CLI::ParseError& error) {
        errors_.emplace_back(error.what());
    }
    refuse_unknown();
    return std::exchange(errors_, {});
}

/// Whether a file may contain this key.
Errors OptionSet::check_key(const std::string& name) const {
    const auto declared = declared_.find(name);
    if (declared != declared_.end()) {
        return declared->second.role != Role::aside
                   ? Errors()
                   : Errors{"found in a file; allowed: on the command line, " + name};
    }
    if (const auto left_out = left_out_.find(name); left_out != left_out_.end()) {
        return {"unknown key" + (left_out->second.empty() ? "" : "; " + left_out->second)};
    }
    platform::Names keys;
    for (const auto& [option, each] : declared_) {
        if (each.role != Role::aside) {
            keys.push_back(key_of(option));
        }
    }
    return {"unknown key" + platform::did_you_mean(key_of(name), keys)};
}

Errors OptionSet::take(const platform::ForeignEntry& entry) {
    const std::string name = option_of(entry.key);
    if (Errors errors = check_key(name); !errors.empty()) {
        return errors;
    }
    const Declared& declared = declared_.at(name);
    const auto [first, last] = instead_.equal_range(name);
    const bool replaced =
        declared.option->count() > 0 || std::any_of(first, last, [this](const auto& pair) {
            return declared_.contains(pair.second) && declared_.at(pair.second).option->count() > 0;
        });
    if (replaced) {
        return {};
    }
    if (entry.values.empty()) {
        return {"found an empty list; allowed: a value at least"};
    }
    places_[name] =
        entry.source + ":" + (entry.line == 0 ? "" : std::to_string(entry.line) + ":") + " run." + entry.key;
    declared.variable.take(entry.values);
    Errors errors = lines_of(std::exchange(errors_, {}));
    for (std::string& error : errors) {
        if (error.starts_with(name + ": ")) {
            error.erase(0, name.size() + 2);
        }
    }
    return errors;
}

bool OptionSet::given(const std::string& name) const {
    const auto declared = declared_.find(name);
    return declared != declared_.end() && (declared->second.option->count() > 0 || places_.contains(name));
}

Errors OptionSet::check_needs() const {
    Errors errors;
    for (const auto& [option, other] : needs_) {
        if (given(option->get_name()) && !given(other->get_name())) {
            errors.push_back(option->get_name() + ": found without " + other->get_name() +
                             "; allowed: with it");
        }
    }
    return errors;
}

Errors OptionSet::located(const Errors& found) const {
    Errors errors = lines_of(found);
    for (std::string& error : errors) {
        const std::size_t end = error.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
        if (const auto place = places_.find(error.substr(0, end)); place != places_.end()) {
            error.replace(0, place->first.size(), place->second);
        }
    }
    return errors;
}

RunEntries OptionSet::entries(bool outputs) const {
    RunEntries entries;
    for (const std::string& name : order_) {
        const Declared& declared = declared_.at(name);
        const bool wanted = declared.role == Role::part || (outputs && declared.role == Role::output);
        Values values = wanted ? declared.variable.write() : Values();
        if (wanted && !values.empty() && values != declared.usual) {
            entries.push_back({key_of(name), declared.type, declared.variable.list, std::move(values)});
        }
    }
    return entries;
}

std::vector<std::string> OptionSet::elements_of(const std::vector<std::string>& lists) {
    std::vector<std::string> elements;
    for (const std::string& list : lists) {
        std::istringstream in(list + ",");
        for (std::string element; std::getline(in, element, ',');) {
            elements.push_back(element);
        }
    }
    return elements;
}

}  // namespace solidtlm::testbench
