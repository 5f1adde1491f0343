// SPDX-License-Identifier: Apache-2.0
//
// The contents of the DRAM: hal::content_stride() bytes per sector, one sector after the other without gaps.
// The system provides the memory zeroed, page by page on first touch; an untouched store costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fw/hal/types.h"
#include "fw/hal/zeroed_memory.h"

namespace solidtlm::hw {

class ContentStore {
  public:
    /// REQUIRES: modelled_bytes is a multiple of 512.
    ContentStore(hal::ContentMode mode, std::uint64_t modelled_bytes);

    /// Can the range have content of its own? With tags, only if it consists of whole sectors.
    [[nodiscard]] bool aligned(hal::DramAddress address, std::uint64_t bytes) const;
    /// Content at `address`; null in mode none. The pointer stays valid over forget().
    [[nodiscard]] std::byte* at(hal::DramAddress address);
    /// Bytes of content in total; 0 in mode none.
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Copies the content of `bytes` modelled bytes. REQUIRES: within the store, aligned. Mode none: copies
    /// nothing.
    void read(hal::DramAddress address, std::uint64_t bytes, void* to);
    void write(hal::DramAddress address, std::uint64_t bytes, const void* from);
    /// Sets everything to zero.
    void forget();

  private:
    [[nodiscard]] std::size_t stored(std::uint64_t modelled) const {
        return static_cast<std::size_t>(mode_ == hal::ContentMode::bytes
                                            ? modelled
                                            : modelled / hal::kSectorBytes * hal::content_stride(mode_));
    }

    [[nodiscard]] bool holds(hal::DramAddress address, std::uint64_t bytes) const {
        return aligned(address, bytes) && stored(address.value + bytes) <= size_;
    }

    hal::ContentMode mode_;
    std::size_t size_;
    hal::ZeroedMemory<std::byte> memory_;
};

}  // namespace solidtlm::hw
