// SPDX-License-Identifier: Apache-2.0
//
// Which sectors of a write belong to which of its content identities.
//
// A write with known contents has one identity per 4 KiB block of contents, in order. The first and the last
// block may be fragments, shorter than 4 KiB. Sector i of a block or fragment has content i of its identity,
// counted from the fragment's beginning. So equal identities with equal lengths mean equal contents, wherever
// they are, and a fragment is not part of a whole block. (Hashes of different lengths are never equal; if a
// source gives them one identity, the shorter is the beginning of the longer.)
//
// The source decides where blocks begin: at multiples of 4 KiB of the device (aligned_to()), or at the
// request's own address (the default).
#pragma once

#include <cstddef>
#include <cstdint>

#include "fw/hal/check.h"

namespace solidtlm::testbench {

constexpr std::uint32_t kIdentitySectors = 8;  ///< 4 KiB

struct ContentLayout {
    /// sectors of the first identity, 1-8: fewer than 8 for a fragment
    std::uint32_t first_sectors = kIdentitySectors;
    /// index of the first sector in its block; nonzero after a cut through a block
    std::uint32_t first_index = 0;

    /// The layout of a request at this address, with blocks aligned to the device.
    [[nodiscard]] static constexpr ContentLayout aligned_to(std::uint64_t lba) {
        return {kIdentitySectors - static_cast<std::uint32_t>(lba % kIdentitySectors), 0};
    }

    struct Place {
        std::size_t identity = 0;  ///< index among the request's identities, from 0
        std::uint32_t index = 0;   ///< index of the sector in its block or fragment
        /// sectors from this one to the end of the block; the request may end earlier
        std::uint32_t left = 0;
    };
    /// The place of a sector, counted from the first sector of the request.
    [[nodiscard]] constexpr Place place(std::uint64_t sector) const {
        if (sector < first_sectors) {
            const auto done = static_cast<std::uint32_t>(sector);
            return {0, first_index + done, first_sectors - done};
        }
        const std::uint64_t behind = sector - first_sectors;
        const auto index = static_cast<std::uint32_t>(behind % kIdentitySectors);
        return {1 + static_cast<std::size_t>(behind / kIdentitySectors), index, kIdentitySectors - index};
    }

    /// Number of identities of a request with this many sectors. REQUIRES: at least one sector.
    [[nodiscard]] constexpr std::size_t identities(std::uint64_t sectors) const {
        SOLIDTLM_CHECK(sectors > 0, "at least one sector");
        return place(sectors - 1).identity + 1;
    }

    /// The layout of the part after the first `sectors` sectors; its first identity is
    /// place(sectors).identity.
    [[nodiscard]] constexpr ContentLayout behind(std::uint64_t sectors) const {
        const Place first = place(sectors);
        return {first.left, first.index};
    }

    friend constexpr bool operator==(const ContentLayout&, const ContentLayout&) = default;
};

}  // namespace solidtlm::testbench
