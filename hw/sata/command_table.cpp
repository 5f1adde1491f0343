// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/command_table.h"

#include "fw/hal/check.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

Slot& CommandTable::take() {
    if (free_.empty()) {
        SOLIDTLM_CHECK(slots_.size() < ata::kMostSlots,
                       "firmware ends what was aborted before it takes more");
        slots_.push_back(std::make_unique<Slot>());
        free_.push_back(slots_.back().get());
    }
    Slot* slot = free_.back();
    free_.pop_back();
    slot->reset();
    return *slot;
}

void CommandTable::enter(Slot& slot) {
    state_.by_tag[slot.tag()] = &slot;
    state_.sactive |= slot.queued ? bit_of(slot.tag()) : 0;
    if (probe_ != nullptr) {
        probe_->command_accepted(now(), slot);
    }
    tell();
}

void CommandTable::free(Slot& slot) {
    if (state_.by_tag[slot.tag()] == &slot) {
        state_.by_tag[slot.tag()] = nullptr;
    }
    free_.push_back(&slot);
    tell();
}

void CommandTable::clear() {
    free_.clear();
    for (const auto& slot : slots_) {
        slot->reset();
        free_.push_back(slot.get());
    }
    state_ = {};
}

void CommandTable::tell() const {
    if (probe_ != nullptr) {
        probe_->outstanding(now(), state_.sactive, non_queued());
    }
}

}  // namespace solidtlm::hw
