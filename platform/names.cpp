// SPDX-License-Identifier: Apache-2.0
#include "platform/names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>

#include "fw/hal/check.h"

namespace solidtlm::platform {
namespace {

using Letters = std::array<std::uint8_t, 256>;

/// How often each letter occurs. REQUIRES: at most 255 letters.
Letters letters_of(std::string_view word) {
    SOLIDTLM_CHECK(word.size() <= std::numeric_limits<std::uint8_t>::max(),
                   "the word has at most 255 letters");
    Letters count{};
    for (const char letter : word) {
        ++count[static_cast<std::uint8_t>(letter)];
    }
    return count;
}

/// A lower bound of the edit distance: a letter that one of the two has more often must be inserted or
/// deleted, one per edit, and swaps change no letter. `left` are the letters of `word`.
std::size_t least_edits(Letters left, std::string_view word, std::string_view name) {
    std::size_t common = 0;
    for (const char letter : name) {
        std::uint8_t& count = left[static_cast<std::uint8_t>(letter)];
        if (count > 0) {
            --count;
            ++common;
        }
    }
    return std::max(word.size(), name.size()) - common;
}

}  // namespace

std::string join_names(const Names& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> current(b.size() + 1);
    std::iota(previous.begin(), previous.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({replace, previous[j] + 1, current[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before[j - 2] + 1);
            }
        }
        std::swap(before, previous);
        std::swap(previous, current);
    }
    return previous[b.size()];
}

std::optional<std::string> nearest(std::string_view word, const Names& names) {
    constexpr std::size_t kLongestWord = 200;  // a longer word is no misspelt name
    if (word.size() > kLongestWord) {
        return std::nullopt;
    }
    const Letters letters = letters_of(word);
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
    const std::string* best = nullptr;
    for (const std::string& name : names) {
        const std::size_t longer = std::max(word.size(), name.size()) - std::min(word.size(), name.size());
        if (longer >= best_distance || least_edits(letters, word, name) >= best_distance) {
            continue;
        }
        const std::size_t distance = edit_distance(word, name);
        if (distance < best_distance) {
            best_distance = distance;
            best = &name;
        }
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string did_you_mean(const std::optional<std::string>& name) {
    return name ? "; did you mean " + *name + "?" : "";
}

}  // namespace solidtlm::platform
