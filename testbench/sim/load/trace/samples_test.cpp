// SPDX-License-Identifier: Apache-2.0
//
// The samples in traces/ contain what their README says.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "fw/testing/places.h"
#include "testbench/sim/load/trace/trace.h"

namespace solidtlm::testbench {
namespace {

struct Sample {
    const char* file;
    std::uint64_t reads;
    std::uint64_t writes;
    std::uint64_t trims;
    std::uint64_t ranges;  ///< ranges of the trims
    std::uint64_t flushes;
    std::int64_t span_us;
    std::uint64_t disk_gib;
    std::uint64_t read_bytes;
    std::uint64_t write_bytes;
    std::uint64_t trim_bytes;
    std::uint64_t pages;       ///< 4 KiB pages read or written
    std::uint64_t identities;  ///< including zero blocks
    std::uint64_t distinct;    ///< different identities, zero excluded
    std::uint32_t deepest;     ///< largest number of commands outstanding
};

void PrintTo(const Sample& sample, std::ostream* out) {
    *out << sample.file;
}

TraceOptions options_of(const std::string& path) {
    TraceOptions options;
    options.path = path;
    return options;
}

class SampleTrace : public testing::TestWithParam<Sample> {};

TEST_P(SampleTrace, AgreesWithTheCounts) {
    const Sample& sample = GetParam();
    TraceOptions options = options_of(source_path(std::string("traces/") + sample.file));
    options.device_sectors = sample.disk_gib << 21;  // every address must lie on the recorded disk
    const TraceSummary summary = summarize(options);
    EXPECT_EQ(summary.reads, sample.reads);
    EXPECT_EQ(summary.writes, sample.writes);
    EXPECT_EQ(summary.trims, sample.trims);
    EXPECT_EQ(summary.trim_ranges, sample.ranges);
    EXPECT_EQ(summary.flushes, sample.flushes);
    EXPECT_EQ(summary.span, std::chrono::microseconds(sample.span_us));
    EXPECT_EQ(summary.read_bytes, sample.read_bytes);
    EXPECT_EQ(summary.write_bytes, sample.write_bytes);
    EXPECT_EQ(summary.trim_bytes, sample.trim_bytes);
    EXPECT_EQ(summary.distinct_pages, sample.pages);
    EXPECT_EQ(summary.identities, sample.identities);
    EXPECT_EQ(summary.distinct_identities, sample.distinct);
    EXPECT_EQ(summary.deepest_queue, sample.deepest);
}

// Counted in the files' text by a short Python script that shares no code with the reader: lines by op; sums
// of nsect (for trims, of the ranges); the set of lba / 8 to (lba + nsect - 1) / 8 of reads and writes; the
// tokens of the content column. Outstanding commands are those sent earlier whose t_us + latency_us is later.
INSTANTIATE_TEST_SUITE_P(
    Samples, SampleTrace,
    testing::Values(Sample{"sample.nbd.xz", 9267, 10175, 872, 872, 8191, 29'981'541, 8, 434'266'112,
                           355'770'368, 4'837'273'600, 121'969, 86'858, 80'252, 0},
                    Sample{"pgbench.nbd.xz", 6909, 15671, 28, 28, 3430, 9'997'397, 4, 312'803'328,
                           1'170'636'800, 562'327'552, 169'540, 285'800, 202'065, 0},
                    Sample{"maildir.nbd.xz", 1, 14214, 4570, 4570, 9558, 4'999'722, 2, 16'384, 332'414'976,
                           530'485'248, 27'331, 81'156, 66'467, 0},
                    Sample{"ahci_ext4.cmds.xz", 20187, 13219, 78, 244, 33, 18'004'426, 2, 159'391'744,
                           102'719'488, 4'378'365'952, 25'367, 0, 0, 32},
                    Sample{"nvme_xfs.cmds.xz", 1775, 1727, 103, 1143, 395, 29'183'846, 2, 30'620'160,
                           181'429'248, 40'095'744, 40'069, 0, 0, 134},
                    Sample{"four_fs.cmds.xz", 496, 2417, 480, 941, 88, 123'898'440, 2, 7'612'416, 272'396'288,
                           14'649'446'400, 27'026, 0, 0, 18}));

}  // namespace
}  // namespace solidtlm::testbench
