// SPDX-License-Identifier: Apache-2.0
//
// Tags of sectors that lie side by side, in one word. A drive's sectors are mostly written eight at a time,
// and what writes them gives them identities that follow each other: eight of them then take as much memory
// as one alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace solidtlm::hw {

/// Sectors of a run: those of 4 KiB.
inline constexpr std::size_t kRunSectors = 8;

using RunTags = std::array<std::uint64_t, kRunSectors>;

/// Tag of sector `index` of a run whose tags follow each other. `first` 0: all sectors are zeros.
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

/// The same as content of a sector after the other.
inline void expand_run(std::uint64_t first, std::byte* content) {
    for (std::size_t i = 0; i < kRunSectors; ++i) {
        const std::uint64_t tag = tag_in_run(first, i);
        std::memcpy(content + i * sizeof tag, &tag, sizeof tag);
    }
}

/// Whether the first of them tells them all.
[[nodiscard]] constexpr bool follow_each_other(const RunTags& tags) {
    std::uint64_t differences = 0;
    for (std::size_t i = 1; i < kRunSectors; ++i) {
        differences |= tags[i] ^ tag_in_run(tags[0], i);
    }
    return differences == 0;
}

}  // namespace solidtlm::hw
