// SPDX-License-Identifier: Apache-2.0
#include "platform/configuration_keys.h"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <set>
#include <sstream>

#include "platform/configuration_values.h"
#include "platform/edit_distance.h"
#include "platform/units.h"

namespace solidtlm::platform {
namespace {

std::string_view leaf(std::string_view path) {
    return path.substr(path.rfind('.') + 1);  // npos + 1 == 0
}

std::string number_text(double value) {
    std::ostringstream out;
    out << std::setprecision(12) << value;
    return out.str();
}

}  // namespace

std::string Key::range() const {
    const std::string low = std::to_string(limits.integer_low);
    const std::string high = std::to_string(limits.integer_high);
    switch (kind) {
        case ValueKind::boolean:
            return "true or false";
        case ValueKind::integer:
            return "integer from " + low + " to " + high;
        case ValueKind::number:
            return "number from " + number_text(limits.number_low) + " to " + number_text(limits.number_high);
        case ValueKind::size:
            return "size from " + format_size(static_cast<std::uint64_t>(limits.integer_low)) + " to " +
                   format_size(static_cast<std::uint64_t>(limits.integer_high));
        case ValueKind::duration:
            return "duration from " + format_duration(hal::Ps{limits.integer_low}) + " to " +
                   format_duration(hal::Ps{limits.integer_high});
        case ValueKind::duration_list:
            return "1 to " + std::to_string(kMaxListEntries) + " durations from " +
                   format_duration(hal::Ps{limits.integer_low}) + " to " +
                   format_duration(hal::Ps{limits.integer_high});
        case ValueKind::choice: {
            std::string names;
            for (const std::string_view name : std::get<ChoiceField>(field).names) {
                names += (names.empty() ? "one of " : ", ") + std::string(name);
            }
            return names;
        }
        case ValueKind::text:
            return "text of " + (low == high ? low : low + " to " + high) + " printable ASCII characters";
    }
    return {};
}

std::string Key::allowed() const {
    switch (kind) {
        case ValueKind::size:
            return range() + ", bytes or a string such as \"16MiB\"";
        case ValueKind::duration:
            return range() + ", a string with unit such as \"50us\"";
        case ValueKind::duration_list:
            return range() + ", such as [\"50us\", \"75us\"]";
        default:
            return range();
    }
}

const Key* find_key(std::string_view path) {
    const auto found = std::ranges::find(keys(), path, &Key::path);
    return found == keys().end() ? nullptr : &*found;
}

bool is_group(std::string_view path) {
    return std::ranges::any_of(keys(), [path](const Key& key) {
        return key.path.size() > path.size() && key.path.starts_with(path) && key.path[path.size()] == '.';
    });
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t kLongestWord = 200;  // nobody means one of our names with more
    if (word.size() > kLongestWord) {
        return std::nullopt;
    }
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
    std::optional<std::string> best;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::optional<std::string> nearest_key(std::string_view path, bool groups) {
    std::set<std::string> groups_seen;
    std::vector<std::string> names;
    std::vector<std::string> same_leaf;
    for (const Key& key : keys()) {
        for (std::size_t dot = key.path.find('.'); dot != std::string_view::npos;
             dot = key.path.find('.', dot + 1)) {
            groups_seen.emplace(key.path.substr(0, dot));
        }
        if (!groups) {
            names.emplace_back(key.path);
        }
    }
    if (groups) {
        names.assign(groups_seen.begin(), groups_seen.end());
    }
    for (const std::string& name : names) {
        if (leaf(name) == leaf(path)) {
            same_leaf.push_back(name);
        }
    }
    if (same_leaf.size() == 1) {  // right name, wrong table
        return same_leaf.front();
    }
    if (auto close = nearest(path, names)) {
        return close;
    }
    std::vector<std::string> leaves;
    leaves.reserve(names.size());
    for (const std::string& name : names) {
        leaves.emplace_back(leaf(name));
    }
    const auto close_leaf = nearest(leaf(path), leaves);  // nearly the right name, wrong table
    if (!close_leaf || leaf(path).size() < 4) {
        return std::nullopt;
    }
    return *std::ranges::find_if(names, [&](const std::string& name) { return leaf(name) == *close_leaf; });
}

}  // namespace solidtlm::platform
