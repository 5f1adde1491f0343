// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of a page cross the bus for an operation. Pages are laid out codeword by codeword, each
// followed by its parity; the spare area's metadata comes last. A codeword can only be encoded or decoded as
// a whole, so pieces are widened to codewords; neighbours become one burst.
#pragma once

#include <cstdint>
#include <vector>

#include "fw/hal/flash.h"
#include "hw/nand/config.h"

namespace solidtlm::hw {

/// A contiguous run of bytes of one plane's register.
struct Burst {
    std::uint8_t plane_slot = 0;
    std::uint32_t bytes = 0;      ///< on the bus: data, parity, metadata
    std::uint32_t codewords = 0;  ///< 0 without ECC; metadata on its own counts as one
};

class BurstPlanner {
  public:
    explicit BurstPlanner(const NandConfig& config)
        : ecc_(config.ecc), page_bytes_(config.geometry.page_bytes), metadata_bytes_(config.metadata_bytes) {}

    /// Bursts of `op`, by plane and column. REQUIRES: pieces lie within the page.
    void plan(const hal::FlashOp& op, std::vector<Burst>& bursts);

  private:
    struct Extent {
        std::uint8_t plane_slot;
        std::uint32_t begin;
        std::uint32_t end;
    };
    [[nodiscard]] Burst burst_of(const Extent& extent) const;

    EccConfig ecc_;
    std::uint32_t page_bytes_;
    std::uint32_t metadata_bytes_;
    std::vector<Extent> extents_;
};

}  // namespace solidtlm::hw
