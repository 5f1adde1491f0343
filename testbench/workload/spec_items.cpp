// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/spec_items.h"

#include "testbench/host/request.h"
#include "testbench/workload/suggest.h"

namespace solidtlm::testbench {
namespace {

std::string_view stripped(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

}  // namespace

std::vector<SpecItem> split_spec(std::string_view spec) {
    std::vector<SpecItem> items;
    for (std::string_view rest = spec;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view text = rest.substr(0, comma);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) {
            items.push_back({text, stripped(text.substr(0, equals)), stripped(text.substr(equals + 1))});
        } else {
            items.push_back({text, items.empty() ? "pattern" : "", stripped(text)});
        }
        if (comma == std::string_view::npos) {
            return items;
        }
        rest.remove_prefix(comma + 1);
    }
}

std::string_view value_of(const std::vector<SpecItem>& items, std::string_view key) {
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const SpecItem& item) { return item.key == key; });
    return found != items.end() ? found->value : std::string_view{};
}

std::string in_quotes(std::string_view text) {
    return "'" + std::string(text) + "'";
}

std::string unknown_key(std::string_view key, std::span<const std::string_view> known) {
    return "unknown key " + in_quotes(key) + did_you_mean(key, known) + "; known keys: " + join_names(known);
}

void throw_spec_errors(std::string_view spec, const std::vector<std::string>& errors) {
    if (errors.empty()) {
        return;
    }
    std::string text = "--workload " + in_quotes(spec) + ":";
    for (const std::string& error : errors) {
        text += "\n  " + error;
    }
    throw InputError(text);
}

}  // namespace solidtlm::testbench
