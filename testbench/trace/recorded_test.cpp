// SPDX-License-Identifier: Apache-2.0
//
// Whole trace files from ../shared/traces, read to the end and compared with the table in their README.
// Skipped where the files are not there.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "fw/testing/places.h"
#include "testbench/trace/trace.h"

namespace solidtlm::testbench {
namespace {

std::string shared_traces() {
    return source_path("../shared/traces/");
}

/// One row of the table. Negative: the table does not say.
struct Row {
    const char* file;
    const char* format;
    bool detected;  ///< by content; otherwise the format must be given
    std::int64_t reads;
    std::int64_t writes;
    std::int64_t trims;  ///< write-zeroes commands count as trims in the table
    double span_s;
    double mean_read;
    double mean_write;
    std::int64_t pages = -1;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.file;
}

class RecordedTrace : public testing::TestWithParam<Row> {};

TEST_P(RecordedTrace, ReadsToTheEndWithTheCountsOfTheTable) {
    const Row& row = GetParam();
    TraceOptions options;
    options.path = shared_traces() + row.file;
    if (!std::filesystem::exists(options.path)) {
        GTEST_SKIP() << options.path << " is not there";
    }
    options.format = row.detected ? "" : row.format;
    const TraceSummary summary = summarize(options);
    EXPECT_EQ(summary.format, row.format);

    const auto zeroes = static_cast<std::int64_t>(summary.counts.write_zeroes);
    const bool in_ranges = std::string_view(row.format) == "cmds";
    EXPECT_EQ(static_cast<std::int64_t>(summary.reads), row.reads);
    EXPECT_EQ(static_cast<std::int64_t>(summary.writes) - zeroes, row.writes);
    EXPECT_EQ(static_cast<std::int64_t>(in_ranges ? summary.trim_ranges : summary.trims) + zeroes, row.trims);
    if (row.span_s >= 0) {
        EXPECT_NEAR(static_cast<double>(summary.span.count()) * 1e-12, row.span_s,
                    row.span_s < 1 ? 0.05 : 1.0);
    }
    if (row.mean_read >= 0 && row.reads > 0) {
        EXPECT_NEAR(static_cast<double>(summary.read_bytes) / static_cast<double>(row.reads), row.mean_read,
                    1.0);
    }
    if (row.mean_write >= 0 && row.writes > 0) {
        EXPECT_NEAR(
            static_cast<double>(summary.write_bytes - summary.zero_bytes) / static_cast<double>(row.writes),
            row.mean_write, 1.0);
    }
    if (row.pages >= 0) {
        EXPECT_EQ(static_cast<std::int64_t>(summary.distinct_pages), row.pages);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Recorded, RecordedTrace,
    testing::Values(
        Row{"recorded/nat_dev_lowmem.nbd.xz", "nbd", true, 34352, 43516, 6060, 210, 52803, 40298, 287418},
        Row{"recorded/nat_pgbench_lowmem.nbd.xz", "nbd", true, 280418, 202257, 146, 173, 10729, 25563,
            258262},
        Row{"recorded/nat_maildir.nbd.xz", "nbd", true, 86, 323713, 103745, 132, 14824, 23563, 44287},
        Row{"recorded/g_ahci_ext4.nbd.xz", "nbd", true, 62569, 55366, 4188, 206, 7939, 16562, 67950},
        Row{"recorded/g_ahci_ext4.cmds.xz", "cmds", true, 62568, 55366, 4188, 205, 7939, 16562, 67950},
        Row{"recorded/g_nvme_xfs.cmds.xz", "cmds", true, 88607, 82061, 13607, 173, 7745, 10991, 55753},
        Row{"recorded/m_ahci_4fs.cmds.xz", "cmds", true, 496, 2417, 941, 124, 15347, 112700, 27026}));

INSTANTIATE_TEST_SUITE_P(
    Public, RecordedTrace,
    testing::Values(
        Row{"public/umass_fin1_50k.trace.xz", "flashsim", false, 29199, 20801, 0, 853, 7630, 6503},
        Row{"public/umass_web1_50k.trace.xz", "flashsim", false, 49990, 10, 0, 129, 15508, 8192},
        Row{"public/msr_ssd_iozone.trace.xz", "disksim", false, 0, 100000, 0, 936, -1, 368557},
        Row{"public/msr_ssd_postmark.trace.xz", "disksim", false, 51780, 10477, 0, 490, 101125, 853005},
        Row{"public/desktop.trace.xz", "disksim", false, 12467, 20060, 0, 8877, 3234, 4896},
        Row{"public/msr_cut10k_rw_20_80.105.trace.xz", "msr_cut", true, 2020, 7980, 0, 243, 1877, 6393},
        Row{"public/msr_cut10k_rw_40_60.1370.trace.xz", "msr_cut", true, 4054, 5946, 0, 86, -1, -1},
        Row{"public/cloudphysics_w.vscsi.xz", "vscsi", true, 46974, 66898, 0, 7200, 38263, 36003},
        Row{"public/mqsim_tpcc-small.trace.xz", "mqsim", true, 4381, 2618, 0, 0.1, 8289, 8939},
        Row{"public/ycsb_ext4.blkparse.xz", "blkparse", true, 9039, 848, 0, -1, 115900, 297104},
        // The table counts 1,101 writes: it misses the record that shares a line with the tar header.
        Row{"public/fiu_mail_10k_md5.blkparse.xz", "fiu", true, 8896, 1102, 0, 24, 4096, 4096},
        Row{"public/nexus5_movie.txt.xz", "nexus5", true, 4523, 258, 0, 998, 28531, 17465}));

/// Whatever was recorded since the table above was written, too.
TEST(RecordedFolder, EveryTraceReadsToItsEnd) {
    const std::filesystem::path folder = shared_traces() + "recorded";
    if (!std::filesystem::exists(folder)) {
        GTEST_SKIP() << folder << " is not there";
    }
    std::uint64_t traces = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.find(".nbd") == std::string::npos && name.find(".cmds") == std::string::npos) {
            continue;
        }
        TraceOptions options;
        options.path = entry.path().string();
        try {
            EXPECT_GT(summarize(options).requests(), 0U) << name;
        } catch (const InputError& error) {
            ADD_FAILURE() << error.what();
        }
        ++traces;
    }
    EXPECT_GT(traces, 0U);
}

TraceSummary summary_or_skip(const std::string& file) {
    TraceOptions options;
    options.path = shared_traces() + file;
    return std::filesystem::exists(options.path) ? summarize(options) : TraceSummary{};
}

TEST(RecordedContents, IdentitiesAreCountedAsTheTableSays) {
    const TraceSummary mail = summary_or_skip("recorded/nat_maildir.nbd.xz");
    if (mail.requests() == 0) {
        GTEST_SKIP() << shared_traces() << " is not there";
    }
    const std::uint64_t zero_blocks = mail.zero_bytes / 4096;
    EXPECT_NEAR(static_cast<double>(mail.identities - zero_blocks), 1.86e6, 0.005e6);
    EXPECT_NEAR(static_cast<double>(mail.distinct_identities), 1.49e6, 0.005e6);
    const TraceSummary dev = summary_or_skip("recorded/nat_dev_lowmem.nbd.xz");
    const std::uint64_t dev_zero_blocks = dev.zero_bytes / 4096;
    EXPECT_NEAR(static_cast<double>(dev.identities - dev_zero_blocks), 428e3, 0.5e3);
    EXPECT_NEAR(static_cast<double>(dev.distinct_identities), 325e3, 0.5e3);
}

TEST(RecordedCommands, QueueDepthStaysWithinTheHostsTags) {
    const TraceSummary ahci = summary_or_skip("recorded/g_ahci_ext4.cmds.xz");
    if (ahci.requests() == 0) {
        GTEST_SKIP() << shared_traces() << " is not there";
    }
    EXPECT_EQ(ahci.deepest_queue, 32U) << "NCQ has 32 tags, and the job filled them";
    EXPECT_EQ(ahci.flushes, 8353U);
}

TEST(RecordedOrder, ClockJumpAndDisorderOfTheBlkparseTraceAreMended) {
    const TraceSummary ycsb = summary_or_skip("public/ycsb_ext4.blkparse.xz");
    if (ycsb.requests() == 0) {
        GTEST_SKIP() << shared_traces() << " is not there";
    }
    EXPECT_EQ(ycsb.counts.clamped, 1U) << "the last event's clock is 40 years ahead";
    EXPECT_EQ(ycsb.counts.reordered, 3712U);
    EXPECT_NEAR(static_cast<double>(ycsb.span.count()) * 1e-12, 810.38, 0.01);
}

}  // namespace
}  // namespace solidtlm::testbench
