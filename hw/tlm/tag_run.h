// SPDX-License-Identifier: Apache-2.0
//
// Keeps the tags of eight neighbouring sectors in one word. Most writes come in multiples of eight sectors,
// and the writer gives neighbouring sectors consecutive identities: eight such tags take as much memory as
// one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace solidtlm::hw {

/// Sectors of a run: 4 KiB.
inline constexpr std::size_t kRunSectors = 8;

using RunTags = std::array<std::uint64_t, kRunSectors>;

/// Tag of sector `index` of a run with consecutive tags. `first` 0: all sectors are zeros.
[[nodiscard]] constexpr std::uint64_t tag_in_run(std::uint64_t first, std::size_t index) {
    return first == 0 ? 0 : first + index;
}

[[nodiscard]] constexpr RunTags expand_run(std::uint64_t first) {
    RunTags tags{};
    for (std::size_t i = 0; i < kRunSectors; ++i) {
        tags[i] = tag_in_run(first, i);
    }
    return tags;
}

/// Writes the tags of a run to `content`, one sector after the other.
inline void expand_run(std::uint64_t first, std::byte* content) {
    for (std::size_t i = 0; i < kRunSectors; ++i) {
        const std::uint64_t tag = tag_in_run(first, i);
        std::memcpy(content + i * sizeof tag, &tag, sizeof tag);
    }
}

/// True if the first tag determines the others.
[[nodiscard]] constexpr bool follow_each_other(const RunTags& tags) {
    std::uint64_t differences = 0;
    for (std::size_t i = 1; i < kRunSectors; ++i) {
        differences |= tags[i] ^ tag_in_run(tags[0], i);
    }
    return differences == 0;
}

}  // namespace solidtlm::hw
