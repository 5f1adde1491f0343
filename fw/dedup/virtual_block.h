// SPDX-License-Identifier: Apache-2.0
//
// Names of pages that several logical pages share (CAFTL, FAST 2011; docs/dedup.md). On a drive with virtual
// blocks, map entries and LPNs in spare areas from kFirstVirtual on denote virtual blocks; kUnmapped, kNoLpn
// and MapUpdate::kAnyPpa lie above all of them. On a drive without, every number may denote a page.
#pragma once

#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

using VirtualBlock = hal::Index<struct VirtualBlockTag, std::uint32_t>;

constexpr std::uint32_t kFirstVirtual = 0x8000'0000;
constexpr std::uint32_t kMostVirtual = DedupConfig::kMostSharedPages;

/// True if the map entry denotes one of the drive's `blocks` virtual blocks.
constexpr bool is_shared(Ppa entry, std::uint32_t blocks) {
    return entry.value >= kFirstVirtual && entry.value - kFirstVirtual < blocks;
}
/// True if the LPN in a spare area denotes one of the drive's `blocks` virtual blocks.
constexpr bool is_shared(Lpn name, std::uint32_t blocks) {
    return is_shared(Ppa{name.value}, blocks);
}
constexpr Ppa entry_of(VirtualBlock block) {
    return Ppa{kFirstVirtual + block.value};
}
/// The LPN that the spare area of a shared page carries after collection has moved the page.
constexpr Lpn name_of(VirtualBlock block) {
    return Lpn{kFirstVirtual + block.value};
}
/// REQUIRES: `entry` denotes a virtual block.
constexpr VirtualBlock block_of(Ppa entry) {
    SOLIDTLM_CHECK(is_shared(entry, kMostVirtual), "the entry denotes a virtual block");
    return VirtualBlock{entry.value - kFirstVirtual};
}
constexpr VirtualBlock block_of(Lpn name) {
    return block_of(Ppa{name.value});
}

}  // namespace solidtlm::fw
