// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/fs_source.h"

#include <chrono>
#include <limits>

namespace solidtlm::testbench::fs {
namespace {

double seconds(Ps time) {
    return std::chrono::duration<double>(time).count();
}

double ratio(double a, double b) {
    return b > 0 ? a / b : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

FsSource::FsSource(const FsWorkloadConfig& config)
    : FsSource(config.fs, [&config](Filesystem& filesystem, HostScheduler& scheduler) {
          return config.benchmark == Benchmark::postmark
                     ? make_postmark(config.postmark, config.seed, filesystem, scheduler)
                     : make_filebench_delete(config.filebench, config.seed, filesystem, scheduler);
      }) {}

FsSource::FsSource(const FsConfig& config, const Program& program)
    : filesystem_(config, scheduler_, queue_), benchmark_(program(filesystem_, scheduler_)) {
    scheduler_.spawn(run());
}

// Destroys waiting threads before the objects they wait for.
FsSource::~FsSource() {
    scheduler_.executor().shut_down();
}

Task<void> FsSource::run() {
    co_await benchmark_->run();
    done_ = true;
}

bool FsSource::next(Request& request) {
    scheduler_.run();
    return queue_.next(request);
}

void FsSource::completed(std::uint64_t token, bool ok, Ps now) {
    scheduler_.advance(now);
    queue_.completed(token, ok);
    scheduler_.run();
}

std::vector<std::pair<std::string, double>> FsSource::counters() const {
    const auto count = [](std::uint64_t value) { return static_cast<double>(value); };
    const BenchmarkTimes& times = benchmark_->times();
    const FsCounts& calls = filesystem_.counts();
    const JournalCounts& journal = filesystem_.journal().counts();
    const auto io = [this](Purpose purpose) { return queue_.counts(purpose); };
    const PurposeCounts trims = io(Purpose::trim);
    const double operations = count(times.operations);
    const double measured = seconds(times.end - times.begin);
    const double synced = seconds(times.synced - times.begin);
    return {
        {"operations", operations},
        {"measured_s", measured},
        {"synced_s", synced},
        {"operations_per_s", ratio(operations, measured)},
        {"synced_operations_per_s", ratio(operations, synced)},
        {"creates", count(calls.creates)},
        {"appends", count(calls.appends)},
        {"reads", count(calls.reads)},
        {"reads_missed", count(calls.reads_missed)},
        {"removes", count(calls.removes)},
        {"fsyncs", count(calls.fsyncs)},
        {"no_space", count(calls.no_space)},
        {"commits", count(journal.commits)},
        {"commit_s", seconds(journal.commit_time)},
        {"commit_trim_s", seconds(journal.trim_time)},
        {"metadata_blocks", count(journal.metadata_blocks)},
        {"longest_transaction_blocks", count(journal.longest_log)},
        {"freed_extents", count(journal.freed_extents)},
        {"tail_updates", count(journal.tail_updates)},
        {"data_reads", count(io(Purpose::data_read).requests)},
        {"data_read_blocks", count(io(Purpose::data_read).blocks)},
        {"data_writes", count(io(Purpose::data_write).requests)},
        {"data_write_blocks", count(io(Purpose::data_write).blocks)},
        {"journal_writes", count(io(Purpose::journal_log).requests + io(Purpose::journal_commit).requests +
                                 io(Purpose::journal_superblock).requests)},
        {"journal_write_blocks", count(io(Purpose::journal_log).blocks + io(Purpose::journal_commit).blocks +
                                       io(Purpose::journal_superblock).blocks)},
        {"checkpoint_writes", count(io(Purpose::metadata_write).requests)},
        {"checkpoint_write_blocks", count(io(Purpose::metadata_write).blocks)},
        {"flushes", count(io(Purpose::flush).requests)},
        {"trims", count(trims.requests)},
        {"trim_ranges", count(trims.extents)},
        {"trim_blocks", count(trims.blocks)},
        {"trim_mean_us", ratio(seconds(trims.busy) * 1e6, count(trims.requests))},
        {"failed_requests", count(queue_.failed())}};
}

}  // namespace solidtlm::testbench::fs
