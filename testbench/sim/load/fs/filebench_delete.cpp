// SPDX-License-Identifier: Apache-2.0
//
// Filebench's FILEMICRO_DELETE (workloads/filemicro_delete.f): all threads together create a set of files
// (`paralloc`), write it to disk, and delete it; the deletes are measured.
#include <algorithm>
#include <utility>
#include <vector>

#include "testbench/sim/load/fs/benchmark.h"
#include "testbench/sim/load/random.h"

namespace solidtlm::testbench::fs {
namespace {

class FilebenchDelete final : public FsBenchmark {
  public:
    FilebenchDelete(const FilebenchConfig& config, std::uint64_t seed, Filesystem& filesystem,
                    HostScheduler& scheduler)
        : config_(config), random_(seed), filesystem_(filesystem), scheduler_(scheduler) {}

    Task<void> run() override {
        const std::uint64_t directories = (config_.files + config_.width - 1) / config_.width;
        for (std::uint64_t i = 0; i < directories; ++i) {
            directories_.push_back(co_await filesystem_.make_directory());
        }
        files_.assign(config_.files, kNoFile);
        co_await all(&FilebenchDelete::make);
        co_await filesystem_.sync();
        if (config_.shuffled) {
            for (std::uint64_t i = files_.size(); i > 1; --i) {
                std::swap(files_[i - 1], files_[random_.below(i)]);
            }
        }
        next_ = 0;
        times_.begin = scheduler_.now();
        co_await all(&FilebenchDelete::remove);
        times_.end = scheduler_.now();
        co_await filesystem_.sync();
        times_.synced = scheduler_.now();
    }

    [[nodiscard]] const BenchmarkTimes& times() const override { return times_; }

  private:
    using Part = Task<void> (FilebenchDelete::*)(std::uint64_t);

    Task<void> all(Part part) {
        fw::Join done(scheduler_.executor(), "threads of the benchmark");
        for (std::uint32_t i = 0; i < config_.threads; ++i) {
            done.add();
            scheduler_.spawn(thread(part, done));
        }
        co_await done.wait();
    }
    /// Handles the next file until there is none.
    Task<void> thread(Part part, fw::Join& done) {
        while (next_ < files_.size()) {
            const std::uint64_t file = next_++;
            co_await (this->*part)(file);
        }
        done.done();
    }

    Task<void> make(std::uint64_t index) {
        const FileId file = co_await filesystem_.create(directories_[index / config_.width], config_.bytes);
        files_[index] = file;
    }

    Task<void> remove(std::uint64_t index) {
        if (files_[index] != kNoFile) {
            co_await filesystem_.remove(files_[index]);
            ++times_.operations;
        }
    }

    const FilebenchConfig config_;
    Random random_;
    Filesystem& filesystem_;
    HostScheduler& scheduler_;
    std::vector<DirectoryId> directories_;
    std::vector<FileId> files_;
    std::uint64_t next_ = 0;
    BenchmarkTimes times_;
};

}  // namespace

std::unique_ptr<FsBenchmark> make_filebench_delete(const FilebenchConfig& config, std::uint64_t seed,
                                                   Filesystem& filesystem, HostScheduler& scheduler) {
    return std::make_unique<FilebenchDelete>(config, seed, filesystem, scheduler);
}

}  // namespace solidtlm::testbench::fs
