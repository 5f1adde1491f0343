// SPDX-License-Identifier: Apache-2.0
//
// The table of outstanding commands, by tag, and the slots that hold them (ACS-3 4.16.1).
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

    /// Null: no recorder watches.
    void set_probe(hal::Probe* probe) { probe_ = probe; }

    /// An empty slot.
    Slot& take();
    /// The slot's command is outstanding from now on.
    void enter(Slot& slot);
    /// Frees the slot for another command. A queued command stays outstanding until mark_reported().
    void free(Slot& slot);
    /// The host has been told that these queued commands have ended.
    void mark_reported(std::uint32_t tags) { state_.sactive &= ~tags; }
    /// Forgets all outstanding commands. Calls `end(Slot&)` for each, after it has lost its tag.
    template <class End>
    void forget_all(End end);
    /// Empties all slots: power is gone.
    void clear();
    /// Tells the probe which commands are outstanding.
    void tell() const;

    /// The command accepted under `tag` (ata::kNoTag: non-queued) and not completed, or null.
    [[nodiscard]] Slot* at(std::uint8_t tag) const { return state_.by_tag[tag]; }
    /// True if a non-queued command is outstanding.
    [[nodiscard]] bool non_queued() const { return at(ata::kNoTag) != nullptr; }
    /// Queued commands that have not ended for the host: one bit per tag.
    [[nodiscard]] std::uint32_t sactive() const { return state_.sactive; }
    [[nodiscard]] std::uint32_t outstanding() const {
        return static_cast<std::uint32_t>(std::popcount(state_.sactive)) + (non_queued() ? 1U : 0U);
    }
    [[nodiscard]] std::size_t slots_in_use() const { return slots_.size() - free_.size(); }

  private:
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<Slot*> free_;
    struct Volatile {
        std::array<Slot*, ata::kTags + 1> by_tag{};  // the last: the non-queued command
        std::uint32_t sactive = 0;
    } state_;
    hal::Probe* probe_ = nullptr;
};

template <class End>
void CommandTable::forget_all(End end) {
    for (Slot*& entry : state_.by_tag) {
        if (entry != nullptr) {
            Slot& slot = *entry;
            entry = nullptr;
            end(slot);
        }
    }
    state_.sactive = 0;
    tell();
}

}  // namespace solidtlm::hw
