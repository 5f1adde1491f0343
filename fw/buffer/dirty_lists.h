// SPDX-License-Identifier: Apache-2.0
//
// The order in which slots are written: lists, oldest slot first, linked through the slots.
#pragma once

#include <cstdint>
#include <vector>

#include "fw/buffer/slot.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

/// Which of several dirty lists a version of a logical page belongs to (static allocation: one per parallel
/// unit; where long writes go past the SLC cache: one for them, and one for the others).
class DestageOrder {
  public:
    virtual ~DestageOrder() = default;
    [[nodiscard]] virtual std::uint32_t lists() const = 0;
    [[nodiscard]] virtual std::uint32_t list_of(hal::Lpn lpn, bool past_cache) const = 0;
};

class DirtyLists {
  public:
    DirtyLists(const DestageOrder& order, std::size_t slots)
        : order_(order), links_(slots), lists_(order.lists()) {}

    [[nodiscard]] std::uint32_t lists() const { return static_cast<std::uint32_t>(lists_.size()); }
    [[nodiscard]] std::uint32_t count(std::uint32_t list) const { return lists_[list].count; }

    void push_back(Slot slot, hal::Lpn lpn, bool past_cache) {
        const std::uint32_t number = lists_.size() == 1 ? 0 : order_.list_of(lpn, past_cache);
        List& list = lists_[number];
        Links& links = links_[slot.value];
        links.previous = list.last;
        links.next = kNoSlot;
        links.list = number;
        (list.last != kNoSlot ? links_[list.last.value].next : list.first) = slot;
        list.last = slot;
        ++list.count;
    }
    void push_front(Slot slot, hal::Lpn lpn, bool past_cache) {
        const std::uint32_t number = order_.list_of(lpn, past_cache);
        List& list = lists_[number];
        links_[slot.value] = Links{kNoSlot, list.first, number};
        (list.first != kNoSlot ? links_[list.first.value].previous : list.last) = slot;
        list.first = slot;
        ++list.count;
    }
    /// Puts `newer` in the place of `older`.
    void replace(Slot older, Slot newer) {
        links_[newer.value] = links_[older.value];
        join_neighbours(older, newer, newer);
    }
    /// Removes and returns the oldest slot. REQUIRES: count(list) > 0.
    Slot pop_front(std::uint32_t list) {
        List& from = lists_[list];
        SOLIDTLM_CHECK(from.count > 0, "the list is not empty");
        const Slot slot = from.first;
        from.first = links_[slot.value].next;
        (from.first != kNoSlot ? links_[from.first.value].previous : from.last) = kNoSlot;
        --from.count;
        return slot;
    }
    void remove(Slot slot) {
        const Links& links = links_[slot.value];
        join_neighbours(slot, links.next, links.previous);
        --lists_[links.list].count;
    }

  private:
    struct Links {
        Slot previous{kNoSlot};
        Slot next{kNoSlot};
        std::uint32_t list = 0;
    };
    struct List {
        Slot first{kNoSlot};
        Slot last{kNoSlot};
        std::uint32_t count = 0;
    };
    /// Links the predecessor of `slot` to `next`, and its successor to `previous`.
    void join_neighbours(Slot slot, Slot next, Slot previous) {
        const Links& links = links_[slot.value];
        List& list = lists_[links.list];
        (links.previous != kNoSlot ? links_[links.previous.value].next : list.first) = next;
        (links.next != kNoSlot ? links_[links.next.value].previous : list.last) = previous;
    }

    const DestageOrder& order_;
    std::vector<Links> links_;  // by slot
    std::vector<List> lists_;
};

}  // namespace solidtlm::fw
