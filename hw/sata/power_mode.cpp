// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/power_mode.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace solidtlm::hw {

using hal::Ps;
using namespace std::chrono_literals;

std::optional<Ps> standby_period(std::uint8_t count) {
    constexpr unsigned kLastOfFiveSeconds = 0xF0;
    constexpr unsigned kLastOfHalfHours = 0xFB;
    switch (count) {
        case 0xFC:
            return 21min;
        case 0xFD:  // 8 to 12 hours, as the vendor likes
            return 8h;
        case 0xFE:
            return std::nullopt;
        case 0xFF:
            return 21min + 15s;
        default:
            if (count <= kLastOfFiveSeconds) {
                return Ps{5s} * count;
            }
            static_assert(kLastOfHalfHours + 1 == 0xFC);
            return Ps{30min} * (count - kLastOfFiveSeconds);
    }
}

std::uint8_t PowerMode::code() const {
    switch (state_.mode) {
        case PowerModeName::standby:
            return 0x00;
        case PowerModeName::idle:
            return 0x80;
        default:
            return 0xFF;
    }
}

void PowerMode::enter(PowerModeName mode, Ps at, Ps time) {
    spent_[static_cast<std::size_t>(state_.mode)] += at - state_.since;
    state_.reached = std::max(state_.reached, at) + time;
    state_.mode = mode;
    state_.since = at;
}

std::optional<Ps> PowerMode::expires() const {
    const bool runs = state_.mode == PowerModeName::active || state_.mode == PowerModeName::idle;
    return runs && state_.period > Ps{0} ? std::optional(state_.used + state_.period) : std::nullopt;
}

void PowerMode::power_cut(Ps at) {
    enter(PowerModeName::active, at);
    state_ = {.since = at};
}

void PowerMode::comreset(Ps at) {
    const Ps reached = state_.reached;
    power_cut(at);
    state_.reached = reached;
}

std::array<Ps, kPowerModes> PowerMode::spent(Ps at) const {
    std::array<Ps, kPowerModes> result = spent_;
    result[static_cast<std::size_t>(state_.mode)] += at - state_.since;
    return result;
}

void PowerMode::tell(hal::Metrics& metrics, Ps at) const {
    static constexpr std::array<std::string_view, kPowerModes> kNames{"active", "idle", "standby", "sleep"};
    const auto times = spent(at);
    for (std::size_t mode = 1; mode < kPowerModes; ++mode) {
        metrics.time(
            "device." + std::string(kNames[mode]) + "_us",
            "time that the device spent in this power mode, where the host's commands or its Standby "
            "timer put it",
            times[mode]);
    }
}

}  // namespace solidtlm::hw
