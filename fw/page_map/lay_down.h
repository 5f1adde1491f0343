// SPDX-License-Identifier: Apache-2.0
//
// A used drive that is described instead of written: page mapping takes over the description as it takes over
// what a boot finds, and the flash gets the spare areas from which a boot would find the same.
#pragma once

#include <optional>
#include <string_view>

#include "fw/drive/config.h"
#include "fw/hal/flash_image.h"
#include "fw/translation/aged_flash.h"

namespace solidtlm::fw {

class PageMap;

/// A key that forbids it.
struct LayDownRefusal {
    std::string_view key;
    std::string_view why;
};

/// Why no description can be taken over; none if it can.
[[nodiscard]] std::optional<LayDownRefusal> why_not_laid_down(const FirmwareConfig& config);

/// Called before PageMap::start(). REQUIRES: !why_not_laid_down(); `flash` describes each superblock of data,
/// and each logical page at most once.
void lay_down(PageMap& pages, AgedFlash& flash, hal::FlashImage& image);

}  // namespace solidtlm::fw
