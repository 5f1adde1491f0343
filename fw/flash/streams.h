// SPDX-License-Identifier: Apache-2.0
//
// The streams of the data area: who writes superpages, each into superblocks of its own. A stream is a row of
// kStreams; allocation, the boot's search and what the spare area says follow from it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace solidtlm::fw {

/// What a page is, in its spare area. `host_apart`: of the host's second stream.
enum class PageKind : std::uint8_t {
    host = 1,
    gc = 2,
    map = 3,
    checkpoint = 4,
    journal = 5,
    host_apart = 6,
};

enum class Stream : std::uint8_t { host, gc, host_apart, cache };

struct StreamTraits {
    PageKind kind;       ///< of its pages
    bool of_host;        ///< it takes reserved superpages, and leaves the reserve alone
    bool slc = false;    ///< its superblocks are in SLC mode
    bool apart = false;  ///< only where the destager sets pages apart
};
/// By Stream.
constexpr std::array<StreamTraits, 4> kStreams{{
    {.kind = PageKind::host, .of_host = true},
    {.kind = PageKind::gc, .of_host = false},
    {.kind = PageKind::host_apart, .of_host = true, .apart = true},
    {.kind = PageKind::host, .of_host = true, .slc = true},
}};
constexpr const StreamTraits& traits_of(Stream stream) {
    return kStreams[static_cast<std::size_t>(stream)];
}

constexpr bool is_of_host_in_normal_mode(const StreamTraits& traits) {
    return traits.of_host && !traits.slc;
}
/// Those of the host that are in normal mode.
constexpr auto kHostStreams = [] {
    std::array<Stream, std::ranges::count_if(kStreams, is_of_host_in_normal_mode)> streams{};
    auto next = streams.begin();
    for (std::size_t i = 0; i < kStreams.size(); ++i) {
        if (is_of_host_in_normal_mode(kStreams[i])) {
            *next++ = static_cast<Stream>(i);
        }
    }
    return streams;
}();

/// Is a page of this kind one of the data area?
constexpr bool is_of_data(PageKind kind) {
    return std::ranges::any_of(kStreams, [kind](const StreamTraits& traits) { return traits.kind == kind; });
}

}  // namespace solidtlm::fw
