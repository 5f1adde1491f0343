// SPDX-License-Identifier: Apache-2.0
//
// Writes what is left in the write buffer once the host has written nothing for write_buffer.idle_flush.
// Sleeps on the clock's alarm; a busy host costs one alarm an interval.
#pragma once

#include "fw/environment.h"
#include "fw/hal/core.h"
#include "fw/host/write_buffer.h"

namespace solidtlm::fw {

class IdleFlush {
  public:
    IdleFlush(Environment& environment, hal::Clock& clock, WriteBuffer& buffer)
        : environment_(environment), clock_(&clock), buffer_(buffer) {}

    /// Does nothing if write_buffer.idle_flush is 0.
    void start();
    /// REQUIRES: no alarm is set.
    void move_to(hal::Clock& clock) { clock_ = &clock; }

  private:
    Task<void> run();

    Environment& environment_;
    hal::Clock* clock_;  // another one after move_to()
    WriteBuffer& buffer_;
};

}  // namespace solidtlm::fw
