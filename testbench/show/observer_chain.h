// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "testbench/sim/host/command.h"

namespace solidtlm::testbench {

/// Passes every notification on to its observers, in the order in which they were added. The observer that
/// fills Command::content in issued() must come first. The observers must outlive the chain.
class ObserverChain : public CommandObserver {
  public:
    void add(CommandObserver& observer) { observers_.push_back(&observer); }

    void issued(Command& command) override {
        for (CommandObserver* observer : observers_) {
            observer->issued(command);
        }
    }
    void completed(Command& command) override {
        for (CommandObserver* observer : observers_) {
            observer->completed(command);
        }
    }
    void finished() override {
        for (CommandObserver* observer : observers_) {
            observer->finished();
        }
    }

  private:
    std::vector<CommandObserver*> observers_;
};

}  // namespace solidtlm::testbench
