// SPDX-License-Identifier: Apache-2.0
//
// A benchmark on a file system as a source of requests. The benchmark continues when its requests complete.
#pragma once

#include <functional>
#include <memory>

#include "testbench/sim/load/fs/benchmark.h"

namespace solidtlm::testbench::fs {

class FsSource final : public RequestSource, public SourceFeedback {
  public:
    using Program = std::function<std::unique_ptr<FsBenchmark>(Filesystem&, HostScheduler&)>;

    explicit FsSource(const FsWorkloadConfig& config);
    /// Runs another program on the file system.
    FsSource(const FsConfig& config, const Program& program);
    ~FsSource() override;

    bool next(Request& request) override;
    [[nodiscard]] SourceFeedback* feedback() override { return this; }

    void advance(Ps now) override { scheduler_.advance(now); }
    void completed(std::uint64_t token, bool ok, Ps now) override;
    [[nodiscard]] bool ended() const override { return done_ && queue_.idle(); }
    [[nodiscard]] std::optional<Ps> wakes_at() const override { return scheduler_.next_timer(); }
    /// The section `filesystem` of a result (docs/result.md).
    [[nodiscard]] std::vector<std::pair<std::string, double>> counters() const override;

    [[nodiscard]] const Filesystem& filesystem() const { return filesystem_; }
    [[nodiscard]] const BlockQueue& queue() const { return queue_; }
    [[nodiscard]] const BenchmarkTimes& times() const { return benchmark_->times(); }

  private:
    Task<void> run();

    HostScheduler scheduler_;
    BlockQueue queue_{scheduler_};
    Filesystem filesystem_;
    std::unique_ptr<FsBenchmark> benchmark_;
    bool done_ = false;
};

}  // namespace solidtlm::testbench::fs
