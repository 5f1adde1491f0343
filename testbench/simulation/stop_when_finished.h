// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "testbench/host/command.h"

namespace solidtlm::testbench {

/// Pauses the simulation when the host has nothing left to do.
class StopWhenFinished : public CommandObserver {
  public:
    void issued(Command& /*command*/) override {}
    void completed(Command& /*command*/) override {}
    void finished() override {
        done = true;
        sc_core::sc_pause();
    }
    bool done = false;
};

}  // namespace solidtlm::testbench
