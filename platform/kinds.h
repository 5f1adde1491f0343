// SPDX-License-Identifier: Apache-2.0
//
// The values that a user may write: how they are read and printed, and which are allowed, also in words. Keys
// of configurations, workloads and preconditioning (keys.h) and options of command lines use these.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fw/hal/types.h"
#include "platform/names.h"

namespace solidtlm::platform {

enum class ValueType : std::uint8_t {
    boolean,
    integer,
    number,
    size,       ///< "16MiB" or a number of bytes
    duration,   ///< "50us"
    durations,  ///< ["50us", "75us"] or one duration
    text,       ///< also for names
};

/// Limits of a value, or of each value of a list, as a user would write them.
struct Limits {
    std::string low;
    std::string high;  ///< empty: no limit
};

/// The part of a kind that does not depend on its C++ type.
struct Allowed {
    ValueType type = ValueType::text;
    std::string range;    ///< "integer from 1 to 64"
    std::string example;  ///< an example for messages, such as ", such as 100000 or 100k"; may be empty
    Names names = {};     ///< if not empty, the value is one of these
    Names docs = {};      ///< of a registry: a line about each name
    std::optional<Limits> limits = {};

    [[nodiscard]] std::string allowed() const { return range + example; }
};

template <class Value>
struct Kind : Allowed {
    std::function<std::optional<Value>(std::string_view)> read;  ///< none if the text is not allowed
    std::function<std::string(const Value&)> write;              ///< text that `read` accepts
};

/// Limits are inclusive. REQUIRES, for all with limits: low <= high.
namespace kinds {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

[[nodiscard]] Kind<bool> boolean();
[[nodiscard]] Kind<std::uint64_t> integer(std::uint64_t low = 0, std::uint64_t high = kUnlimited,
                                          std::string_view unit = {});
[[nodiscard]] Kind<double> number(double low, double high = kInfinite, std::string_view unit = {});
[[nodiscard]] Kind<double> number_above(double low, double high = kInfinite);
/// "0.3" or "30%".
[[nodiscard]] Kind<double> share(double low = 0, double high = 1);
/// "50000" or "50k"; above 0.
[[nodiscard]] Kind<double> rate();
/// A size in bytes.
[[nodiscard]] Kind<std::uint64_t> size(std::uint64_t low = 0, std::uint64_t high = kUnlimited);
/// A size that is kept as a number of units; a multiple of `step`, which is in the same unit.
[[nodiscard]] Kind<std::uint64_t> size_in(std::uint64_t unit_bytes, std::uint64_t low_bytes,
                                          std::uint64_t high_bytes = kUnlimited,
                                          std::optional<std::uint64_t> step_bytes = {});
[[nodiscard]] Kind<hal::Ps> duration(hal::Ps low = hal::Ps{0}, hal::Ps high = hal::Ps::max());
/// An age in seconds; see parse_age().
[[nodiscard]] Kind<std::uint64_t> age(std::uint64_t low_seconds, std::uint64_t high_seconds);
/// At most `most` durations.
[[nodiscard]] Kind<std::vector<hal::Ps>> durations(hal::Ps low, hal::Ps high, std::size_t most);
/// Printable ASCII of this length.
[[nodiscard]] Kind<std::string> printable(std::size_t low, std::size_t high);
[[nodiscard]] Kind<std::string> one_of(Names names, Names docs = {});
/// The n-th of the names is the enumerator `first` + n.
[[nodiscard]] Kind<std::uint64_t> enumerator(const Names& names, std::uint64_t first = 0);

/// Values of the kind for which `holds` is true; `says` describes them in words.
template <class Value, class Predicate>
[[nodiscard]] Kind<Value> where(Kind<Value> kind, Predicate holds, std::string_view says) {
    kind.range += ", " + std::string(says);
    kind.read = [read = std::move(kind.read), holds](std::string_view text) {
        std::optional<Value> value = read(text);
        return value && holds(*value) ? value : std::nullopt;
    };
    return kind;
}

/// As above, with a name for one more value, which the kind itself does not allow.
template <class Value>
[[nodiscard]] Kind<Value> or_name(Kind<Value> kind, const std::string& name, Value value) {
    SOLIDTLM_CHECK(!kind.read(kind.write(value)), "the name's value is not allowed otherwise");
    kind.range += ", or " + name;
    kind.read = [read = std::move(kind.read), name, value](std::string_view text) {
        return text == name ? std::optional<Value>(value) : read(text);
    };
    kind.write = [write = std::move(kind.write), name, value](const Value& written) {
        return written == value ? name : write(written);
    };
    return kind;
}

/// As above, but the value is kept as text.
template <class Value>
[[nodiscard]] Kind<std::string> as_text(Kind<Value> kind) {
    return {static_cast<const Allowed&>(kind),
            [read = std::move(kind.read)](std::string_view text) {
                return read(text) ? std::optional(std::string(text)) : std::nullopt;
            },
            [](const std::string& text) { return text; }};
}

}  // namespace kinds
}  // namespace solidtlm::platform
