// SPDX-License-Identifier: Apache-2.0
//
// The transfers of one operation: over the bus, through ECC, to or from DRAM. They are computed once, in one
// pass over the operation's pieces. Pages are laid out codeword by codeword, each followed by its parity; the
// spare area's metadata comes last. A codeword can only be encoded or decoded as a whole, so pieces are
// widened to codewords; neighbours become one burst.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/hal/flash.h"
#include "hw/nand/config.h"

namespace solidtlm::hw {

/// A contiguous run of bytes of one page's register.
struct Burst {
    std::uint8_t plane_slot = 0;  ///< index into FlashOp::address
    std::uint32_t bytes = 0;      ///< data, parity and metadata on the bus
    std::uint32_t codewords = 0;  ///< 0 without ECC; metadata by itself counts as one
};

/// One contiguous DRAM access of an operation.
struct DramAccess {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::size_t offset = 0;  ///< of its data within the contents of all pieces, one after the other
    Ps end{0};
    Ps transfer{0};
};

struct PageGroup {
    std::vector<Burst> bursts;                                         ///< by page and column
    std::array<std::uint32_t, hal::kMaxPagesPerOp + 1> first_burst{};  ///< of each page, and the end
    std::uint32_t codewords = 0;                                       ///< of all bursts
    std::size_t content_bytes = 0;                                     ///< of all pieces
    std::vector<DramAccess> accesses;                                  ///< in order of the pieces

    [[nodiscard]] std::span<const Burst> of_page(std::size_t slot) const {
        return std::span(bursts).subspan(first_burst[slot], first_burst[slot + 1] - first_burst[slot]);
    }
};

class PagePlanner {
  public:
    PagePlanner(const NandConfig& config, hal::Channel channel);

    /// Fills `group` with the transfers of `op`, none of whose planes has failed. Returns null, or the reason
    /// why `op` cannot be sent to a die.
    const char* plan(const hal::FlashOp& op, PageGroup& group);
    /// Computes the DRAM accesses again, without planes that failed.
    void plan_accesses(const hal::FlashOp& op, PageGroup& group) const;

  private:
    struct Extent {
        std::uint8_t plane_slot;
        std::uint32_t begin;
        std::uint32_t end;
    };
    [[nodiscard]] const char* fault_of(const hal::FlashOp& op) const;
    [[nodiscard]] bool lies_within(const hal::FlashPiece& piece, const hal::FlashOp& op) const;
    void add(const hal::FlashOp& op, const hal::FlashPiece& piece, PageGroup& group) const;
    [[nodiscard]] Extent widened(const hal::FlashPiece& piece) const;
    void make_bursts(const hal::FlashOp& op, PageGroup& group) const;

    NandGeometry geometry_;
    EccConfig ecc_;
    hal::ContentMode content_;
    std::uint32_t metadata_bytes_;
    hal::Channel channel_;
    std::vector<Extent> extents_;  ///< extents of the present operation
};

}  // namespace solidtlm::hw
