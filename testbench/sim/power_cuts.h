// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fw/hal/probe.h"
#include "fw/hal/types.h"
#include "testbench/sim/spec/spec.h"

namespace solidtlm::platform {
class Ssd;
}

namespace solidtlm::testbench {

class CommandObserver;
class PowerCycler;

/// The drive's activity when it lost power.
enum class CutInstant : std::uint8_t {
    idle,            ///< no command outstanding
    running,         ///< at least one command outstanding
    error_recovery,  ///< a queued command has failed, and the host has not read the cause yet
    host_start,      ///< the firmware is ready, and the host is still identifying the drive
    booting,         ///< the firmware is not ready
    booting_again,   ///< neither now nor at the previous cut
};
constexpr std::array<std::string_view, 6> kCutInstantNames{"idle",       "running", "error_recovery",
                                                           "host_start", "booting", "booting_again"};

/// An object that is notified of power cuts.
class PowerListener {
  public:
    virtual ~PowerListener() = default;
    /// Power is being cut; the host has not noticed yet.
    virtual void power_cut(CutInstant instant) = 0;
};

/// Makes power cuts in a run in addition to the planned ones. PowerCuts::off applies to them.
class PowerSwitch : public PowerListener {
  public:
    /// Called before the simulation starts. To be notified of cuts, register with `cycler`.
    virtual void attach(platform::Ssd& ssd, PowerCycler& cycler) = 0;
    /// A probe that must see the drive, or null.
    virtual hal::Probe* probe() { return nullptr; }
    /// An observer that must see the host's commands, or null. It is called after the observers that verify
    /// them.
    virtual CommandObserver* observer() { return nullptr; }
};

}  // namespace solidtlm::testbench
