// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/spec_items.h"

#include "platform/units.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

std::vector<SpecItem> split_spec(std::string_view spec, std::string_view first) {
    std::vector<SpecItem> items;
    for (const std::string_view text : platform::comma_separated(spec)) {
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) {
            items.push_back({text, platform::trimmed(text.substr(0, equals)),
                             platform::trimmed(text.substr(equals + 1))});
        } else {
            items.push_back({text, items.empty() ? first : "", platform::trimmed(text)});
        }
    }
    return items;
}

std::string_view value_of(const std::vector<SpecItem>& items, std::string_view key) {
    const auto found = std::ranges::find(items, key, &SpecItem::key);
    return found != items.end() ? platform::without_quotes(found->value) : std::string_view{};
}

void throw_spec_errors(std::string_view option, const Errors& errors) {
    std::string text;
    for (const std::string& error : errors) {
        text += (text.empty() ? "" : "\n") + std::string(option) + ": " + error;
    }
    if (!text.empty()) {
        throw InputError(text);
    }
}

std::string key_help(std::string_view name, std::string_view doc, std::string_view usual,
                     const std::string& allowed) {
    constexpr std::size_t kColumn = 13;
    std::string text(name);
    text.resize(std::max(kColumn, text.size() + 1), ' ');
    return text + std::string(doc) + " [" + std::string(usual) + "]; " + allowed + "\n";
}

}  // namespace solidtlm::testbench
