// SPDX-License-Identifier: Apache-2.0
//
// Options of a command line: each is declared with a variable and what is allowed (platform/kinds.h), from
// which reading, help and messages follow. What is wrong with the arguments is collected: one mistake hides
// no other.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "platform/keys.h"
#include "platform/names.h"

namespace solidtlm::testbench {

namespace kinds = platform::kinds;
using platform::Errors;
using platform::Kind;

template <class Field>
constexpr bool kIsVector = false;
template <class Element>
constexpr bool kIsVector<std::vector<Element>> = true;

class OptionSet {
  public:
    explicit OptionSet(CLI::App& app) : app_(app) {}
    OptionSet(const OptionSet&) = delete;
    OptionSet& operator=(const OptionSet&) = delete;
    OptionSet(OptionSet&&) = delete;
    OptionSet& operator=(OptionSet&&) = delete;
    ~OptionSet() = default;

    /// The heading of what is added from now on.
    void group(const std::string& name) { group_ = name; }

    /// Variables keep their defaults where a value is not allowed.
    template <class Value, class Field>
    CLI::Option* value(const std::string& name, Field& field, const Kind<Value>& kind,
                       const std::string& help) {
        return unset(name, field, kind, help)->capture_default_str();
    }
    /// Without a default in the help.
    template <class Value, class Field>
    CLI::Option* unset(const std::string& name, Field& field, const Kind<Value>& kind,
                       const std::string& help) {
        const auto take = [this, name, &field, kind](const CLI::results_t& results) {
            if (const auto value = read(name, kind, only(name, results))) {
                platform::store(*value, field);
            }
            return true;
        };
        return add(name, kind, help, take,
                   [&field, write = kind.write] { return write(platform::stored<Value>(field)); });
    }

    /// `NAME V,V,...`, and again. What is allowed of it counts.
    template <class Value, class Field>
    CLI::Option* list(const std::string& name, std::vector<Field>& values, const Kind<Value>& kind,
                      const std::string& help, bool once = false) {
        const auto take = [this, name, &values, kind, once](const CLI::results_t& results) {
            std::vector<Field> all;
            for (const std::string& element : elements_of(results)) {
                if (const auto value = read(name, kind, element)) {
                    Field field{};
                    platform::store(*value, field);
                    if (once && std::ranges::find(all, field) != all.end()) {
                        refuse_again(name, element);
                    } else {
                        all.push_back(field);
                    }
                }
            }
            values = all.empty() ? values : all;
            return true;
        };
        const auto shown = [&values, write = kind.write] {
            std::string text;
            for (const Field& each : values) {
                text += (text.empty() ? "" : ",") + write(platform::stored<Value>(each));
            }
            return text;
        };
        CLI::Option* option = add(name, kind, help, take, shown);
        const std::string one = option->get_type_name();
        return option->type_name(one + "[," + one + "...]")
            ->expected(CLI::detail::expected_max_vector_size)
            ->allow_extra_args(false)
            ->capture_default_str();
    }
    /// The same, each value once.
    template <class Value, class Field>
    CLI::Option* dimension(const std::string& name, std::vector<Field>& values, const Kind<Value>& kind,
                           const std::string& help) {
        return list(name, values, kind, help, true);
    }

    /// Text of which only its user knows what is allowed; of a vector, one or more. A FILE, PATH or DIR
    /// (`type`) has a name at least.
    template <class Field>
    CLI::Option* text(const std::string& name, Field& field, const std::string& type,
                      const std::string& help) {
        const auto take = [this, name, &field, type](const CLI::results_t& results) {
            for (const std::string& text : results) {
                check_place(name, type, text);
            }
            if constexpr (kIsVector<Field>) {
                field.assign(results.begin(), results.end());
            } else {
                field = only(name, results);
            }
            return true;
        };
        std::function<std::string()> shown = [] { return std::string(); };
        if constexpr (std::is_convertible_v<Field, std::string>) {
            shown = [&field] { return std::string(field); };
        }
        CLI::Option* option = add_plain(name, help, take, shown)->type_name(type);
        return kIsVector<Field> ? option->expected(CLI::detail::expected_max_vector_size) : option;
    }
    /// The same, again and again.
    template <class Field>
    CLI::Option* texts(const std::string& name, std::vector<Field>& fields, const std::string& type,
                       const std::string& help) {
        return text(name, fields, type, help)->allow_extra_args(false);
    }
    CLI::Option* flag(const std::string& name, bool& value, const std::string& help);

    /// `option` says nothing without `other`.
    void needs(CLI::Option* option, const CLI::Option* other);
    /// Takes these away again: they do not exist. `why` is told to a user who gives one of them; may be
    /// empty.
    void leave_out(const platform::Names& names, const std::string& why);

    /// Reads the arguments, the first of them first. Returns all that is wrong with them. Throws CLI::Success
    /// where they ask for help or the version.
    [[nodiscard]] Errors parse(std::vector<std::string> arguments);

  private:
    struct Need {
        const CLI::Option* option;
        const CLI::Option* other;
    };

    CLI::Option* add_plain(const std::string& name, const std::string& help, const CLI::callback_t& take,
                           const std::function<std::string()>& shown);
    CLI::Option* add(const std::string& name, const platform::Allowed& allowed, const std::string& help,
                     const CLI::callback_t& take, const std::function<std::string()>& shown);
    static std::vector<std::string> elements_of(const std::vector<std::string>& lists);

    /// The value of an option that has one; a mistake if it was given again.
    const std::string& only(const std::string& name, const CLI::results_t& results);
    void check_place(const std::string& name, const std::string& type, const std::string& place);
    void refuse_again(const std::string& name, const std::string& element);
    void refuse_unknown();

    template <class Value>
    std::optional<Value> read(const std::string& name, const Kind<Value>& kind, const std::string& text) {
        const platform::Written written = platform::plain(text);
        std::optional<Value> value = kind.read(written.text);
        if (!value) {
            errors_.push_back(name + ": " + platform::refusal(kind, written));
        }
        return value;
    }

    CLI::App& app_;
    std::string group_ = "Options";
    std::vector<Need> needs_;
    std::map<std::string, std::string> left_out_;  ///< with the reason
    Errors errors_;
};

}  // namespace solidtlm::testbench
