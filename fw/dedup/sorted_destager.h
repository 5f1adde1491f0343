// SPDX-License-Identifier: Apache-2.0
//
// Destaging with pages that are hashed before they are programmed (docs/dedup.md, "The write path").
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "fw/dedup/dedup.h"
#include "fw/page_map/destager.h"

namespace solidtlm::fw {

class SortedDestager : public Destager {
  public:
    SortedDestager(PageMap& pages, Dedup& dedup)
        : Destager(pages), dedup_(dedup), lanes_(pages.buffer.dirty().lists()) {}

  private:
    /// A superpage that is being filled, and where it will be.
    struct SortedBatch {
        Batch* batch = nullptr;  // null: none
        std::optional<Allocator::Reservation> reservation;
    };
    /// What is reserved for the pages of a dirty list.
    struct Lane {
        std::array<SortedBatch, kHostStreams.size()> open;  // by kind of page
        std::vector<Allocator::Reservation> reserved;  // for the next batches, in the order of the stripe
    };
    /// The page in `slot` equals the one in slot `leader`, and waits for its program to end.
    struct Follower {
        Slot leader;
        Slot slot;
    };
    /// There is room for `most` pages of dirty list `list`, of any kinds.
    struct Group {
        std::uint32_t list;
        std::uint32_t most;
    };

    Task<void> destage() override;
    [[nodiscard]] std::uint32_t held() const override { return held_; }
    Task<void> ended(Batch& batch) override;

    std::uint32_t make_room(std::uint32_t list);
    [[nodiscard]] std::uint32_t room(std::uint32_t list, std::size_t kind) const;
    [[nodiscard]] std::uint32_t most_superpages(std::uint32_t list, std::uint32_t pages) const;
    bool write_open_batches(const Demand& demand);
    void write_open(SortedBatch& open, hal::Reason reason);
    void cancel_reservations();
    Task<void> sort(Group chosen);
    void bring_sample_forward(std::span<Slot> slots) const;
    Task<bool> sort_slot(Slot slot, bool hashed, std::uint32_t list, Batch& group);
    Task<bool> share_slot(Slot slot, KnownPage known, Ledger* ledger);
    void place(Slot slot, std::uint32_t list, Stream stream, const Ledger& ledger);
    void tell_held();
    Task<void> written_when_noted(Slot slot);

    Dedup& dedup_;
    std::vector<Lane> lanes_;  // by dirty list
    std::vector<Follower> followers_;
    std::uint32_t held_ = 0;        // reservations, including those of open batches
    std::uint32_t open_slots_ = 0;  // in open batches
};

}  // namespace solidtlm::fw
