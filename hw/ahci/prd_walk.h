// SPDX-License-Identifier: Apache-2.0
//
// The physical region descriptor table of a command, taken entry by entry (AHCI 1.3.1, section 4.2.3.3). It
// knows no bus: its user fetches the entries that it asks for.
//
// A byte count that is odd is taken as it stands (the standard wants even ones); bit 0 of an address is 0.
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

    /// Begins with the `entries` entries in the command table at `command_table`, from byte `offset` of
    /// their data on.
    void begin(std::uint64_t command_table, std::uint32_t entries, std::uint32_t offset);

    /// An entry has to be fetched before there is a next piece.
    [[nodiscard]] bool wants_entry() const { return left_ == 0 && next_ < entries_; }
    /// Address of that entry. REQUIRES: wants_entry().
    [[nodiscard]] std::uint64_t entry_address() const;
    /// The contents of that entry. REQUIRES: wants_entry().
    void take_entry(std::span<const std::byte, kPrdBytes> entry);
    /// Nothing is left.
    [[nodiscard]] bool exhausted() const { return left_ == 0 && next_ == entries_; }

    /// The next bytes that lie together, at most `at_most`. REQUIRES: an entry is there; at_most > 0.
    Piece next(std::uint32_t at_most);
    /// The piece was the end of an entry that asks for an interrupt.
    [[nodiscard]] bool interrupts() const { return left_ == 0 && interrupt_; }

  private:
    std::uint64_t table_ = 0;
    std::uint32_t entries_ = 0;
    std::uint32_t next_ = 0;
    std::uint32_t skip_ = 0;  // bytes before the first piece
    std::uint64_t address_ = 0;
    std::uint32_t left_ = 0;  // of the entry
    bool interrupt_ = false;
};

}  // namespace solidtlm::hw::ahci
