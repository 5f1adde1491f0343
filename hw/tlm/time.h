// SPDX-License-Identifier: Apache-2.0
//
// Simulated time. Blocks keep it as integer picoseconds (hal::Ps); sc_time appears only at the kernel's edge.
#pragma once

#include <systemc>

#include "fw/hal/check.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

using hal::Ps;

/// The kernel's time resolution is 1 ps, SystemC's default (Ssd checks it). REQUIRES: not negative.
inline sc_core::sc_time to_sc_time(Ps duration) {
    SOLIDTLM_CHECK(duration >= Ps{0}, "durations are not negative");
    return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(duration.count()));
}

inline Ps to_ps(const sc_core::sc_time& time) {
    return Ps{static_cast<std::int64_t>(time.value())};
}

/// sc_time_stamp().
inline Ps kernel_now() {
    return to_ps(sc_core::sc_get_curr_simcontext()->time_stamp());
}

/// The time of the agenda that runs (agenda.h); null: no agenda runs.
inline constinit const Ps* running_time = nullptr;

/// The current simulated time: that of the running agenda, which may be ahead of the kernel's, or else the
/// kernel's.
inline Ps now() {
    return running_time != nullptr ? *running_time : kernel_now();
}

/// Makes failed checks in hardware and testbench report the simulated time.
inline const bool kTellsChecksTheTime = (hal::CheckScene::simulated_time = now) != nullptr;

}  // namespace solidtlm::hw
