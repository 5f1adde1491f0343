// SPDX-License-Identifier: Apache-2.0
//
// The recorders of a run, according to its settings: files, recorders, and the probe for the device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/ssd.h"
#include "testbench/show/observer_chain.h"
#include "testbench/watch/command_table.h"
#include "testbench/watch/decision_table.h"
#include "testbench/watch/fio_log.h"
#include "testbench/watch/probe_chain.h"
#include "testbench/watch/settings.h"

namespace solidtlm::testbench {

class Recording {
  public:
    /// Opens the files. Throws OutputError.
    Recording(const RecorderSettings& settings, const platform::Configuration& configuration);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    /// Adds another probe. Call it before attach().
    void add(hal::Probe& probe) {
        probes_.add(probe);
        watched_ = true;
    }
    /// Call it before the start of the simulation. If nothing is recorded and no probe was added, the device
    /// gets no probe. The recording must outlive the simulation.
    void attach(platform::Ssd& ssd, ObserverChain& observers);
    /// The run has ended at `at`: moves the files to their places. Returns error texts, one line each; the
    /// run itself is valid even if there are any.
    [[nodiscard]] std::vector<std::string> finish(hal::Ps at);

  private:
    struct Vcd;
    struct Timeline;

    RecorderSettings settings_;
    std::unique_ptr<Vcd> vcd_;
    std::unique_ptr<Timeline> timeline_;
    std::unique_ptr<CommandTable> commands_;
    std::unique_ptr<DecisionTable> decisions_;
    std::unique_ptr<FioLog> fio_log_;
    ProbeChain probes_;
    bool watched_ = false;
};

}  // namespace solidtlm::testbench
