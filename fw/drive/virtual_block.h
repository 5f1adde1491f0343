// SPDX-License-Identifier: Apache-2.0
//
// Names of pages that several logical pages share (CAFTL, FAST 2011; docs/dedup.md). On a drive with virtual
// blocks, map entries and the LPNs in spare areas from kFirstVirtual on stand for these; kUnmapped, kNoLpn
// and MapUpdate::kAnyPpa lie above all of them. On a drive without, every number may be that of a page.
#pragma once

#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

using VirtualBlock = hal::Index<struct VirtualBlockTag, std::uint32_t>;

constexpr std::uint32_t kFirstVirtual = 0x8000'0000;
constexpr std::uint32_t kMostVirtual = 0x7FFF'FF00;  ///< virtual blocks at most

/// DRAM of one virtual block: place, references, and chain and bucket to find it by its place.
constexpr std::uint32_t kSharedPageBytes = 16;

/// Does the map entry name one of the drive's `blocks` virtual blocks?
constexpr bool is_shared(Ppa entry, std::uint32_t blocks) {
    return entry.value >= kFirstVirtual && entry.value - kFirstVirtual < blocks;
}
/// Does the name in a spare area?
constexpr bool is_shared(Lpn name, std::uint32_t blocks) {
    return is_shared(Ppa{name.value}, blocks);
}
constexpr Ppa entry_of(VirtualBlock block) {
    return Ppa{kFirstVirtual + block.value};
}
/// What the spare area of a shared page carries once collection has moved it.
constexpr Lpn name_of(VirtualBlock block) {
    return Lpn{kFirstVirtual + block.value};
}
/// REQUIRES: `entry` names a virtual block.
constexpr VirtualBlock block_of(Ppa entry) {
    SOLIDTLM_CHECK(is_shared(entry, kMostVirtual), "an entry that names a virtual block");
    return VirtualBlock{entry.value - kFirstVirtual};
}
constexpr VirtualBlock block_of(Lpn name) {
    return block_of(Ppa{name.value});
}

}  // namespace solidtlm::fw
