// SPDX-License-Identifier: Apache-2.0
#include "platform/configuration_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "fw/hal/check.h"
#include "platform/units.h"

namespace solidtlm::platform {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t kMostShown = 80;
    std::string result = "\"";
    for (const char character : text.substr(0, kMostShown)) {
        if (character == '"' || character == '\\') {
            result += '\\';
        }
        const bool printable = static_cast<unsigned char>(character) >= 0x20 && character != 0x7F;
        result += printable ? character : '?';
    }
    return result + (text.size() > kMostShown ? "...\"" : "\"");
}

std::string_view without_quotes(std::string_view text) {
    text = trimmed(text);
    const bool quotes =
        text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return quotes ? text.substr(1, text.size() - 2) : text;
}

TextList split_list(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
    }
    TextList list;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        list.emplace_back(without_quotes(text.substr(begin, comma - begin)));
        begin = comma + 1;
    }
    return list;
}

std::string number_literal(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string result(buffer.data(), end);
    return result.find_first_of(".e") == std::string::npos ? result + ".0" : result;
}

bool within(const Limits& limits, std::int64_t value) {
    return value >= limits.integer_low && value <= limits.integer_high;
}

/// Sets a field of integer type, 32 or 64 bits wide. REQUIRES: the key's limits fit the field.
void set_integer(const Field& field, Configuration& configuration, std::int64_t value) {
    if (const auto* narrow = std::get_if<FieldOf<std::uint32_t>>(&field)) {
        SOLIDTLM_CHECK(value >= 0 && value <= std::numeric_limits<std::uint32_t>::max(),
                       "limits fit the field");
        (*narrow)(configuration) = static_cast<std::uint32_t>(value);
    } else {
        std::get<FieldOf<std::uint64_t>>(field)(configuration) = static_cast<std::uint64_t>(value);
    }
}

std::uint64_t get_integer(const Field& field, Configuration& configuration) {
    const auto* narrow = std::get_if<FieldOf<std::uint32_t>>(&field);
    return narrow != nullptr ? (*narrow)(configuration)
                             : std::get<FieldOf<std::uint64_t>>(field)(configuration);
}

bool assign_integer(const Key& key, const RawValue& raw, Configuration& configuration) {
    const auto* value = std::get_if<std::int64_t>(&raw.value);
    if (value == nullptr || !within(key.limits, *value)) {
        return false;
    }
    set_integer(key.field, configuration, *value);
    return true;
}

bool assign_number(const Key& key, const RawValue& raw, Configuration& configuration) {
    double value = std::numeric_limits<double>::quiet_NaN();
    if (const auto* number = std::get_if<double>(&raw.value)) {
        value = *number;
    } else if (const auto* integer = std::get_if<std::int64_t>(&raw.value)) {
        value = static_cast<double>(*integer);
    }
    if (!(value >= key.limits.number_low && value <= key.limits.number_high)) {  // NaN fails, too
        return false;
    }
    std::get<FieldOf<double>>(key.field)(configuration) = value + 0.0;  // no negative zero
    return true;
}

bool assign_size(const Key& key, const RawValue& raw, Configuration& configuration) {
    std::optional<std::uint64_t> bytes;
    if (const auto* text = std::get_if<std::string>(&raw.value)) {
        bytes = parse_size(*text);
    } else if (const auto* integer = std::get_if<std::int64_t>(&raw.value);
               integer != nullptr && *integer >= 0) {
        bytes = static_cast<std::uint64_t>(*integer);
    }
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (!bytes || *bytes > kMost || !within(key.limits, static_cast<std::int64_t>(*bytes))) {
        return false;
    }
    set_integer(key.field, configuration, static_cast<std::int64_t>(*bytes));
    return true;
}

std::optional<hal::Ps> duration_within(const Limits& limits, std::string_view text) {
    const auto duration = parse_duration(text);
    return duration && within(limits, duration->count()) ? duration : std::nullopt;
}

bool assign_duration(const Key& key, const RawValue& raw, Configuration& configuration) {
    const auto* text = std::get_if<std::string>(&raw.value);
    const auto duration = text != nullptr ? duration_within(key.limits, *text) : std::nullopt;
    if (duration) {
        std::get<FieldOf<hal::Ps>>(key.field)(configuration) = *duration;
    }
    return duration.has_value();
}

bool assign_durations(const Key& key, const RawValue& raw, Configuration& configuration) {
    TextList texts;
    if (const auto* one = std::get_if<std::string>(&raw.value)) {
        texts = {*one};
    } else if (const auto* list = std::get_if<TextList>(&raw.value)) {
        texts = *list;
    }
    if (texts.empty() || texts.size() > kMaxListEntries) {
        return false;
    }
    std::vector<hal::Ps> durations;
    for (const std::string& text : texts) {
        const auto duration = duration_within(key.limits, text);
        if (!duration) {
            return false;
        }
        durations.push_back(*duration);
    }
    std::get<FieldOf<std::vector<hal::Ps>>>(key.field)(configuration) = std::move(durations);
    return true;
}

