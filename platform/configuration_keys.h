// SPDX-License-Identifier: Apache-2.0
//
// The one table of configuration keys, which structs declare (key_reader.h). Parsing, validation, `--set`,
// the effective configuration, the key listing and the suggestions all read it; nothing else knows a key's
// name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "platform/keys.h"

namespace solidtlm::platform {

using ConfigurationKey = Key<Configuration>;

/// In the order of declaration.
const std::vector<ConfigurationKey>& keys();
const ConfigurationKey* find_key(std::string_view path);
/// Whether `path` is a table that holds keys ("nand", "nand.geometry").
bool is_group(std::string_view path);

/// What a message says of a key, or of a value of a key, that earlier versions had; empty if none had it.
std::string retired(std::string_view key, std::string_view value = {});
/// The known key (or, with `groups`, key or table) that `path` is an earlier name of, or that is most like
/// it, if one is similar.
std::optional<std::string> nearest_key(std::string_view path, bool groups = false);

/// The text of list_keys_text() for a key: name and default, meaning, allowed values.
std::string key_text(const ConfigurationKey& key);

/// The key's value as a TOML literal, which `--set` accepts, too.
std::string toml_literal(const ConfigurationKey& key, const Configuration& configuration);

}  // namespace solidtlm::platform
