// SPDX-License-Identifier: Apache-2.0
//
// Power management of the device (ACS-3 4.18): its power mode, and the Standby timer. The link has power
// states of its own (link_power.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fw/hal/metrics.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

/// PM0 to PM3. The device is in Idle only if the host says so: CHECK POWER MODE may call Idle active, too.
enum class PowerModeName : std::uint8_t { active, idle, standby, sleep };
constexpr std::size_t kPowerModes = 4;

/// The period of the Standby timer for a COUNT of IDLE or STANDBY (ACS-3, Standby timer periods); 0: the
/// timer is off; none: a reserved value.
std::optional<hal::Ps> standby_period(std::uint8_t count);

/// The mode, and how long it lasted. The caller has the alarms.
class PowerMode {
  public:
    [[nodiscard]] PowerModeName mode() const { return state_.mode; }
    [[nodiscard]] bool asleep() const { return state_.mode == PowerModeName::sleep; }
    /// COUNT of CHECK POWER MODE (ACS-3).
    [[nodiscard]] std::uint8_t code() const;
    /// The mode changes at `at`. The change takes `time` and follows one that is still under way.
    void enter(PowerModeName mode, hal::Ps at, hal::Ps time = hal::Ps{0});
    /// When the latest change of the mode is complete.
    [[nodiscard]] hal::Ps reached() const { return state_.reached; }

    /// Sets the Standby timer; 0: off.
    void set_timer(hal::Ps period) { state_.period = period; }
    /// A command came or ended: the period begins again.
    void used(hal::Ps at) { state_.used = at; }
    /// When the timer expires if no command comes; none: it does not run.
    [[nodiscard]] std::optional<hal::Ps> expires() const;

    /// Power is lost: when it comes back, the device is active and the timer off.
    void power_cut(hal::Ps at);
    /// A hardware reset has the same effect as a loss of power, but a change under way goes on.
    void comreset(hal::Ps at);
    /// Times that the device spent in each mode, until `at`.
    [[nodiscard]] std::array<hal::Ps, kPowerModes> spent(hal::Ps at) const;
    void tell(hal::Metrics& metrics, hal::Ps at) const;

  private:
    struct Volatile {
        PowerModeName mode = PowerModeName::active;
        hal::Ps since{0};
        hal::Ps reached{0};
        hal::Ps period{0};
        hal::Ps used{0};
    } state_;
    std::array<hal::Ps, kPowerModes> spent_{};
};

}  // namespace solidtlm::hw
