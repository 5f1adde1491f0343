// SPDX-License-Identifier: Apache-2.0
//
// Values as a user writes them, and back. Durations and sizes are exact: they are parsed and printed as
// integers, never through floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/configuration_keys.h"

namespace solidtlm::platform {

/// "50us", "3.5 ms": ps, ns, us, ms or s; a whole number of picoseconds, not negative. Nothing if malformed
/// or too large.
std::optional<hal::Ps> parse_duration(std::string_view text);
/// The shortest exact form: "13.75ns".
std::string format_duration(hal::Ps duration);

/// "16MiB", "64 GiB", "400GB", "4096": B, KB, MB, GB, TB (10^3n), KiB, MiB, GiB, TiB (2^10n); a whole number
/// of bytes. Nothing if malformed or above 2^63 - 1.
std::optional<std::uint64_t> parse_size(std::string_view text);
/// The shortest exact form, powers of two first: "16MiB", "40GB", "1872".
std::string format_size(std::uint64_t bytes);

/// A list of texts; its elements are not interpreted yet.
using TextList = std::vector<std::string>;
/// Something no key can be: a table, a date, an array of other things.
struct Misfit {};

/// A value as found, from TOML or from the command line, and how to show it in a message.
struct RawValue {
    std::variant<Misfit, bool, std::int64_t, double, std::string, TextList> value;
    std::string shown;
};

/// Interprets the text of `--set key=value` as the kind of value that `key` takes.
RawValue raw_from_text(const Key& key, std::string_view text);

/// Sets the key's field if `raw` fits kind and limits; otherwise leaves `configuration` alone and returns
/// "found X; allowed: Y".
std::optional<std::string> assign(const Key& key, const RawValue& raw, Configuration& configuration);

/// The field's value as a TOML literal.
std::string toml_literal(const Key& key, const Configuration& configuration);

}  // namespace solidtlm::platform
