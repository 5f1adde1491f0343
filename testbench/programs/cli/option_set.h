// SPDX-License-Identifier: Apache-2.0
//
// Options of a program. Each is declared with a variable and the allowed values (platform/kinds.h); reading,
// writing, help and messages follow from that. An option is also a key of run files, unless its group
// excludes that: `--queue-depth 8` is `queue_depth = 8`. All mistakes are collected: none hides another.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "platform/configuration.h"
#include "platform/keys.h"
#include "platform/names.h"
#include "testbench/sim/spec/entry.h"

namespace solidtlm::testbench {

namespace kinds = platform::kinds;
using platform::Errors;
using platform::Kind;

template <class Field>
constexpr bool kIsVector = false;
template <class Element>
constexpr bool kIsVector<std::vector<Element>> = true;

/// Whether an option is more than a command-line option.
enum class Role : std::uint8_t {
    part,    ///< a key of run files, and a parameter of results
    output,  ///< a key of run files; no result depends on it
    aside,   ///< neither: the option concerns the configuration or how the run is carried out
};

class OptionSet {
  public:
    using Values = std::vector<std::string>;

    explicit OptionSet(CLI::App& app) : app_(app) {}
    OptionSet(const OptionSet&) = delete;
    OptionSet& operator=(const OptionSet&) = delete;
    OptionSet(OptionSet&&) = delete;
    OptionSet& operator=(OptionSet&&) = delete;
    ~OptionSet() = default;

    /// Sets the heading and the role of the options that are added from now on.
    void group(const std::string& name, Role role = Role::part) {
        group_ = name;
        role_ = role;
    }

    /// If a value is not allowed, the variable keeps its default.
    template <class Value, class Field>
    CLI::Option* value(const std::string& name, Field& field, const Kind<Value>& kind,
                       const std::string& help) {
        return unset(name, field, kind, help)->capture_default_str();
    }
    /// The help shows no default.
    template <class Value, class Field>
    CLI::Option* unset(const std::string& name, Field& field, const Kind<Value>& kind,
                       const std::string& help) {
        const auto take = [this, name, &field, kind](const Values& values) {
            if (const auto value = read(name, kind, only(name, values))) {
                platform::store(*value, field);
            }
        };
        return add(name, kind, help, {take, [&field, write = kind.write] { return written(field, write); }});
    }

