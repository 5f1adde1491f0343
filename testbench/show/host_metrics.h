// SPDX-License-Identifier: Apache-2.0
//
// What the host saw: counts, throughput, latency percentiles and the stages of the ledger, for each kind of
// operation. Memory does not grow with the number of commands.
//
// Invariant: latencies, bytes and stages cover the same commands (those that completed without error), so
// that for every kind the stage means add up to the mean latency. Residuals are checked for failed commands
// too.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fw/hal/ledger.h"
#include "testbench/show/latency_histogram.h"
#include "testbench/show/stage_sums.h"
#include "testbench/sim/host/command.h"

namespace solidtlm::testbench {

constexpr std::size_t kOperations = 4;
constexpr std::array<std::string_view, kOperations> kOperationNames{"read", "write", "trim", "flush"};

/// The bytes that a command reads, writes or trims.
[[nodiscard]] std::uint64_t bytes_of(const Command& command);

/// Sums over one kind of operation.
struct OperationMetrics {
    std::uint64_t failed = 0;
    std::uint64_t bytes = 0;  ///< read, written or trimmed
    LatencyHistogram latency;
    StageSumsByLatency stages;

    [[nodiscard]] std::uint64_t count() const { return latency.count(); }
    /// Stages of the slowest commands: those from the latency bucket of the 99th percentile on.
    [[nodiscard]] StageSums slowest() const { return stages.from(latency.percentile(990)); }
    void merge(const OperationMetrics& other);
};

class HostMetrics : public CommandObserver {
  public:
    void issued(Command& command) override;
    void completed(Command& command) override;
    void finished() override {}

    /// Discards everything so far, for example a preconditioning phase. Commands issued before this call are
    /// not counted when they complete later.
    void begin_measurement();

    /// Begins to measure a steady stream, behind the instant `at`. Until end_window() every later completion
    /// counts, including those of commands issued earlier, so completions divided by the window's length give
    /// the rate of the stream. Failures and residuals always count.
    void begin_window(Ps at);
    /// The window ends behind the instant of the last completion: others of that instant, which are still to
    /// come, count.
    void end_window();

    [[nodiscard]] std::uint64_t issued() const { return issued_; }
    [[nodiscard]] std::uint64_t completed() const { return completed_; }  ///< without error
    [[nodiscard]] std::uint64_t failed() const { return failed_; }
    /// Number of times that a command was issued again because of another command's error. Not included in
    /// issued().
    [[nodiscard]] std::uint64_t retries() const { return retries_; }
    [[nodiscard]] std::uint64_t outstanding() const { return issued_ - completed_ - failed_; }
    [[nodiscard]] const OperationMetrics& operator[](Operation operation) const {
        return operations_[static_cast<std::size_t>(operation)];
    }
    /// The sum of all kinds.
    [[nodiscard]] OperationMetrics total() const;
    /// From the arrival of the first command, or the begin of the window, to the last completion that counts.
    /// Rates refer to this time.
    [[nodiscard]] Ps measured() const { return last_completion_ - first_arrival_; }
    /// Average number of commands that had arrived and not ended during measured(); 0 if that time is 0.
    /// Includes only commands that have ended by now, with or without an error.
    [[nodiscard]] double mean_outstanding() const;
    /// Largest |latency - sum of the stages| of any command; a value other than 0 is a bug of the model.
    [[nodiscard]] Ps largest_residual() const { return largest_residual_; }

  private:
    enum class Window : std::uint8_t { none, open, closed };

    void count_outstanding(const Command& command);
    void count(const Command& command);
    [[nodiscard]] bool outside_window(const Command& command) const;

    std::array<OperationMetrics, kOperations> operations_;
    Window window_ = Window::none;
    std::uint64_t issued_ = 0;
    std::uint64_t completed_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t retries_ = 0;
    std::uint64_t first_sequence_ = 0;  // commands with lower numbers belong to a phase that is not measured
    std::uint64_t next_sequence_ = 0;
    Ps first_arrival_{0};
    Ps last_completion_{0};
    WidePs outstanding_{0};  // command time within the measured time
    Ps largest_residual_{0};
};

}  // namespace solidtlm::testbench
