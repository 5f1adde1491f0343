// SPDX-License-Identifier: Apache-2.0
//
// A new flash array that is put into the state of a used one, without operations and without time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fw/hal/types.h"

namespace solidtlm::hal {

/// The state of a block in normal mode.
struct BlockImage {
    std::uint32_t erases = 0;
    std::uint32_t pages = 0;  ///< the first ones, which are programmed
    /// Metadata of the programmed pages, one after the other: of each, all that the flash keeps.
    std::span<const std::byte> spare{};
    /// Contents of the programmed pages, one after the other: content_bytes(mode, page) of each. Empty in
    /// content mode none.
    std::span<const std::byte> content{};
};

class FlashImage {
  public:
    virtual ~FlashImage() = default;
    /// The page of `block` is ignored. REQUIRES: the block is as it left the factory.
    virtual void put(const FlashAddress& block, const BlockImage& image) = 0;
};

}  // namespace solidtlm::hal
