// SPDX-License-Identifier: Apache-2.0
//
// Walks through the physical region descriptor table of a command, entry by entry (AHCI 1.3.1, section
// 4.2.3.3). It does not access memory: its user fetches the entries.
//
// An odd byte count is used as it is (the standard wants even ones); bit 0 of an address is taken as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/ahci/registers.h"

namespace solidtlm::hw::ahci {

class PrdWalk {
  public:
    struct Piece {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
    };

    /// Begins with the `entries` entries of the command table at `command_table`, at byte `offset` of their
    /// data.
    void begin(std::uint64_t command_table, std::uint32_t entries, std::uint32_t offset);

    /// True if an entry must be fetched before the next piece.
    [[nodiscard]] bool wants_entry() const { return left_ == 0 && next_ < entries_; }
    /// Address of the entry to fetch. REQUIRES: wants_entry().
    [[nodiscard]] std::uint64_t entry_address() const;
    /// Takes the fetched entry. REQUIRES: wants_entry().
    void take_entry(std::span<const std::byte, kPrdBytes> entry);
    /// True if no piece is left.
    [[nodiscard]] bool exhausted() const { return left_ == 0 && next_ == entries_; }

    /// The next contiguous piece, of at most `at_most` bytes. REQUIRES: wants_entry() and exhausted() are
    /// false; at_most > 0.
    Piece next(std::uint32_t at_most);
    /// True if the last piece ended an entry that requests an interrupt.
    [[nodiscard]] bool interrupts() const { return left_ == 0 && interrupt_; }

  private:
    std::uint64_t table_ = 0;
    std::uint32_t entries_ = 0;
    std::uint32_t next_ = 0;
    std::uint32_t skip_ = 0;  // bytes to skip before the first piece
    std::uint64_t address_ = 0;
    std::uint32_t left_ = 0;  // bytes left in the present entry
    bool interrupt_ = false;
};

}  // namespace solidtlm::hw::ahci
