// SPDX-License-Identifier: Apache-2.0
//
// Which drives can be laid down as used ones (fw/page_map/lay_down.h).
#pragma once

#include <optional>

#include "fw/page_map/lay_down.h"
#include "platform/configuration.h"

namespace solidtlm::platform {

/// What the flash forbids, and then what the firmware does; none if Ssd::age() takes a description.
[[nodiscard]] std::optional<fw::LayDownRefusal> why_not_laid_down(const Configuration& configuration);

}  // namespace solidtlm::platform
