// SPDX-License-Identifier: Apache-2.0
//
// Counters of a block-mapped layer, for `BlockMap` and `UntimedBlocks`. All are pages or blocks as
// docs/block-map.md defines them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace solidtlm::fw {

enum class PageWriteKind : std::uint8_t {
    write_data,   ///< into the page's own place in a data block, or any write of a layer without such places
    update_pure,  ///< elsewhere, because the page has data or its own place has been used up
    update_wasted,  ///< elsewhere, because its own place is empty but lies below a programmed one
};

enum class MergeKind : std::uint8_t {
    drop,      ///< no page in it has data: the block is erased without copies
    switched,  ///< a log block becomes the data block as it is
    partial,   ///< a log block becomes the data block once the pages it lacks have been copied into it
    full,      ///< all pages are copied to an erased block
};
constexpr std::size_t kMergeKinds = 4;

struct BlockCounters {
    // Pages programmed for the host.
    std::uint64_t write_data = 0;
    std::uint64_t update_pure = 0;
    std::uint64_t update_pure_unused_place = 0;  ///< part of update_pure: the page's own place is empty
    std::uint64_t update_wasted = 0;

    std::array<std::uint64_t, kMergeKinds> merges{};  ///< by MergeKind
    std::uint64_t merge_reads = 0;                    ///< pages read for merges
    std::uint64_t merge_programs = 0;                 ///< pages copied
    std::uint64_t erases = 0;                         ///< blocks

    [[nodiscard]] std::uint64_t host_programs() const { return write_data + update_pure + update_wasted; }
    [[nodiscard]] std::uint64_t programs() const { return host_programs() + merge_programs; }
    [[nodiscard]] std::uint64_t of(MergeKind kind) const { return merges[static_cast<std::size_t>(kind)]; }

    /// `unused_place`: see update_pure_unused_place.
    void count(PageWriteKind kind, bool unused_place) {
        switch (kind) {
            case PageWriteKind::write_data:
                ++write_data;
                break;
            case PageWriteKind::update_pure:
                ++update_pure;
                update_pure_unused_place += unused_place ? 1U : 0U;
                break;
            case PageWriteKind::update_wasted:
                ++update_wasted;
                break;
        }
    }
    /// Counts a merge when it is decided on; its reads, programs and erases are counted when they happen.
    void count(MergeKind kind) { ++merges[static_cast<std::size_t>(kind)]; }
};

}  // namespace solidtlm::fw
