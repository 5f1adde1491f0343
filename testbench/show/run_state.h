// SPDX-License-Identifier: Apache-2.0
//
// What the measured numbers of a run are worth: whether the drive was in a state that lasts, how precisely
// the run knows a quantity, and what limited the load. This is the section `state` of a result;
// docs/result.md lists its fields, and docs/answers.md says how to read them. All programs print its
// sentence.
//
// With collection, a state is judged over whole collection rounds (section_log.h), at least kLeastSections of
// them; loads that write nothing, over equal numbers of commands. The criterion is that of steady_state.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/show/precision.h"
#include "testbench/show/section_log.h"
#include "testbench/show/steady_state.h"

namespace solidtlm::testbench {

/// What is known of a run beforehand.
struct StateFacts {
    std::uint64_t round_bytes = 1;      ///< host writes of a collection round
    bool aged = false;                  ///< the drive had been written over before the run
    bool open = false;                  ///< arrival times decide when requests come
    std::uint32_t queue_depth = 1;      ///< of the host
    std::vector<Precision> known = {};  ///< the run may end when these quantities are known
};

class RunState {
  public:
    /// `flash` tells its work so far. Both must outlive this object.
    RunState(StateFacts facts, const HostMetrics& metrics, RoundLog::Probe flash);

    /// The measured part begins. Without a call it begins with the arrival of the first command.
    void begin(Ps at);
    /// A command is sent for the first time.
    void issued(const Command& command, Ps at);
    /// A command that counts has completed, and `metrics` has counted it. True: all quantities that were
    /// asked for are known now.
    bool completed(const Command& command);

    /// The section `state`.
    [[nodiscard]] Json to_json() const;
    /// The verdict over the measured part, and how its values drifted.
    [[nodiscard]] SteadyState steady_state() const;
    [[nodiscard]] SteadyState::Verdict verdict() const;
    /// Commands that it takes to judge a load that writes nothing.
    [[nodiscard]] std::uint64_t least_commands() const;

  private:
    [[nodiscard]] std::uint64_t written() const { return metrics_[Operation::write].bytes; }
    [[nodiscard]] double rounds() const;
    [[nodiscard]] bool collected() const;
    /// Commands that must be measured besides until there is a verdict; 0: none, or it cannot be known.
    [[nodiscard]] std::uint64_t missing() const;
    /// The log whose sections mean something; null: neither.
    [[nodiscard]] const SectionLog* sections() const;
    [[nodiscard]] bool known() const;
    [[nodiscard]] double full_share() const;
    [[nodiscard]] bool limited_by_queue() const;
    [[nodiscard]] Json limited_by() const;
    [[nodiscard]] std::string verdict_text() const;
    [[nodiscard]] std::string limit_text() const;

    StateFacts facts_;
    const HostMetrics& metrics_;
    RoundLog::Probe flash_;
    SectionLog by_rounds_;
    SectionLog by_commands_;
    bool begun_ = false;
    FlashWork at_begin_;
    std::uint64_t issued_ = 0;
    std::uint64_t issued_late_ = 0;  ///< after their arrival, when they filled the host's queue
};

}  // namespace solidtlm::testbench
