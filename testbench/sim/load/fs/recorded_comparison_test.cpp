// SPDX-License-Identifier: Apache-2.0
//
// The block stream of the model beside one recorded from a real ext4 with `-o discard` under a similar
// workload: a mail spool with small files, fsync and delete (docs/filesystem.md has the table). The programs
// are not the same, so the pattern of a commit must agree, not the numbers.
#include <cstdio>
#include <functional>

#include "fw/testing/places.h"
#include "testbench/sim/load/answered_source.h"
#include "testbench/sim/load/fs/fs_source.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/sim/load/trace/trace.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench::fs {
namespace {

/// Properties of a stream. The journal's place is known; a commit is the first one-block write there after a
/// flush.
struct Shape {
    std::uint64_t commits = 0;
    std::uint64_t flushes = 0;
    std::uint64_t log_writes = 0;
    std::uint64_t log_blocks = 0;
    std::uint64_t commits_flushed = 0;  ///< commits followed directly by a flush, trims aside
    std::uint64_t data_writes = 0;      ///< writes outside the journal
    std::uint64_t data_blocks = 0;
    std::uint64_t data_up_to_4 = 0;  ///< data writes of at most 16 KiB
    std::uint64_t trims = 0;
    std::uint64_t ranges = 0;
    std::uint64_t trim_blocks = 0;
    std::uint64_t trims_up_to_4 = 0;

    void print(const char* name) const {
        const auto per = [](std::uint64_t a, std::uint64_t b) {
            return static_cast<double>(a) / static_cast<double>(b);
        };
        std::printf(
            "%-9s commits %llu | per commit: flushes %.2f, log writes %.2f of %.1f blocks, other writes %.2f "
            "of %.1f blocks (%.0f %% up to 16 KiB), trims %.2f | ranges a trim %.2f, blocks %.1f "
            "(%.0f %% up to 16 KiB)\n",
            name, static_cast<unsigned long long>(commits), per(flushes, commits), per(log_writes, commits),
            per(log_blocks, log_writes), per(data_writes, commits), per(data_blocks, data_writes),
            100 * per(data_up_to_4, data_writes), per(trims, commits), per(ranges, trims),
            per(trim_blocks, ranges), 100 * per(trims_up_to_4, ranges));
    }
};

Shape shape_of(RequestSource& source, const Extent& journal) {
    Shape shape;
    bool behind_flush = false;
    bool behind_commit = false;
    for (Request request; source.next(request);) {
        const Block block = request.lba.value / kSectorsPerBlock;
        const std::uint64_t blocks = (request.sectors + kSectorsPerBlock - 1) / kSectorsPerBlock;
        switch (request.operation) {
            case Operation::flush:
                ++shape.flushes;
                shape.commits_flushed += behind_commit ? 1 : 0;
                behind_flush = true;
                behind_commit = false;
                break;
            case Operation::trim:
                ++shape.trims;
                for (const TrimRange& range : request.ranges) {
                    const std::uint64_t length = range.sectors / kSectorsPerBlock;
                    ++shape.ranges;
                    shape.trim_blocks += length;
                    shape.trims_up_to_4 += length <= 4 ? 1 : 0;
                }
                break;
            case Operation::write:
                if (block < journal.first || block >= journal.end()) {
                    ++shape.data_writes;
                    shape.data_blocks += blocks;
                    shape.data_up_to_4 += blocks <= 4 ? 1 : 0;
                } else if (behind_flush && blocks == 1 && block != journal.first) {
                    ++shape.commits;
                    behind_commit = true;
                } else {
                    ++shape.log_writes;
                    shape.log_blocks += blocks;
                }
                behind_flush &= block < journal.first || block >= journal.end();
                break;
            case Operation::read:
                break;
        }
    }
    return shape;
}

TEST(RecordedComparison, TheModelCommitsAsExt4Does) {
    constexpr std::uint64_t kRecordedSectors = 4'194'304;  // 2 GiB, as in the recording
    TraceOptions options;
    options.path = source_path("traces/maildir.nbd.xz");
    TraceSource trace(options);
    // Since 5.15, Linux trims in the background. As in the recording, one writer at a time writes every
    // message to disk, and messages are 13 KB long on average.
    FsSource source(
        parse_fs_workload("postmark,files=500,transactions=20k,fsync=1,size=500-25000,directories=20,"
                          "trim_at=background,memory=1GiB",
                          kRecordedSectors));
    const Extent journal = source.filesystem().layout().journal();
    const Shape recorded = shape_of(trace, journal);
    AnsweredSource answered(source, Ps{100'000'000});
    const Shape model = shape_of(answered, journal);
    recorded.print("recorded");
    model.print("model");
    const auto ratio = [](std::uint64_t a, std::uint64_t b) {
        return static_cast<double>(a) / static_cast<double>(b);
    };
    // Counted in the trace's text with awk; the journal is at blocks 262,144 to 278,527.
    EXPECT_EQ(recorded.commits, 4662U);
    EXPECT_EQ(recorded.flushes, 9558U);
    EXPECT_EQ(recorded.commits_flushed, 4662U);
    EXPECT_EQ(recorded.log_writes, 4781U);
    EXPECT_EQ(recorded.log_blocks, 61783U);
    EXPECT_EQ(recorded.data_writes, 4771U);
    EXPECT_EQ(recorded.data_blocks, 14711U);
    EXPECT_EQ(recorded.data_up_to_4, 3928U);
    EXPECT_EQ(recorded.trims, 4570U);
    EXPECT_EQ(recorded.trim_blocks, 129'513U);
    EXPECT_EQ(recorded.trims_up_to_4, 2307U);
    EXPECT_GT(model.commits, 5000U);
    for (const Shape& shape : {recorded, model}) {
        EXPECT_NEAR(ratio(shape.flushes, shape.commits), 2.0, 0.1)
            << "one before and one after the commit block";
        EXPECT_GT(ratio(shape.commits_flushed, shape.commits), 0.7);
        EXPECT_NEAR(ratio(shape.log_writes, shape.commits), 1.0, 0.1) << "the log is written in sequence";
        EXPECT_EQ(shape.ranges, shape.trims) << "Linux sends one extent per command";
        EXPECT_GT(ratio(shape.data_up_to_4, shape.data_writes), 0.7);
        EXPECT_GT(ratio(shape.trims_up_to_4, shape.ranges), 0.4);
    }
    const auto alike = [](double a, double b, double factor) { return a < b * factor && b < a * factor; };
    EXPECT_TRUE(
        alike(ratio(recorded.log_blocks, recorded.log_writes), ratio(model.log_blocks, model.log_writes), 2));
    EXPECT_TRUE(alike(ratio(recorded.trims, recorded.commits), ratio(model.trims, model.commits), 3));
    EXPECT_TRUE(alike(ratio(recorded.data_blocks, recorded.data_writes),
                      ratio(model.data_blocks, model.data_writes), 2));
}

}  // namespace
}  // namespace solidtlm::testbench::fs