    /// `NAME V,V,...`, repeatable. Allowed values are stored, others reported.
    template <class Value, class Field>
    CLI::Option* list(const std::string& name, std::vector<Field>& fields, const Kind<Value>& kind,
                      const std::string& help, bool once = false) {
        const auto take = [this, name, &fields, kind, once](const Values& values) {
            std::vector<Field> all;
            for (const std::string& element : elements_of(values)) {
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
            fields = all.empty() ? fields : all;
        };
        const auto write = [&fields, one = kind.write] {
            Values values;
            for (const Field& each : fields) {
                values.push_back(one(platform::stored<Value>(each)));
            }
            return values;
        };
        CLI::Option* option = add(name, kind, help, {take, write, true});
        const std::string one = option->get_type_name();
        return option->type_name(one + "[," + one + "...]")
            ->expected(CLI::detail::expected_max_vector_size)
            ->allow_extra_args(false)
            ->capture_default_str();
    }
    /// As above, each value at most once.
    template <class Value, class Field>
    CLI::Option* dimension(const std::string& name, std::vector<Field>& values, const Kind<Value>& kind,
                           const std::string& help) {
        return list(name, values, kind, help, true);
    }

    /// Text that the caller must check; a vector takes one or more. A FILE, PATH or DIR (`type`) is never
    /// empty.
    template <class Field>
    CLI::Option* text(const std::string& name, Field& field, const std::string& type,
                      const std::string& help) {
        const auto take = [this, name, &field, type](const Values& values) {
            for (const std::string& text : values) {
                check_place(name, type, text);
            }
            if constexpr (kIsVector<Field>) {
                field.assign(values.begin(), values.end());
            } else {
                field = only(name, values);
            }
        };
        const auto write = [&field]() -> Values {
            if constexpr (kIsVector<Field>) {
                return {field.begin(), field.end()};
            } else if constexpr (std::is_convertible_v<Field, std::string>) {
                return field.empty() ? Values() : Values{field};
            } else {
                return field ? Values{*field} : Values();
            }
        };
        CLI::Option* option = add_plain(name, help, {take, write, kIsVector<Field>})->type_name(type);
        return kIsVector<Field> ? option->expected(CLI::detail::expected_max_vector_size) : option;
    }
    /// As above, repeatable.
    template <class Field>
    CLI::Option* texts(const std::string& name, std::vector<Field>& fields, const std::string& type,
                       const std::string& help) {
        return text(name, fields, type, help)->allow_extra_args(false);
    }
    CLI::Option* flag(const std::string& name, bool& value, const std::string& help);
    /// Text that `take` reads; it returns an error text. `write` returns the present text, empty if there is
    /// none.
    CLI::Option* spec(const std::string& name, const std::string& type,
                      const std::function<Errors(const std::string&)>& take,
                      const std::function<std::string()>& write, const std::string& help);

    /// Options added from now on are the program's own, not common ones.
    void begin_own() { shared_ = app_.get_options().size(); }
    [[nodiscard]] bool is_own(const CLI::Option& option) const;
    /// Describes the keys of a value that is a spec. `of`: such as "--workload postmark"; `keys`: as
    /// keys_of_spec() of a table returns them.
    void explain(const std::string& of, const std::string& keys) { specs_.emplace_back(of, keys); }
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& specs() const { return specs_; }
    /// Allowed values of the option and its default; may be empty.
    [[nodiscard]] std::string allowed(const CLI::Option& option) const;
    /// The option's key in run files; empty: none.
    [[nodiscard]] std::string key(const std::string& name) const;

    /// Reports `option` as a mistake if `other` is missing.
    void needs(CLI::Option* option, const CLI::Option* other);
    /// If the command line has one of these two options, a file's entry for the other is ignored.
    void instead(const std::string& one, const std::string& other);
    /// Removes these options. `why`, which may be empty, is shown to a user who gives one of them.
    void leave_out(const platform::Names& names, const std::string& why);
    [[nodiscard]] bool has(const std::string& name) const;

    /// Reads the arguments in order. Returns all mistakes except those of needs(). Throws CLI::Success if
    /// they ask for help or the version.
    [[nodiscard]] Errors parse(std::vector<std::string> arguments);
    /// Arguments with these endings that are neither options nor values are taken as files, in order; others
    /// are mistakes.
    void take_files(const platform::Names& endings) { endings_ = endings; }
    [[nodiscard]] bool takes_files() const { return !endings_.empty(); }
    [[nodiscard]] const Values& files() const { return files_; }

    /// Takes an entry of a run file, unless the command line already gave the option. Returns mistakes.
    [[nodiscard]] Errors take(const platform::ForeignEntry& entry);
    /// Mistakes found by needs().
    [[nodiscard]] Errors check_needs() const;
    /// Whether the option was given on the command line or in a file.
    [[nodiscard]] bool given(const std::string& name) const;
    /// If a file gave the option that an error begins with, the option's name is replaced by its place in the
    /// file.
    [[nodiscard]] Errors located(const Errors& errors) const;

    /// The options that differ from their defaults. Without `outputs`, only those that a result depends on.
    [[nodiscard]] RunEntries entries(bool outputs) const;

  private:
    struct Need {
        const CLI::Option* option;
        const CLI::Option* other;
    };
    /// How an option's variable is read and written.
    struct Variable {
        std::function<void(const Values&)> take;
        std::function<Values()> write;
        bool list = false;
    };
    struct Declared {
        CLI::Option* option;
        Variable variable;
        platform::ValueType type;
        Role role;
        Values usual;         ///< the default
        std::string allowed;  ///< allowed values in words; empty: the help describes them
    };

    template <class Value, class Field>
    static Values written(const Field& field, const std::function<std::string(const Value&)>& write) {
        return {write(platform::stored<Value>(field))};
    }
    template <class Value, class Field>
    static Values written(const std::optional<Field>& field,
                          const std::function<std::string(const Value&)>& write) {
        return field ? Values{write(static_cast<Value>(*field))} : Values();
    }
    /// The value as text; an empty list for a text that is not set.
    static Values written(const std::string& field,
                          const std::function<std::string(const std::string&)>& write) {
        return field.empty() ? Values() : Values{write(field)};
    }

    CLI::Option* add_plain(const std::string& name, const std::string& help, Variable variable,
                           platform::ValueType type = platform::ValueType::text);
    CLI::Option* add(const std::string& name, const platform::Allowed& allowed, const std::string& help,
                     Variable variable);
    static std::vector<std::string> elements_of(const std::vector<std::string>& lists);
    [[nodiscard]] Errors check_key(const std::string& name) const;

    /// The value of a single-valued option; reports a mistake if it was given twice.
    const std::string& only(const std::string& name, const Values& values);
    void check_place(const std::string& name, const std::string& type, const std::string& place);
    void refuse_again(const std::string& name, const std::string& element);
    void refuse_unknown();
    void refuse_stray(const std::string& argument);

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
    Role role_ = Role::part;
    platform::Names order_;                     ///< in order of declaration
    std::map<std::string, Declared> declared_;  ///< by "--name"
    std::vector<Need> needs_;
    std::multimap<std::string, std::string> instead_;
    std::vector<std::pair<std::string, std::string>> specs_;
    std::size_t shared_ = 0;                       ///< number of common options
    std::map<std::string, std::string> left_out_;  ///< with the reason why
    platform::Names endings_;
    Values files_;
    std::map<std::string, std::string> places_;  ///< options taken from files, with their places
    Errors errors_;
};

}  // namespace solidtlm::testbench
