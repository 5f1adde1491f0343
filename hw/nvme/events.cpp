// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/events.h"

#include <algorithm>

#include "hw/nvme/logs.h"

namespace solidtlm::hw::nvme {

bool Events::park(std::uint16_t slot) {
    if (count_ == kMostRequests) {
        return false;
    }
    parked_.at(count_++) = slot;
    return true;
}

std::optional<std::uint16_t> Events::raise(ErrorEvent event, Word& result) {
    if (count_ == 0 || masked_) {
        return std::nullopt;
    }
    masked_ = true;
    result = static_cast<Word>(LogId::errors) << 16U | static_cast<Word>(event) << 8U;
    const std::uint16_t slot = parked_[0];
    withdraw(slot);
    return slot;
}

bool Events::withdraw(std::uint16_t slot) {
    auto* const end = parked_.begin() + count_;
    auto* const found = std::find(parked_.begin(), end, slot);
    if (found == end) {
        return false;
    }
    std::copy(found + 1, end, found);
    --count_;
    return true;
}

}  // namespace solidtlm::hw::nvme
