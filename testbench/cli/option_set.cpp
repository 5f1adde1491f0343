// SPDX-License-Identifier: Apache-2.0
#include "testbench/cli/option_set.h"

#include <cctype>
#include <sstream>

namespace solidtlm::testbench {
namespace {

/// What stands for a value in the help.
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

}  // namespace

CLI::Option* OptionSet::add_plain(const std::string& name, const std::string& help,
                                  const CLI::callback_t& take, const std::function<std::string()>& shown) {
    // All values come to `take`, which refuses what is too many: CLI11 would throw at the first such option.
    return app_.add_option(name, take, help, false, shown)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->group(group_);
}

CLI::Option* OptionSet::add(const std::string& name, const platform::Allowed& allowed,
                            const std::string& help, const CLI::callback_t& take,
                            const std::function<std::string()>& shown) {
    return add_plain(name, help + "; " + allowed.range, take, shown)->type_name(symbol(allowed));
}

CLI::Option* OptionSet::flag(const std::string& name, bool& value, const std::string& help) {
    const auto take = [this, name, &value](const CLI::results_t& results) {
        value = read(name, kinds::boolean(), results.back()).value_or(value);
        return true;
    };
    return add_plain(name, help, take, {})->expected(0);
}

void OptionSet::needs(CLI::Option* option, const CLI::Option* other) {
    option->description(option->get_description() + "; only with " + other->get_name());
    needs_.push_back({option, other});
}

void OptionSet::leave_out(const platform::Names& names, const std::string& why) {
    for (const std::string& name : names) {
        app_.remove_option(app_.get_option(name));
        left_out_[name] = why;
    }
}

const std::string& OptionSet::only(const std::string& name, const CLI::results_t& results) {
    if (results.size() > 1) {
        errors_.push_back(name + ": found " + std::to_string(results.size()) + " values; allowed: one");
    }
    return results.front();
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

/// What stands behind an unknown option may be its value, and is no mistake of its own.
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
            errors_.push_back("unexpected argument " + argument);
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
            // The one that is left: the last argument is an option that wants a value. Nothing was taken yet.
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
    for (const auto& [option, other] : needs_) {
        if (option->count() > 0 && other->count() == 0) {
            errors_.push_back(option->get_name() + ": found without " + other->get_name() +
                              "; allowed: with it");
        }
    }
    return errors_;
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