bool assign_text(const Key& key, const RawValue& raw, Configuration& configuration) {
    const auto* text = std::get_if<std::string>(&raw.value);
    const auto printable = [](char c) { return c >= 0x20 && c < 0x7F; };
    if (text == nullptr || !within(key.limits, static_cast<std::int64_t>(text->size())) ||
        !std::ranges::all_of(*text, printable)) {
        return false;
    }
    std::get<FieldOf<std::string>>(key.field)(configuration) = *text;
    return true;
}

bool assign_choice(const Key& key, const RawValue& raw, Configuration& configuration) {
    const auto* text = std::get_if<std::string>(&raw.value);
    const auto& field = std::get<ChoiceField>(key.field);
    const auto found = text == nullptr ? field.names.end() : std::ranges::find(field.names, *text);
    if (found == field.names.end()) {
        return false;
    }
    field.set(configuration, static_cast<std::size_t>(found - field.names.begin()));
    return true;
}

bool assign_boolean(const Key& key, const RawValue& raw, Configuration& configuration) {
    const auto* value = std::get_if<bool>(&raw.value);
    if (value != nullptr) {
        std::get<FieldOf<bool>>(key.field)(configuration) = *value;
    }
    return value != nullptr;
}

bool assign_value(const Key& key, const RawValue& raw, Configuration& configuration) {
    switch (key.kind) {
        case ValueKind::boolean:
            return assign_boolean(key, raw, configuration);
        case ValueKind::integer:
            return assign_integer(key, raw, configuration);
        case ValueKind::number:
            return assign_number(key, raw, configuration);
        case ValueKind::size:
            return assign_size(key, raw, configuration);
        case ValueKind::duration:
            return assign_duration(key, raw, configuration);
        case ValueKind::duration_list:
            return assign_durations(key, raw, configuration);
        case ValueKind::choice:
            return assign_choice(key, raw, configuration);
        case ValueKind::text:
            return assign_text(key, raw, configuration);
    }
    return false;
}

}  // namespace

RawValue raw_from_text(const Key& key, std::string_view text) {
    const std::string_view content = trimmed(text);
    RawValue raw{std::string(without_quotes(content)), content.empty() ? "nothing" : std::string(content)};
    const char* end = content.data() + content.size();
    std::int64_t integer = 0;
    const auto integer_end = std::from_chars(content.data(), end, integer);
    const bool is_integer = integer_end.ec == std::errc{} && integer_end.ptr == end && !content.empty();
    switch (key.kind) {
        case ValueKind::boolean:
            if (content == "true" || content == "false") {
                raw.value = content == "true";
            }
            break;
        case ValueKind::number: {
            double number = 0.0;
            const auto number_end = std::from_chars(content.data(), end, number);
            if (number_end.ec == std::errc{} && number_end.ptr == end && !content.empty()) {
                raw.value = number;
            }
            break;
        }
        case ValueKind::integer:
        case ValueKind::size:
            if (is_integer) {
                raw.value = integer;
            }
            break;
        case ValueKind::duration_list:
            raw.value = split_list(content);
            break;
        case ValueKind::duration:
        case ValueKind::choice:
        case ValueKind::text:
            break;
    }
    return raw;
}

std::optional<std::string> assign(const Key& key, const RawValue& raw, Configuration& configuration) {
    if (assign_value(key, raw, configuration)) {
        return std::nullopt;
    }
    return "found " + raw.shown + "; allowed: " + key.allowed();
}

std::string toml_literal(const Key& key, const Configuration& configuration) {
    // The table's accessors take a mutable configuration; this one is only read.
    auto& readable = const_cast<Configuration&>(configuration);
    switch (key.kind) {
        case ValueKind::boolean:
            return std::get<FieldOf<bool>>(key.field)(readable) ? "true" : "false";
        case ValueKind::integer:
            return std::to_string(get_integer(key.field, readable));
        case ValueKind::number:
            return number_literal(std::get<FieldOf<double>>(key.field)(readable));
        case ValueKind::size: {
            const std::string size = format_size(get_integer(key.field, readable));
            return size.back() == 'B' ? in_quotes(size) : size;
        }
        case ValueKind::duration:
            return in_quotes(format_duration(std::get<FieldOf<hal::Ps>>(key.field)(readable)));
        case ValueKind::duration_list: {
            std::string list;
            for (const hal::Ps duration : std::get<FieldOf<std::vector<hal::Ps>>>(key.field)(readable)) {
                list += (list.empty() ? "" : ", ") + in_quotes(format_duration(duration));
            }
            return "[" + list + "]";
        }
        case ValueKind::choice:
            return in_quotes(std::get<ChoiceField>(key.field).get(readable));
        case ValueKind::text:
            return in_quotes(std::get<FieldOf<std::string>>(key.field)(readable));
    }
    return {};
}

}  // namespace solidtlm::platform
