// SPDX-License-Identifier: Apache-2.0
//
// The one table of configuration keys. Parsing, validation, `--set`, the effective configuration, the key
// listing and the suggestions all read it; nothing else knows a key's name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/configuration.h"

namespace solidtlm::platform {

enum class ValueKind : std::uint8_t {
    boolean,
    integer,
    number,
    size,           ///< "16MiB" or a number of bytes
    duration,       ///< "50us"
    duration_list,  ///< ["50us", "75us"] or one duration
    choice,
    text,
};

template <class T>
using FieldOf = T& (*)(Configuration&);

/// One of several names: an enumerator, or one of a registry (fw/hal/named.h).
struct ChoiceField {
    std::vector<std::string_view> names;
    std::vector<std::string_view> docs;                    ///< of a registry: what each is, in one line
    std::function<void(Configuration&, std::size_t)> set;  ///< to the n-th of the names
    std::function<std::string_view(Configuration&)> get;
};

using Field =
    std::variant<FieldOf<bool>, FieldOf<std::uint32_t>, FieldOf<std::uint64_t>, FieldOf<double>,
                 FieldOf<hal::Ps>, FieldOf<std::vector<hal::Ps>>, FieldOf<std::string>, ChoiceField>;

/// Inclusive. `integer`: integers, sizes in bytes, durations in picoseconds, text in characters; `number`:
/// numbers with a fraction.
struct Limits {
    std::int64_t integer_low = 0;
    std::int64_t integer_high = 0;
    double number_low = 0.0;
    double number_high = 0.0;
};

struct Key {
    std::string_view path;  ///< "nand.geometry.channels"
    ValueKind kind;
    Field field;
    std::string_view unit;  ///< of integers and numbers; may be empty
    Limits limits;
    std::string_view doc;

    /// "integer from 1 to 64".
    [[nodiscard]] std::string range() const;
    /// The same with an example of how it is written, for messages.
    [[nodiscard]] std::string allowed() const;
};

/// Most entries a duration list may have (quad-level cells: four page types).
constexpr std::size_t kMaxListEntries = 4;

const std::vector<Key>& keys();
const Key* find_key(std::string_view path);
/// Whether `path` is a table that holds keys ("nand", "nand.geometry").
bool is_group(std::string_view path);

/// The known key (or, with `groups`, table) most like `path`, if any is like it.
std::optional<std::string> nearest_key(std::string_view path, bool groups = false);

/// The candidate with the smallest edit distance (insert, delete, replace, swap neighbours) from `word`, if
/// that is at most a third of the word or 2.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace solidtlm::platform
