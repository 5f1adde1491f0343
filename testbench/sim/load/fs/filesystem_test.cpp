// SPDX-License-Identifier: Apache-2.0
//
// Requests of small programs, worked out by hand.
#include <string>

#include "testbench/sim/load/answered_source.h"
#include "testbench/sim/load/fs/fs_test_support.h"

namespace solidtlm::testbench::fs {
namespace {

constexpr Ps kSecond{1'000'000'000'000};

/// Runs a member function of the test as a program.
class Program : public FsBenchmark {
  public:
    Program(Filesystem& fs, HostScheduler& host) : filesystem(fs), scheduler(host) {}
    [[nodiscard]] const BenchmarkTimes& times() const override { return times_; }

  protected:
    Filesystem& filesystem;
    HostScheduler& scheduler;

  private:
    BenchmarkTimes times_;
};

template <class P>
std::vector<Request> requests_of(const FsConfig& config) {
    FsSource source(config, [](Filesystem& filesystem, HostScheduler& scheduler) {
        return std::make_unique<P>(filesystem, scheduler);
    });
    AnsweredSource answered(source, kService);
    std::vector<Request> all;
    for (Request request; answered.next(request);) {
        all.push_back(request);
    }
    return all;
}

/// A request as text, in blocks: "W 640+2" and so on.
std::string text(const Request& request) {
    const std::string place = std::to_string(request.lba.value / kSectorsPerBlock) + "+" +
                              std::to_string(request.sectors / kSectorsPerBlock);
    switch (request.operation) {
        case Operation::read:
            return "R " + place;
        case Operation::write:
            return (request.fua ? "WF " : "W ") + place;
        case Operation::flush:
            return "F";
        case Operation::trim:
            break;
    }
    std::string ranges = request.queued ? "TQ" : "T";
    for (const TrimRange& range : request.ranges) {
        ranges += " " + std::to_string(range.lba.value / kSectorsPerBlock) + "+" +
                  std::to_string(range.sectors / kSectorsPerBlock);
    }
    return ranges;
}

std::vector<std::string> texts(const std::vector<Request>& requests) {
    std::vector<std::string> all;
    for (const Request& request : requests) {
        all.push_back(text(request));
    }
    return all;
}

/// One group of 2,048 blocks: superblock 0, descriptors 1, bitmaps 2 and 3, 512 inodes in blocks 4-35, the
/// journal's superblock at 36, its log from 37 to 1,059; the root directory has the next block, 1,060; small
/// files take theirs from 1,061 on.
FsConfig one_group(Discard discard) {
    FsConfig config;
    config.blocks = 2048;
    config.discard = discard;
    return config;
}

class CreateAndRemove final : public Program {
  public:
    using Program::Program;
    Task<void> run() override {
        const FileId file = co_await filesystem.create(kRoot, 5000);
        co_await filesystem.fsync(file, 0);
        co_await filesystem.remove(file);
        co_await filesystem.sync();
    }
};

// Create and fsync write the data; a descriptor and five blocks of metadata (directory, inode table, inode
// bitmap, block bitmap, descriptors); and the commit block between two flushes. Remove also writes the
// superblock (list of orphans).
TEST(Filesystem, SendsTheRequestsOfExt4) {
    EXPECT_EQ(texts(requests_of<CreateAndRemove>(one_group(Discard::per_extent))),
              (std::vector<std::string>{"W 1061+2", "W 37+6", "F", "W 43+1", "F", "W 44+7", "F", "W 51+1",
                                        "F", "T 1061+2"}));
}

TEST(Filesystem, CommitsWithFuaWhenToldTo) {
    FsConfig config = one_group(Discard::none);
    config.fua = true;
    EXPECT_EQ(texts(requests_of<CreateAndRemove>(config)),
              (std::vector<std::string>{"W 1061+2", "W 37+6", "F", "WF 43+1", "W 44+7", "F", "WF 51+1"}));
}

/// Makes files of one block each and removes every second one.
template <std::uint64_t kFiles>
class RemoveEverySecond final : public Program {
  public:
    using Program::Program;
    Task<void> run() override {
        std::vector<FileId> files;
        for (std::uint64_t i = 0; i < kFiles; ++i) {
            files.push_back(co_await filesystem.create(kRoot, 100));
        }
        co_await filesystem.sync();
        for (std::uint64_t i = 0; i < kFiles; i += 2) {
            co_await filesystem.remove(files[i]);
        }
        co_await filesystem.sync();
    }
};

template <class P>
std::vector<Request> trims_of(const FsConfig& config) {
    std::vector<Request> trims = requests_of<P>(config);
    std::erase_if(trims, [](const Request& request) { return request.operation != Operation::trim; });
    return trims;
}

// 130 extents that are not adjacent.
TEST(Filesystem, TrimsFreedExtentsAsTheModeSays) {
    constexpr std::uint64_t kFiles = 260;
    using P = RemoveEverySecond<kFiles>;
    const auto one_each = trims_of<P>(one_group(Discard::per_extent));
    ASSERT_EQ(one_each.size(), kFiles / 2);
    EXPECT_GE(one_each[1].arrival - one_each[0].arrival, kService)
        << "each trim is waited for before the next";
    FsConfig config = one_group(Discard::batched);
    config.ranges = 64;
    const auto batched = trims_of<P>(config);
    ASSERT_EQ(batched.size(), 3U);
    EXPECT_EQ(batched[0].ranges.size(), 64U);
    EXPECT_EQ(batched[2].ranges.size(), 2U);
    EXPECT_FALSE(batched[0].queued);
    config = one_group(Discard::queued);
    config.trims_outstanding = 32;
    const auto queued = trims_of<P>(config);
    ASSERT_EQ(queued.size(), kFiles / 2);
    EXPECT_TRUE(queued[0].queued);
    EXPECT_EQ(queued[31].arrival, queued[0].arrival);
    EXPECT_GT(queued[32].arrival, queued[0].arrival);
    EXPECT_TRUE(trims_of<P>(one_group(Discard::none)).empty());
}

TEST(Filesystem, NeighboursFreedInOneTransactionAreOneExtent) {
    class RemoveAll final : public Program {
      public:
        using Program::Program;
        Task<void> run() override {
            std::vector<FileId> files;
            for (int i = 0; i < 10; ++i) {
                files.push_back(co_await filesystem.create(kRoot, 5000));
            }
            co_await filesystem.sync();
            for (const FileId file : {files[3], files[1], files[2]}) {
                co_await filesystem.remove(file);
            }
            co_await filesystem.sync();
        }
    };
    const auto trims = trims_of<RemoveAll>(one_group(Discard::per_extent));
    ASSERT_EQ(trims.size(), 1U);
    EXPECT_EQ(text(trims[0]), "T 1063+6");
}

TEST(Filesystem, ABackgroundTrimDoesNotHoldUpTheCommit) {
    class RemoveAndFsync final : public Program {
      public:
        using Program::Program;
        Task<void> run() override {
            const FileId kept = co_await filesystem.create(kRoot, 100);
            const FileId gone = co_await filesystem.create(kRoot, 100);
            co_await filesystem.sync();
            co_await filesystem.remove(gone);
            co_await filesystem.append(kept, 1);
            co_await filesystem.fsync(kept, 0);
            co_await filesystem.append(kept, 1);
            co_await filesystem.fsync(kept, 0);
        }
    };
    FsConfig config = one_group(Discard::per_extent);
    config.cpu_time = Ps{1'000'000};
    const auto wait = texts(requests_of<RemoveAndFsync>(config));
    config.discard_in_background = true;
    const auto background = texts(requests_of<RemoveAndFsync>(config));
    // The trim is the last request of its commit. If the commit waits for it, the data of the second append
    // comes after it; both modes send the same number of requests.
    EXPECT_EQ(wait.size(), background.size());
    const auto trim_at = [](const std::vector<std::string>& all) {
        return std::find(all.begin(), all.end(), "T 1062+1") - all.begin();
    };
    EXPECT_LT(trim_at(wait), static_cast<std::ptrdiff_t>(wait.size()));
    EXPECT_LE(trim_at(wait), trim_at(background));
}

/// Makes a file and waits for a minute.
class Idle final : public Program {
  public:
    using Program::Program;
    Task<void> run() override {
        co_await filesystem.create(kRoot, 5000);
        co_await scheduler.sleep(70 * kSecond);
    }
};

// The create at 20 us opens a transaction, which is committed 5 s later, without data: no page is mapped yet.
// At its run at 35 s, the flusher finds pages that are 30 s old and maps them in a second transaction, which
// is committed 5 s after it was opened. Metadata of the first commit is written to its place when it is 30 s
// old, at 40 s.
TEST(Filesystem, WritesBackByAge) {
    const auto all = requests_of<Idle>(one_group(Discard::none));
    const Ps cpu{20'000'000};
    ASSERT_GE(all.size(), 9U);
    EXPECT_EQ(text(all[0]), "W 37+5") << "a descriptor; directory, inode table, inode bitmap, descriptors";
    EXPECT_EQ(all[0].arrival, 5 * kSecond + cpu);
    EXPECT_EQ(text(all[4]), "W 1061+2");
    EXPECT_EQ(all[4].arrival, 35 * kSecond);
    EXPECT_EQ(text(all[5]), "W 43+4") << "a descriptor; inode table, block bitmap, descriptors";
    EXPECT_EQ(all[5].arrival, 40 * kSecond);
}

/// Reads a file that was evicted from a page cache of 1 MiB.
class ReadBack final : public Program {
  public:
    using Program::Program;
    Task<void> run() override {
        const FileId first = co_await filesystem.create(kRoot, 9000);
        co_await filesystem.sync();
        co_await filesystem.read(first);  // from the page cache
        for (int i = 0; i < 3; ++i) {
            co_await filesystem.create(kRoot, 400'000);
            co_await filesystem.sync();
        }
        co_await filesystem.read(first);
        co_await filesystem.read(first);
    }
};

TEST(Filesystem, ReadsUncachedData) {
    FsConfig config = one_group(Discard::none);
    config.memory_bytes = 1 << 20;
    auto all = texts(requests_of<ReadBack>(config));
    std::erase_if(all, [](const std::string& request) { return request[0] != 'R'; });
    EXPECT_EQ(all, (std::vector<std::string>{"R 1061+3"}));
}

/// Fills the file system twice, which needs the blocks that it has freed.
class FillTwice final : public Program {
  public:
    using Program::Program;
    Task<void> run() override {
        for (int round = 0; round < 3; ++round) {
            const FileId file = co_await filesystem.create(kRoot, 700 * kBlockBytes);
            EXPECT_NE(file, kNoFile) << "removed blocks become free with a commit";
            co_await filesystem.remove(file);
            EXPECT_EQ(co_await filesystem.create(kRoot, 2000 * kBlockBytes), kNoFile);
        }
        co_await filesystem.sync();
    }
};

TEST(Filesystem, CommitsWhenSpaceRunsOutAndReportsWhenThereIsNone) {
    requests_of<FillTwice>(one_group(Discard::batched));
}

}  // namespace
}  // namespace solidtlm::testbench::fs
