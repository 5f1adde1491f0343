// SPDX-License-Identifier: Apache-2.0
//
// Writes the rest of the write buffer when the host has written nothing for write_buffer.idle_flush. Waits
// for an alarm; a busy host costs one alarm per interval.
#pragma once

#include "fw/buffer/write_buffer.h"
#include "fw/drive/services.h"
#include "fw/runtime/alarms.h"

namespace solidtlm::fw {

class IdleFlush {
  public:
    IdleFlush(Services& services, Alarms& alarms, WriteBuffer& buffer)
        : services_(services), alarms_(alarms), buffer_(buffer) {}

    /// Does nothing if write_buffer.idle_flush is 0.
    void start();

  private:
    Task<void> run();

    Services& services_;
    Alarms& alarms_;
    WriteBuffer& buffer_;
};

}  // namespace solidtlm::fw
