// SPDX-License-Identifier: Apache-2.0
//
// C6: pages are written, then the same contents to other places, each time followed by a FLUSH. Then power
// goes: at once, before an idle drive has begun to deduplicate, or when it has had the time to.
#pragma once

#include <array>
#include <chrono>
#include <string_view>
#include <vector>

#include "testbench/host/request.h"

namespace solidtlm::testbench::dedup {

enum class Moment : std::uint8_t { at_once, idle };
constexpr std::array<std::string_view, 2> kMomentNames{"at_once", "idle"};

constexpr std::uint32_t kPowerLossPages = 16;  ///< written twice
/// Between the duplicates, when they are durable, and the first chance to deduplicate in idle time.
constexpr Ps kAtOnce = std::chrono::milliseconds(5);
constexpr Ps kIdleThreshold = std::chrono::milliseconds(10);

/// A read of something else behind the cut keeps the run going, and what is there is audited before it.
[[nodiscard]] std::vector<Request> power_loss_requests();
/// When power goes.
[[nodiscard]] Ps power_loss_at(Moment moment);

}  // namespace solidtlm::testbench::dedup
