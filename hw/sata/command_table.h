// SPDX-License-Identifier: Apache-2.0
//
// The commands that are outstanding, by tag, and the slots they live in (ACS-3 4.16.1).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "fw/hal/probe.h"
#include "hw/sata/command_layer.h"
#include "hw/sata/slot.h"

namespace solidtlm::hw {

class CommandTable {
  public:
    static constexpr std::uint32_t kAllTags = ~std::uint32_t{0};
    static constexpr std::uint32_t bit_of(std::uint8_t tag) { return std::uint32_t{1} << tag; }

    /// Null: nobody watches.
    void set_probe(hal::Probe* probe) { probe_ = probe; }

    /// An empty slot.
    Slot& take();
    /// The slot's command is outstanding from now on.
    void enter(Slot& slot);
    /// Nobody needs the slot any more. A queued command stays outstanding until told().
    void free(Slot& slot);
    /// The host has been told the end of these queued commands.
    void told(std::uint32_t tags) { sactive_ &= ~tags; }
    /// Nothing is outstanding; `end(Slot&)` of each command that was, none of which has its tag any more.
    template <class End>
    void forget_all(End end);
    /// Power is gone: all slots are empty.
    void clear();
    /// Tells the probe what is outstanding.
    void tell() const;

    /// Accepted under `tag` (ata::kNoTag: non-queued) and not completed, or null.
    [[nodiscard]] Slot* at(std::uint8_t tag) const { return by_tag_[tag]; }
    /// A non-queued command is outstanding.
    [[nodiscard]] bool non_queued() const { return at(ata::kNoTag) != nullptr; }
    /// Queued commands whose end the host has not been told.
    [[nodiscard]] std::uint32_t sactive() const { return sactive_; }
    [[nodiscard]] std::uint32_t outstanding() const {
        return static_cast<std::uint32_t>(std::popcount(sactive_)) + (non_queued() ? 1U : 0U);
    }
    [[nodiscard]] std::size_t slots_in_use() const { return slots_.size() - free_.size(); }

  private:
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<Slot*> free_;
    std::array<Slot*, ata::kTags + 1> by_tag_{};  // the last: the non-queued command
    std::uint32_t sactive_ = 0;
    hal::Probe* probe_ = nullptr;
};

template <class End>
void CommandTable::forget_all(End end) {
    for (Slot*& entry : by_tag_) {
        if (entry != nullptr) {
            Slot& slot = *entry;
            entry = nullptr;
            end(slot);
        }
    }
    sactive_ = 0;
    tell();
}

}  // namespace solidtlm::hw
