// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/tlm/agenda.h"
#include "testbench/sim/host/command.h"

namespace solidtlm::testbench {

/// Pauses the simulation when the host has no work left.
class StopWhenFinished : public CommandObserver {
  public:
    explicit StopWhenFinished(hw::Agenda& agenda) : agenda_(agenda) {}
    void issued(Command& /*command*/) override {}
    void completed(Command& /*command*/) override {}
    void finished() override {
        done = true;
        agenda_.pause();
    }
    bool done = false;

  private:
    hw::Agenda& agenda_;
};

}  // namespace solidtlm::testbench
