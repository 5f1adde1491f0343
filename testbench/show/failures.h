// SPDX-License-Identifier: Apache-2.0
//
// Commands that failed: how many, how, where and when the first one failed, and what the drive reports about
// itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fw/hal/health.h"
#include "testbench/show/result.h"
#include "testbench/sim/host/failure_kind.h"

namespace solidtlm::testbench {

class Failures : public CommandObserver {
  public:
    struct OfKind {
        std::uint64_t count = 0;
        // Operation of the first failed command.
        Operation operation = Operation::read;
        std::optional<Lba> lba;  ///< none: for example, a FLUSH
        Ps at{0};
    };

    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override {}

    [[nodiscard]] bool any() const;
    [[nodiscard]] const OfKind& operator[](FailureKind kind) const {
        return kinds_[static_cast<std::size_t>(kind)];
    }

  private:
    std::array<OfKind, kFailureKindNames.size()> kinds_{};
};

/// What the drive reports about itself at the end of the run.
struct DriveState {
    hal::HealthReport health;
    bool lost_writes = false;  ///< acknowledged writes are lost; FLUSH fails
};

/// The section `failures` of a result. `drive` is null if the drive has no power.
[[nodiscard]] Json failures_section(const Failures& failures, const DriveState* drive);

/// The section as sentences for the error line and the summary, with the drive's own report last. Commands
/// that were outstanding at a power cut are left out.
[[nodiscard]] std::vector<std::string> failure_facts(const Json& section);

}  // namespace solidtlm::testbench
