// SPDX-License-Identifier: Apache-2.0
//
// Complete recordings and public traces, read to the end and compared with the tables that accompany them.
#include "testbench/sim/load/trace/whole_traces.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>

#include "fw/testing/places.h"
#include "testbench/sim/load/trace/trace.h"

namespace solidtlm::testbench {
namespace {

/// A row of the table. Negative: the table has no value.
struct Row {
    const char* file;
    const char* format;
    bool detected;  ///< the format is detected from the contents; otherwise it must be given
    std::int64_t reads;
    std::int64_t writes;
    std::int64_t trims;  ///< the table counts write-zeroes commands as trims
    double span_s;
    double mean_read;
    double mean_write;
    std::int64_t pages = -1;
};

const Row kTable[] = {
    Row{"recorded/nat_dev_lowmem.nbd.xz", "nbd", true, 34352, 43516, 6060, 210, 52803, 40298, 287418},
    Row{"recorded/nat_pgbench_lowmem.nbd.xz", "nbd", true, 280418, 202257, 146, 173, 10729, 25563, 258262},
    Row{"recorded/nat_maildir.nbd.xz", "nbd", true, 86, 323713, 103745, 132, 14824, 23563, 44287},
    Row{"recorded/g_ahci_ext4.nbd.xz", "nbd", true, 62569, 55366, 4188, 206, 7939, 16562, 67950},
    Row{"recorded/g_ahci_ext4.cmds.xz", "cmds", true, 62568, 55366, 4188, 205, 7939, 16562, 67950},
    Row{"recorded/g_nvme_xfs.cmds.xz", "cmds", true, 88607, 82061, 13607, 173, 7745, 10991, 55753},
    Row{"recorded/m_ahci_4fs.cmds.xz", "cmds", true, 496, 2417, 941, 124, 15347, 112700, 27026},
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
    Row{"public/nexus5_movie.txt.xz", "nexus5", true, 4523, 258, 0, 998, 28531, 17465}};

TraceSummary summary_of(const std::string& file, const std::string& format = "") {
    TraceOptions options;
    options.path = whole_trace(file);
    options.format = format;
    return summarize(options);
}

void expect_counts(const Row& row) {
    const TraceSummary summary = summary_of(row.file, row.detected ? "" : row.format);
    EXPECT_EQ(summary.format, row.format);

    const auto zeroes = static_cast<std::int64_t>(summary.write_zeroes);
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

/// The sample's renumbered identities must correspond one to one with the original identities.
class SameContents {
  public:
    testing::AssertionResult match(std::uint64_t here, std::uint64_t there) {
        const auto [to_there, new_here] = there_.emplace(here, there);
        const auto [to_here, new_there] = here_.emplace(there, here);
        if (to_there->second != there || to_here->second != here || (here == 0) != (there == 0)) {
            return testing::AssertionFailure() << "identity " << here << " here, " << there << " there";
        }
        return testing::AssertionSuccess();
    }

  private:
    std::unordered_map<std::uint64_t, std::uint64_t> there_;
    std::unordered_map<std::uint64_t, std::uint64_t> here_;
};

/// A file of traces/ and the recording it was cut from.
struct Slice {
    const char* file;
    const char* recording;
    std::uint64_t skip;  ///< requests of the recording before the slice
};

const Slice kSlices[] = {
    {"sample.nbd.xz", "recorded/nat_dev_lowmem.nbd.xz", 44'672},
    {"pgbench.nbd.xz", "recorded/nat_pgbench_lowmem.nbd.xz", 417'907},
    {"maildir.nbd.xz", "recorded/nat_maildir.nbd.xz", 453'194},
    {"ahci_ext4.cmds.xz", "recorded/g_ahci_ext4.cmds.xz", 96'717},
    {"nvme_xfs.cmds.xz", "recorded/g_nvme_xfs.cmds.xz", 37'981},
    {"four_fs.cmds.xz", "recorded/m_ahci_4fs.cmds.xz", 0},
};

void expect_slice(const Slice& slice) {
    TraceOptions whole;
    whole.path = whole_trace(slice.recording);
    whole.skip = slice.skip;
    TraceOptions cut;
    cut.path = source_path(std::string("traces/") + slice.file);
    const auto there = open_trace(whole);
    const auto here = open_trace(cut);
    SameContents contents;
    Request a;
    Request b;
    while (here->next(a)) {
        ASSERT_TRUE(there->next(b));
        ASSERT_EQ(a.operation, b.operation);
        ASSERT_EQ(a.arrival, b.arrival);
        ASSERT_EQ(a.lba, b.lba);
        ASSERT_EQ(a.sectors, b.sectors);
        ASSERT_EQ(a.queued, b.queued);
        ASSERT_EQ(a.ranges.size(), b.ranges.size());
        for (std::size_t i = 0; i < a.ranges.size(); ++i) {
            ASSERT_EQ(a.ranges[i].lba, b.ranges[i].lba);
            ASSERT_EQ(a.ranges[i].sectors, b.ranges[i].sectors);
        }
        ASSERT_EQ(a.content.size(), b.content.size());
        for (std::size_t i = 0; i < a.content.size(); ++i) {
            ASSERT_TRUE(contents.match(a.content[i], b.content[i]));
        }
    }
}

class WholeTraces : public testing::Test {
  protected:
    void SetUp() override {
        if (whole_trace("").empty()) {
            GTEST_SKIP() << kNoWholeTraces;
        }
    }
};

TEST_F(WholeTraces, ReadToTheEndWithTheCountsOfTheTable) {
    for (const Row& row : kTable) {
        SCOPED_TRACE(row.file);
        expect_counts(row);
    }
}

TEST_F(WholeTraces, IdentitiesAreCountedAsTheTableSays) {
    const TraceSummary mail = summary_of("recorded/nat_maildir.nbd.xz");
    const std::uint64_t zero_blocks = mail.zero_bytes / 4096;
    EXPECT_NEAR(static_cast<double>(mail.identities - zero_blocks), 1.86e6, 0.005e6);
    EXPECT_NEAR(static_cast<double>(mail.distinct_identities), 1.49e6, 0.005e6);
    const TraceSummary dev = summary_of("recorded/nat_dev_lowmem.nbd.xz");
    const std::uint64_t dev_zero_blocks = dev.zero_bytes / 4096;
    EXPECT_NEAR(static_cast<double>(dev.identities - dev_zero_blocks), 428e3, 0.5e3);
    EXPECT_NEAR(static_cast<double>(dev.distinct_identities), 325e3, 0.5e3);
}

TEST_F(WholeTraces, QueueDepthStaysWithinTheHostsTags) {
    const TraceSummary ahci = summary_of("recorded/g_ahci_ext4.cmds.xz");
    EXPECT_EQ(ahci.deepest_queue, 32U) << "NCQ has 32 tags, and the job filled them";
    EXPECT_EQ(ahci.flushes, 8353U);
}

TEST_F(WholeTraces, ClockJumpAndDisorderOfTheBlkparseTraceAreFixed) {
    const TraceSummary ycsb = summary_of("public/ycsb_ext4.blkparse.xz");
    EXPECT_EQ(ycsb.counts.clamped, 1U) << "the last event's clock is 40 years ahead";
    EXPECT_EQ(ycsb.counts.reordered, 3712U);
    EXPECT_NEAR(static_cast<double>(ycsb.span.count()) * 1e-12, 810.38, 0.01);
}

TEST_F(WholeTraces, ContainTheSlices) {
    for (const Slice& slice : kSlices) {
        SCOPED_TRACE(slice.file);
        expect_slice(slice);
    }
}

}  // namespace
}  // namespace solidtlm::testbench
