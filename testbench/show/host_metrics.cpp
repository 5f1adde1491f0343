// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/host_metrics.h"

#include <algorithm>

namespace solidtlm::testbench {

std::uint64_t bytes_of(const Command& command) {
    std::uint64_t sectors = 0;
    switch (command.operation) {
        case Operation::read:
        case Operation::write:
            sectors = command.sectors;
            break;
        case Operation::trim:
            for (const TrimRange& range : command.ranges) {
                sectors += range.sectors;
            }
            break;
        case Operation::flush:
            break;
    }
    return sectors * hal::kSectorBytes;
}

void OperationMetrics::merge(const OperationMetrics& other) {
    failed += other.failed;
    bytes += other.bytes;
    latency.merge(other.latency);
    stages.merge(other.stages);
}

void HostMetrics::issued(Command& command) {
    next_sequence_ = std::max(next_sequence_, command.sequence + 1);
    if (command.sequence < first_sequence_ || window_ == Window::closed) {
        return;
    }
    if (command.retries > 0) {
        ++retries_;
        return;
    }
    if (window_ == Window::open) {
        ++issued_;
        return;
    }
    first_arrival_ = issued_ == 0 ? command.arrival : std::min(first_arrival_, command.arrival);
    last_completion_ = std::max(last_completion_, first_arrival_);
    ++issued_;
}

void HostMetrics::completed(Command& command) {
    if (command.sequence < first_sequence_) {
        return;
    }
    largest_residual_ =
        std::max(largest_residual_, command.residual < Ps{0} ? -command.residual : command.residual);
    count_outstanding(command);
    const bool ok = command.status == CommandStatus::ok;
    if (outside_window(command)) {
        failed_ += ok ? 0 : 1;
        issued_ = window_ == Window::closed ? completed_ + failed_ : issued_ - (ok ? 1 : 0);
        return;
    }
    last_completion_ = std::max(last_completion_, command.completed_at);
    count(command);
    if (window_ == Window::closed) {
        issued_ = completed_ + failed_;
    }
}

/// Commands that end at the instant of the window's begin came before it, those of its end belong to it.
bool HostMetrics::outside_window(const Command& command) const {
    return (window_ != Window::none && command.completed_at <= first_arrival_) ||
           (window_ == Window::closed && command.completed_at > last_completion_);
}

void HostMetrics::count(const Command& command) {
    OperationMetrics& kind = operations_[static_cast<std::size_t>(command.operation)];
    if (command.status != CommandStatus::ok) {
        ++failed_;
        ++kind.failed;
        return;
    }
    ++completed_;
    kind.bytes += bytes_of(command);
    const Ps latency = command.completed_at - command.arrival;
    kind.latency.add(latency);
    kind.stages.add(latency, command.ledger);
}

// With a window, only the part of a command's time that lies within the window counts.
void HostMetrics::count_outstanding(const Command& command) {
    const Ps from = std::max(command.arrival, first_arrival_);
    const Ps to =
        window_ == Window::closed ? std::min(command.completed_at, last_completion_) : command.completed_at;
    outstanding_ += std::max(to - from, Ps{0}).count();
}

double HostMetrics::mean_outstanding() const {
    return measured() > Ps{0} ? static_cast<double>(outstanding_) / static_cast<double>(measured().count())
                              : 0.0;
}

void HostMetrics::begin_measurement() {
    const std::uint64_t next = next_sequence_;
    *this = HostMetrics{};
    first_sequence_ = next_sequence_ = next;
}

void HostMetrics::begin_window(Ps at) {
    HostMetrics fresh;
    fresh.failed_ = failed_;
    fresh.largest_residual_ = largest_residual_;
    fresh.issued_ = outstanding() + failed_;
    fresh.next_sequence_ = next_sequence_;
    *this = fresh;
    first_arrival_ = last_completion_ = at;
    window_ = Window::open;
}

void HostMetrics::end_window() {
    window_ = Window::closed;
    issued_ = completed_ + failed_;  // commands that are still outstanding are not measured
}

OperationMetrics HostMetrics::total() const {
    OperationMetrics sum;
    for (const OperationMetrics& kind : operations_) {
        sum.merge(kind);
    }
    return sum;
}

}  // namespace solidtlm::testbench
