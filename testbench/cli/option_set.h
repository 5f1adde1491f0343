// SPDX-License-Identifier: Apache-2.0
//
// Options of a command line: each is declared with a variable and what is allowed (platform/kinds.h), from
// which reading, help and messages follow. What is wrong with values is collected.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/keys.h"

namespace solidtlm::testbench {

namespace kinds = platform::kinds;
using platform::Errors;
using platform::Kind;

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
            if (const auto value = read(name, kind, results.front())) {
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

    /// Text of which only its user knows what is allowed. A FILE, PATH or DIR (`type`) has a name at least.
    template <class Field>
    CLI::Option* text(const std::string& name, Field& field, const std::string& type,
                      const std::string& help) {
        CLI::Option* option = app_.add_option(name, field, help)->type_name(type)->group(group_);
        if (const std::string what = place_of(type); !what.empty()) {
            option->each([this, name, what](const std::string& place) {
                if (place.empty()) {
                    errors_.push_back(name + ": found nothing; allowed: the name of a " + what);
                }
            });
        }
        return option;
    }
    /// The same, again and again.
    template <class Field>
    CLI::Option* texts(const std::string& name, std::vector<Field>& fields, const std::string& type,
                       const std::string& help) {
        return text(name, fields, type, help)->allow_extra_args(false);
    }
    CLI::Option* flag(const std::string& name, bool& value, const std::string& help) {
        return app_.add_flag(name, value, help)->group(group_);
    }

    /// What is wrong with the values, after parsing.
    [[nodiscard]] const Errors& errors() const { return errors_; }

  private:
    CLI::Option* add(const std::string& name, const platform::Allowed& allowed, const std::string& help,
                     const CLI::callback_t& take, const std::function<std::string()>& shown);
    /// "file" or "folder"; empty: `type` names no place.
    static std::string place_of(const std::string& type);
    static std::vector<std::string> elements_of(const std::vector<std::string>& lists);

    void refuse_again(const std::string& name, const std::string& element);

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
    Errors errors_;
};

}  // namespace solidtlm::testbench
