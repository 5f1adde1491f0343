// SPDX-License-Identifier: Apache-2.0
//
// A table of keys: each is declared once, with its name, its place in a struct, what is allowed (kinds.h) and
// what it means. Reading, printing, messages and listings follow from that. Where the text comes from is not
// decided here: TOML and `--set` (configuration.h), `key=value,...` (testbench/sim/load/spec_items.h). Keys
// of a configuration stand beside their fields (key_reader.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fw/hal/check.h"
#include "platform/kinds.h"

/// A pointer to a nested field, for which C++ has no pointer-to-member.
#define SOLIDTLM_FIELD(member) ([](auto& target) -> auto& { return target.member; })

namespace solidtlm::platform {

/// Descriptions of all mistakes.
using Errors = std::vector<std::string>;

/// The syntactic form of a value, in sources that have types.
enum class Form : std::uint8_t { plain, boolean, integer, number, text, list, other };

/// A value as it was read.
struct Written {
    std::string text;
    std::string shown;  ///< text for messages
    Form form = Form::plain;
};

/// A value from a source without types (a command line, a spec), without surrounding blanks and quotes.
[[nodiscard]] Written plain(std::string_view text);

/// True if values of this type may have this form.
[[nodiscard]] bool takes(ValueType type, Form form);

/// "found X; allowed: Y", with a suggestion for a mistyped name.
[[nodiscard]] std::string refusal(const Allowed& allowed, const Written& written);

/// Stores a value that was read. REQUIRES: it fits the field.
template <class Field, class Value>
void store(const Value& value, Field& field) {
    field = static_cast<Field>(value);
    if constexpr (std::is_integral_v<Field>) {
        SOLIDTLM_CHECK(static_cast<Value>(field) == value, "an allowed value fits the field");
    }
}

template <class Field, class Value>
void store(const Value& value, std::optional<Field>& field) {
    store(value, field.emplace());
}

template <class Value, class Field>
[[nodiscard]] Value stored(const Field& field) {
    return static_cast<Value>(field);
}
template <class Value, class Field>
[[nodiscard]] Value stored(const std::optional<Field>& field) {
    return static_cast<Value>(field.value_or(Field{}));
}

template <class Target>
struct Key : Allowed {
    /// Of a field, which `access` finds. `otherwise`: see `usual`.
    template <class Access, class Value>
    Key(std::string called, Access access, Kind<Value> kind, std::string_view meaning,
        std::string_view otherwise = {})
        : Allowed(kind), name(std::move(called)), doc(meaning), usual(otherwise) {
        set = [access, read = std::move(kind.read)](std::string_view text, Target& target) {
            const std::optional<Value> value = read(text);
            if (value) {
                store(*value, access(target));
            }
            return value.has_value();
        };
        get = [access, write = std::move(kind.write)](const Target& target) {
            return write(stored<Value>(access(target)));
        };
    }

    /// For a value that needs more than its own text. `reads` returns false if the value is not allowed.
    Key(std::string called, Allowed what, bool (*reads)(std::string_view text, Target& target),
        std::string_view meaning, std::string_view otherwise)
        : Allowed(std::move(what)), name(std::move(called)), doc(meaning), usual(otherwise), set(reads) {}

    [[nodiscard]] std::string default_text() const {
        return usual.empty() ? get(Target{}) : std::string(usual);
    }

    std::string name;  ///< "nand.geometry.channels"
    std::string_view doc;
    std::string_view usual;  ///< the default in words; empty: that of the field
    std::function<bool(std::string_view, Target&)> set;
    std::function<std::string(const Target&)> get;
};

/// Sets the key's field if the value is allowed; otherwise leaves `target` unchanged and returns the reason.
template <class Target>
[[nodiscard]] std::optional<std::string> assign(const Key<Target>& key, const Written& written,
                                                Target& target) {
    const bool good = takes(key.type, written.form) && key.set(written.text, target);
    return good ? std::nullopt : std::optional(refusal(key, written));
}

}  // namespace solidtlm::platform
