// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fw/hal/probe.h"
#include "fw/hal/types.h"
#include "testbench/run/spec.h"

namespace solidtlm::platform {
class Ssd;
}

namespace solidtlm::testbench {

class CommandObserver;
class PowerCycler;

/// What a drive was doing when it lost power.
enum class CutInstant : std::uint8_t {
    idle,            ///< no command outstanding
    running,         ///< at least one
    error_recovery,  ///< a queued command has failed, and the host has not read why
    host_start,      ///< the firmware is ready, and the host still asks who the drive is
    booting,         ///< the firmware is not ready
    booting_again,   ///< nor was it at the cut before
};
constexpr std::array<std::string_view, 6> kCutInstantNames{"idle",       "running", "error_recovery",
                                                           "host_start", "booting", "booting_again"};

/// An object that is told of power cuts.
class PowerListener {
  public:
    virtual ~PowerListener() = default;
    /// Power goes now; the host has not noticed yet.
    virtual void power_cut(CutInstant instant) = 0;
};

/// Cuts the power of a running drive in addition to what was planned. PowerCuts::off applies.
class PowerSwitch : public PowerListener {
  public:
    /// Before the simulation starts. Has to ask `cycler` to be told.
    virtual void attach(platform::Ssd& ssd, PowerCycler& cycler) = 0;
    /// A probe, if it must see the drive; null: it need not.
    virtual hal::Probe* probe() { return nullptr; }
    /// An observer, if it must see the host's commands; it comes after all that verify them. Null: it need
    /// not.
    virtual CommandObserver* observer() { return nullptr; }
};

}  // namespace solidtlm::testbench
