// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/static_wear.h"

#include <utility>

#include "fw/gc/victim_policy.h"

namespace solidtlm::fw {

/// The least erased superblock if it may be a victim, once the erase counts differ by more than the
/// threshold.
std::optional<Superblock> StaticWear::least_erased() const {
    if (threshold_ == 0) {
        return std::nullopt;
    }
    const auto range = table_.erase_range(pu_);
    if (range.most - range.least <= threshold_) {
        return std::nullopt;
    }
    for (std::uint32_t i = 0; i < layout_.superblocks(); ++i) {
        const BlockInfo& info = table_.info(pu_, Superblock{i});
        if (info.erases == range.least && may_be_victim(info) && !info.always_slc) {
            return Superblock{i};
        }
    }
    return std::nullopt;
}

std::optional<Superblock> StaticWear::take(std::uint64_t others, std::uint64_t room) {
    if (!std::exchange(due_, false)) {
        return std::nullopt;
    }
    const std::optional<Superblock> least = least_erased();
    const std::uint64_t units = room * layout_.units_per_superpage();
    if (!least || table_.info(pu_, *least).valid + others > units) {
        return std::nullopt;
    }
    last_ = host_programs_;
    return least;
}

}  // namespace solidtlm::fw
