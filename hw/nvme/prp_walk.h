// SPDX-License-Identifier: Apache-2.0
//
// The pages of a command's data, from PRP1, PRP2 and lists (NVMe 1.4, physical region page entry and list).
// It knows no bus: its user fetches the lists that it asks for.
//
// PRP1 begins anywhere at a dword; all other pages begin at their start. If the rest is more than a page,
// PRP2 points to a list, which may begin at any qword. The last qword of a list's page points to the next
// list if more than one page is left then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/nvme/registers.h"

namespace solidtlm::hw::nvme {

class PrpWalk {
  public:
    struct Piece {
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
    };
    /// What one command may have: its data may begin within a page.
    static constexpr std::uint32_t kMostEntries = kMostPages + 1;
    static constexpr std::uint32_t kEntryBytes = 8;
    static constexpr std::uint32_t kMostListBytes = kMostEntries * kEntryBytes;

    /// False: an offset is not allowed. REQUIRES: 0 < bytes <= kMostBytes.
    [[nodiscard]] bool begin(std::uint64_t prp1, std::uint64_t prp2, std::uint32_t bytes);

    /// A list, or another one, has to be fetched.
    [[nodiscard]] bool wants_list() const { return left_ > 0; }
    // REQUIRES of all: wants_list().
    [[nodiscard]] std::uint64_t list_address() const { return list_; }
    [[nodiscard]] std::uint32_t list_bytes() const;
    /// The contents of that list. False: an offset is not allowed.
    [[nodiscard]] bool take_list(std::span<const std::byte> entries);

    /// Where byte `offset` of the data lies, and the bytes that lie together from there on, at most `most`.
    /// REQUIRES: no list is wanted; offset < bytes.
    [[nodiscard]] Piece piece(std::uint32_t offset, std::uint32_t most) const;

  private:
    void add(std::uint64_t page) { pages_.at(count_++) = page; }

    std::array<std::uint64_t, kMostEntries> pages_{};
    std::uint32_t count_ = 0;
    std::uint32_t left_ = 0;  ///< pages that lists still have to name
    std::uint64_t list_ = 0;
    std::uint32_t bytes_ = 0;
};

}  // namespace solidtlm::hw::nvme
