// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/spec/entry.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace solidtlm::testbench {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers and truth values have no quotes; numbers with names ("all") are text and do.
Json value_of(const std::string& text, platform::ValueType type) {
    using platform::ValueType;
    const bool bare = type == ValueType::integer || type == ValueType::number || type == ValueType::boolean;
    const Json parsed = bare ? Json::parse(text, nullptr, false) : Json(Json::value_t::discarded);
    if (parsed.is_number() && type == ValueType::number) {
        return parsed.get<double>();
    }
    return parsed.is_number() || parsed.is_boolean() ? parsed : Json(text);
}

/// Plain values and lists of them look the same in JSON and TOML.
std::string in_toml(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json value_of(const RunEntry& entry) {
    if (!entry.list) {
        return value_of(entry.values.front(), entry.type);
    }
    Json list = Json::array();
    for (const std::string& value : entry.values) {
        list.push_back(value_of(value, entry.type));
    }
    return list;
}

}  // namespace

Json to_json(const RunEntries& entries) {
    Json object = Json::object();
    for (const RunEntry& entry : entries) {
        object[entry.key] = value_of(entry);
    }
    return object;
}

std::string in_toml(const std::string& text) {
    return in_toml(Json(text));
}

std::string to_toml(const RunEntries& entries) {
    std::string text = entries.empty() ? "" : "[run]\n";
    for (const RunEntry& entry : entries) {
        text += entry.key + " = " + in_toml(value_of(entry)) + "\n";
    }
    return text;
}

}  // namespace solidtlm::testbench
