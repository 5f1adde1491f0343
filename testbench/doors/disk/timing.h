// SPDX-License-Identifier: Apache-2.0
//
// How simulated time follows the wall time of the clients.
#pragma once

#include <cstdint>

#include "fw/hal/types.h"

namespace solidtlm::testbench::disk {

enum class TimeMode : std::uint8_t {
    afap,   ///< simulated time runs while commands are outstanding, as fast as possible
    paced,  ///< simulated time is wall time, times a factor
};

/// In mode afap: how much simulated time passes while no command is outstanding, in addition to the think
/// time.
enum class IdleMode : std::uint8_t {
    none,
    wall,   ///< as much as wall time
    fixed,  ///< Timing::idle each time
};

struct Timing {
    TimeMode mode = TimeMode::afap;
    hal::Ps think{5'000'000};  ///< afap: from the hand-over of a request until the host sends its command
    IdleMode idle_mode = IdleMode::none;
    hal::Ps idle{0};
    double factor = 1.0;  ///< paced: simulated seconds per second of wall time
};

}  // namespace solidtlm::testbench::disk
