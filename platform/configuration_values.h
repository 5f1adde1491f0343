// SPDX-License-Identifier: Apache-2.0
//
// Values as a user writes them, and back; sizes and durations as units.h has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/configuration_keys.h"

namespace solidtlm::platform {

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
