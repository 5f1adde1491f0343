// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/round_log.h"

#include <algorithm>
#include <utility>

#include "testbench/show/host_metrics.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kLooks = 1024;  // per round, if the host writes everything that is programmed

}  // namespace

RoundLog::RoundLog(RoundLength length, Probe flash)
    : length_(length),
      flash_(std::move(flash)),
      look_every_(length.programmed / kLooks),
      look_at_(look_every_) {
    rounds_.reserve(kMostRounds);
}

void RoundLog::begin() {
    before_ = flash_();
    now_ = {};
    moved_ = 0;
    look_at_ = look_every_;
    rounds_.clear();
}

double RoundLog::so_far() const {
    const std::uint64_t programmed = flash_().programmed_bytes - before_.programmed_bytes;
    return static_cast<double>(rounds_.size()) +
           std::min(1.0, static_cast<double>(programmed) / static_cast<double>(length_.programmed));
}

bool RoundLog::completed(const Command& command) {
    if (command.status == CommandStatus::ok) {
        ++now_.commands;
        now_.latency += static_cast<WidePs>((command.completed_at - command.arrival).count());
        const bool moves = command.operation == Operation::read || command.operation == Operation::write;
        moved_ += moves ? bytes_of(command) : 0;
        now_.written_bytes += command.operation == Operation::write ? bytes_of(command) : 0;
    }
    if (moved_ < look_at_) {
        return false;
    }
    look_at_ = moved_ + look_every_;
    const FlashWork after = flash_();
    now_.programmed_bytes = after.programmed_bytes - before_.programmed_bytes;
    now_.erased_bytes = after.erased_bytes - before_.erased_bytes;
    if (now_.programmed_bytes < length_.programmed && moved_ < length_.moved) {
        return false;
    }
    before_ = after;
    moved_ = 0;
    look_at_ = look_every_;
    rounds_.push_back(std::exchange(now_, {}));
    if (rounds_.size() == kMostRounds) {
        for (std::size_t i = 0; i < kMostRounds / 2; ++i) {
            rounds_[i] = rounds_[2 * i];
            rounds_[i] += rounds_[2 * i + 1];
        }
        rounds_.resize(kMostRounds / 2);
        length_.programmed *= 2;
        length_.moved += std::min(length_.moved, std::numeric_limits<std::uint64_t>::max() - length_.moved);
    }
    return true;
}

}  // namespace solidtlm::testbench
