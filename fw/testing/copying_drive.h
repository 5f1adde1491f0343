// SPDX-License-Identifier: Apache-2.0
//
// Drives whose lower pages are copied before a later page of their word lines is programmed.
#pragma once

#include <cstdint>

#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {

/// Lower pages are copied, on flash with two to four pages in a word line, or two in shifted order.
inline void copy_lower_pages(FirmwareConfig& config, std::uint64_t seed) {
    config.flash.slc_pages = 6;
    const std::uint32_t bits = 2 + static_cast<std::uint32_t>(seed % 3);
    config.flash.pages = config.flash.slc_pages * bits;
    config.flash.blocks = 32;
    config.gc.copy_back = false;
    for (std::uint32_t page = 0; page < config.flash.pages; ++page) {
        config.flash.page_below.push_back(page % bits == 0 ? page : page - 1);
    }
    if (bits == 2 && seed % 2 == 0) {
        config.flash.page_below = {0, 1, 0, 3, 1, 5, 3, 7, 5, 9, 7, 9};
    }
    export_everything(config);
}

inline FirmwareConfig with_copies(std::uint64_t seed) {
    FirmwareConfig config = variant(seed);
    copy_lower_pages(config, seed);
    return config;
}

}  // namespace solidtlm::fw::testing
