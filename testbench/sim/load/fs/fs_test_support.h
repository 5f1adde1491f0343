// SPDX-License-Identifier: Apache-2.0
//
// For tests: a device that answers in random order, and a program of random calls.
#pragma once

#include <vector>

#include "testbench/sim/load/fs/fs_checker.h"
#include "testbench/sim/load/random.h"

namespace solidtlm::testbench::fs {

constexpr Ps kService{100'000'000};  ///< 100 us

/// The requests of a run, as the device saw them.
struct Seen {
    Request request;
    Purpose purpose = Purpose::flush;
};

/// Serves all requests of `source` as an ATA device does: queued commands in random order after random times,
/// others alone. `checker` may be null. Returns the requests in order.
inline std::vector<Seen> serve(FsSource& source, std::uint64_t seed, FsChecker* checker,
                               std::uint64_t most_requests = 200'000) {
    Random random(seed);
    std::vector<Seen> all;
    std::vector<Seen> waiting;
    std::vector<Seen> outstanding;
    Ps now{0};
    while (all.size() < most_requests) {
        source.advance(now);
        if (checker != nullptr) {
            checker->look();
        }
        Seen seen;
        while (source.next(seen.request)) {
            seen.purpose = source.queue().purpose(seen.request.token);
            waiting.push_back(seen);
        }
        const auto alone = [](const Seen& each) {
            return each.request.operation == Operation::flush ||
                   (each.request.operation == Operation::trim && !each.request.queued);
        };
        while (!waiting.empty() && outstanding.size() < 32 &&
               (outstanding.empty() || (!alone(waiting.front()) && !alone(outstanding.front())))) {
            if (checker != nullptr) {
                checker->issued(waiting.front().request, waiting.front().purpose);
            }
            outstanding.push_back(waiting.front());
            all.push_back(waiting.front());
            waiting.erase(waiting.begin());
        }
        if (source.ended()) {
            break;
        }
        const auto wakes = source.wakes_at();
        if (outstanding.empty()) {
            if (!wakes) {
                ADD_FAILURE() << "the source waits for nothing and has not ended";
                break;
            }
            now = std::max(now, *wakes);
            continue;
        }
        const Ps at = now + Ps{static_cast<std::int64_t>(1 + random.below(300)) * 1'000'000};
        if (wakes && *wakes < at) {
            now = std::max(now, *wakes);
            continue;
        }
        now = at;
        const std::size_t pick = random.below(outstanding.size());
        const Seen done = outstanding[pick];
        outstanding.erase(outstanding.begin() + static_cast<std::ptrdiff_t>(pick));
        source.advance(now);
        if (checker != nullptr) {
            checker->look();
            checker->completed(done.request, done.purpose);
        }
        source.completed(done.request.token, true, now);
    }
    EXPECT_TRUE(source.ended());
    return all;
}

/// Threads that make random calls, each on its own files.
class RandomCalls final : public FsBenchmark {
  public:
    RandomCalls(std::uint64_t seed, std::uint64_t calls, Filesystem& filesystem, HostScheduler& scheduler)
        : calls_(calls), seed_(seed), filesystem_(filesystem), scheduler_(scheduler) {}

    Task<void> run() override {
        fw::Join done(scheduler_.executor(), "threads");
        for (std::uint32_t i = 0; i < 3; ++i) {
            done.add();
            scheduler_.spawn(thread(i, done));
        }
        co_await done.wait();
        co_await filesystem_.sync();
    }
    [[nodiscard]] const BenchmarkTimes& times() const override { return times_; }

  private:
    Task<void> thread(std::uint32_t number, fw::Join& done) {
        Random random(seed_ * 31 + number);
        std::vector<FileId> files;
        const DirectoryId directory = number == 0 ? kRoot : co_await filesystem_.make_directory();
        for (std::uint64_t i = 0; i < calls_; ++i) {
            const std::uint64_t kind = random.below(100);
            if (files.empty() || kind < 35) {
                const std::uint64_t bytes =
                    random.chance(0.1) ? 1 + random.below(200'000) : 1 + random.below(9000);
                const FileId file = co_await filesystem_.create(directory, bytes);
                if (file != kNoFile) {
                    files.push_back(file);
                }
                continue;
            }
            const std::size_t pick = random.below(files.size());
            const FileId file = files[pick];
            if (kind < 50) {
                const bool grown = co_await filesystem_.append(file, 1 + random.below(20'000));
                times_.operations += grown ? 1 : 0;
            } else if (kind < 60) {
                co_await filesystem_.read(file);
            } else if (kind < 68) {
                co_await filesystem_.fsync(file, number);
            } else if (kind < 69) {
                co_await filesystem_.sync();
            } else {
                files.erase(files.begin() + static_cast<std::ptrdiff_t>(pick));
                co_await filesystem_.remove(file);
            }
        }
        while (!files.empty()) {
            co_await filesystem_.remove(files.back());
            files.pop_back();
        }
        if (directory != kRoot) {
            co_await filesystem_.remove_directory(directory);
        }
        done.done();
    }

    std::uint64_t calls_;
    std::uint64_t seed_;
    Filesystem& filesystem_;
    HostScheduler& scheduler_;
    BenchmarkTimes times_;
};

/// A small file system in which everything happens soon: several groups, little memory, and a journal that
/// wraps around.
inline FsConfig small_config(Discard discard) {
    FsConfig config;
    config.blocks = 2800;
    config.group_blocks = 512;
    config.flex_groups = 2;
    config.journal_blocks = 256;
    config.discard = discard;
    config.ranges = discard == Discard::batched ? kRangesPerTrim : 1;
    config.trims_outstanding = discard == Discard::queued ? 32 : 1;
    config.memory_bytes = 4 << 20;
    config.commit_interval = Ps{20'000'000'000};
    config.expire = Ps{60'000'000'000};
    config.writeback_interval = Ps{10'000'000'000};
    config.fstrim_interval = Ps{15'000'000'000};
    return config;
}

}  // namespace solidtlm::testbench::fs
