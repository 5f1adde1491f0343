// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "testbench/sim/host/command.h"

namespace solidtlm::testbench {

/// Whether part of the command is beyond the end of a device with this many sectors, which must refuse it.
[[nodiscard]] inline bool reaches_beyond(const Command& command, std::uint64_t capacity) {
    const auto reaches = [capacity](Lba lba, std::uint64_t count) { return lba.value + count > capacity; };
    switch (command.operation) {
        case Operation::read:
        case Operation::write:
            return reaches(command.lba, command.sectors);
        case Operation::trim:
            return std::ranges::any_of(command.ranges, [&](const TrimRange& range) {
                return range.sectors > 0 && reaches(range.lba, range.sectors);
            });
        default:
            return false;
    }
}

/// Checks commands that reach beyond the capacity, which the device must refuse.
class RefusedCommands : public CommandObserver {
  public:
    explicit RefusedCommands(std::uint64_t sectors) : sectors_(sectors) {}
    void issued(Command& /*command*/) override {}
    void completed(Command& command) override {
        if (!reaches_beyond(command, sectors_)) {
            return;
        }
        if (command.status == CommandStatus::ok) {
            ++accepted_;
        } else if (command.failure != FailureKind::power_lost) {
            ++count_;
        }
    }
    void finished() override {}

    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// How many of them the device carried out although it must not.
    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }

  private:
    const std::uint64_t sectors_;
    std::uint64_t count_ = 0;
    std::uint64_t accepted_ = 0;
};

}  // namespace solidtlm::testbench
