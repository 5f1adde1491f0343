// SPDX-License-Identifier: Apache-2.0
//
// Finds the slot with the newest version of a logical page: a hash table, chained through the slots.
#pragma once

#include <bit>
#include <vector>

#include "fw/buffer/slot.h"
#include "fw/drive/layout.h"

namespace solidtlm::fw {

class SlotIndex {
  public:
    explicit SlotIndex(std::size_t slots)
        : nodes_(slots),
          buckets_(std::bit_ceil(slots * 2), kNoSlot),
          shift_(32U - static_cast<unsigned>(std::bit_width(buckets_.size()) - 1)) {}

    [[nodiscard]] Slot find(Lpn lpn) const {
        Slot slot = buckets_[bucket(lpn)];
        while (slot != kNoSlot && nodes_[slot.value].lpn != lpn) {
            slot = nodes_[slot.value].next;
        }
        return slot;
    }
    void insert(Slot slot, Lpn lpn) {
        Slot& head = buckets_[bucket(lpn)];
        Node& node = nodes_[slot.value];
        node.lpn = lpn;  // by member: assigning a whole node would copy a temporary
        node.next = head;
        node.indexed = true;
        head = slot;
    }
    /// Has no effect if the slot is no longer in the table.
    void remove(Slot slot) {
        Node& node = nodes_[slot.value];
        if (!node.indexed) {
            return;
        }
        Slot* link = &buckets_[bucket(node.lpn)];
        while (*link != slot) {
            link = &nodes_[link->value].next;
        }
        *link = node.next;
        node.indexed = false;
    }

  private:
    struct Node {
        Lpn lpn{kNoLpn};
        Slot next{kNoSlot};
        bool indexed = false;
    };
    [[nodiscard]] std::size_t bucket(Lpn lpn) const { return (lpn.value * 0x9E3779B1U) >> shift_; }

    std::vector<Node> nodes_;  // by slot
    std::vector<Slot> buckets_;
    unsigned shift_;
};

}  // namespace solidtlm::fw
