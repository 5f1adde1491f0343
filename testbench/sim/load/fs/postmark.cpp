// SPDX-License-Identifier: Apache-2.0
//
// PostMark (Katcher 1997, version 1.5): a pool of small files. Each transaction has two halves: one reads a
// file or appends to it, the other creates or deletes one. At the end, every file is deleted. As in the
// original, the pool has room for twice its initial number of files, a file is read as a whole, an append
// adds from 1 byte up to the rest of the largest size, and sizes are uniform. Threads (the original has one)
// have equal parts of pool and transactions.
#include <algorithm>
#include <vector>

#include "testbench/sim/load/fs/benchmark.h"
#include "testbench/sim/load/random.h"

namespace solidtlm::testbench::fs {
namespace {

class Postmark final : public FsBenchmark {
  public:
    Postmark(const PostmarkConfig& config, std::uint64_t seed, Filesystem& filesystem,
             HostScheduler& scheduler)
        : config_(config), filesystem_(filesystem), scheduler_(scheduler) {
        for (std::uint32_t i = 0; i < config.threads; ++i) {
            threads_.push_back({i, Random(seed + i * kSeedStep), {}});
        }
    }

    Task<void> run() override {
        for (std::uint64_t i = 0; i < config_.directories; ++i) {
            directories_.push_back(co_await filesystem_.make_directory());
        }
        co_await all(&Postmark::fill);
        times_.begin = scheduler_.now();
        co_await all(&Postmark::transact);
        times_.end = scheduler_.now();
        co_await all(&Postmark::clear);
        for (const DirectoryId directory : directories_) {
            if (directory != kRoot) {
                co_await filesystem_.remove_directory(directory);
            }
        }
        co_await filesystem_.sync();
        times_.synced = scheduler_.now();
    }

    [[nodiscard]] const BenchmarkTimes& times() const override { return times_; }

  private:
    static constexpr std::uint64_t kSeedStep = 0x9E3779B97F4A7C15U;
    struct Thread {
        std::uint32_t number = 0;
        Random random;
        std::vector<FileId> pool;
    };
    using Part = Task<void> (Postmark::*)(Thread&);

    Task<void> all(Part part) {
        fw::Join done(scheduler_.executor(), "threads of the benchmark");
        for (Thread& thread : threads_) {
            done.add();
            scheduler_.spawn(one(part, thread, done));
        }
        co_await done.wait();
    }
    Task<void> one(Part part, Thread& thread, fw::Join& done) {
        co_await (this->*part)(thread);
        done.done();
    }
    /// This thread's share of `count`.
    [[nodiscard]] std::uint64_t share(std::uint64_t count, const Thread& thread) const {
        return count * (thread.number + 1) / config_.threads - count * thread.number / config_.threads;
    }

    Task<void> fill(Thread& thread) {
        const std::uint64_t files = share(config_.files, thread);
        for (std::uint64_t i = 0; i < files; ++i) {
            co_await create(thread);
        }
    }

    Task<void> transact(Thread& thread) {
        const std::uint64_t transactions = share(config_.transactions, thread);
        for (std::uint64_t i = 0; i < transactions && !thread.pool.empty(); ++i) {
            const FileId file = thread.pool[thread.random.below(thread.pool.size())];
            if (thread.random.chance(config_.read_share)) {
                co_await filesystem_.read(file);
            } else {
                co_await append(thread, file);
            }
            if (!thread.random.chance(config_.create_share)) {
                co_await remove(thread);
            } else if (thread.pool.size() < 2 * share(config_.files, thread)) {
                co_await create(thread);
            }
            ++times_.operations;
        }
    }

    Task<void> clear(Thread& thread) {
        while (!thread.pool.empty()) {
            co_await filesystem_.remove(thread.pool.back());
            thread.pool.pop_back();
        }
    }

    Task<void> create(Thread& thread) {
        const DirectoryId directory =
            directories_.empty() ? kRoot : directories_[thread.random.below(directories_.size())];
        const std::uint64_t span = config_.largest - config_.smallest;
        const std::uint64_t bytes = config_.smallest + (span > 0 ? thread.random.below(span) : 0);
        const bool durable = thread.random.chance(config_.fsync_share);
        const FileId file = co_await filesystem_.create(directory, bytes);
        if (file != kNoFile) {
            thread.pool.push_back(file);
            if (durable) {
                co_await filesystem_.fsync(file, thread.number);
            }
        }
    }

    Task<void> append(Thread& thread, FileId file) {
        const std::uint64_t size = filesystem_.size(file);
        if (size >= config_.largest) {
            co_return;
        }
        const std::uint64_t bytes = thread.random.below(config_.largest - size) + 1;
        const bool durable = thread.random.chance(config_.fsync_share);
        const bool grown = co_await filesystem_.append(file, bytes);
        if (grown && durable) {
            co_await filesystem_.fsync(file, thread.number);
        }
    }

    Task<void> remove(Thread& thread) {
        const std::uint64_t index = thread.random.below(thread.pool.size());
        const FileId file = thread.pool[index];
        thread.pool[index] = thread.pool.back();
        thread.pool.pop_back();
        co_await filesystem_.remove(file);
    }

    const PostmarkConfig config_;
    Filesystem& filesystem_;
    HostScheduler& scheduler_;
    std::vector<DirectoryId> directories_;
    std::vector<Thread> threads_;
    BenchmarkTimes times_;
};

}  // namespace

std::unique_ptr<FsBenchmark> make_postmark(const PostmarkConfig& config, std::uint64_t seed,
                                           Filesystem& filesystem, HostScheduler& scheduler) {
    return std::make_unique<Postmark>(config, seed, filesystem, scheduler);
}

}  // namespace solidtlm::testbench::fs
