// SPDX-License-Identifier: Apache-2.0
//
// The dirty lists of page mapping: one for dynamic allocation, one per parallel unit for static allocation.
// Where long writes go past the SLC cache, each of them is two lists, so that a superpage gets data for the
// cache or data that go past it.
#pragma once

#include <cstdint>

#include "fw/buffer/dirty_lists.h"
#include "fw/drive/config.h"
#include "fw/drive/layout.h"

namespace solidtlm::fw {

class PageMapOrder : public DestageOrder {
  public:
    PageMapOrder(const FirmwareConfig& config, const MediaLayout& layout)
        : layout_(layout),
          static_(config.allocation.mode == AllocationMode::static_address),
          kinds_(config.slc_cache.by_length() ? 2 : 1) {}

    [[nodiscard]] std::uint32_t lists() const override { return (static_ ? layout_.pus() : 1) * kinds_; }
    [[nodiscard]] std::uint32_t list_of(Lpn lpn, bool past_cache) const override {
        const std::uint32_t home = static_ ? layout_.home_of(lpn).value : 0;
        return home * kinds_ + (kinds_ > 1 && past_cache ? 1 : 0);
    }
    /// The parallel unit that the data of a list belong to, with static allocation.
    [[nodiscard]] Pu home_of(std::uint32_t list) const { return Pu{list / kinds_}; }
    /// The data of a list go past the SLC cache.
    [[nodiscard]] bool past_cache(std::uint32_t list) const { return list % kinds_ != 0; }

  private:
    const MediaLayout& layout_;
    bool static_;
    std::uint32_t kinds_;
};

}  // namespace solidtlm::fw
