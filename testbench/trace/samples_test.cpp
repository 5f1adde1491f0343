// SPDX-License-Identifier: Apache-2.0
//
// The samples in traces/: what their README says of them, and that they are what was recorded.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <unordered_map>

#include "fw/testing/places.h"
#include "testbench/trace/trace.h"

namespace solidtlm::testbench {
namespace {

struct Sample {
    const char* file;
    const char* original;
    std::uint64_t skip;  ///< requests of the original before the sample
    std::uint64_t reads;
    std::uint64_t writes;
    std::uint64_t trims;
    std::uint64_t flushes;
    double span_s;
    std::uint64_t disk_gib;
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

TEST_P(SampleTrace, HoldsWhatTheReadmeSays) {
    const Sample& sample = GetParam();
    TraceOptions options = options_of(source_path(std::string("traces/") + sample.file));
    options.device_sectors = sample.disk_gib << 21;  // the recorded disk: every address lies on it
    const TraceSummary summary = summarize(options);
    EXPECT_EQ(summary.reads, sample.reads);
    EXPECT_EQ(summary.writes, sample.writes);
    EXPECT_EQ(summary.trims, sample.trims);
    EXPECT_EQ(summary.flushes, sample.flushes);
    EXPECT_NEAR(static_cast<double>(summary.span.count()) * 1e-12, sample.span_s, 0.05);
}

/// Content identities of the sample, renumbered, must name the same contents as those of the original: one
/// identity there, one here.
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

TEST_P(SampleTrace, IsASliceOfTheRecording) {
    const Sample& sample = GetParam();
    TraceOptions whole = options_of(source_path(std::string("../shared/traces/recorded/") + sample.original));
    if (!std::filesystem::exists(whole.path)) {
        GTEST_SKIP() << whole.path << " is not there";
    }
    whole.skip = sample.skip;
    const auto there = open_trace(whole);
    const auto here = open_trace(options_of(source_path(std::string("traces/") + sample.file)));
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

// The counts are from the files' text (awk on the op column).
INSTANTIATE_TEST_SUITE_P(
    Samples, SampleTrace,
    testing::Values(Sample{"sample.nbd.xz", "nat_dev_lowmem.nbd.xz", 44672, 9267, 10175, 872, 8191, 30, 8},
                    Sample{"pgbench.nbd.xz", "nat_pgbench_lowmem.nbd.xz", 417907, 6909, 15671, 28, 3430, 10,
                           4},
                    Sample{"maildir.nbd.xz", "nat_maildir.nbd.xz", 453194, 1, 14214, 4570, 9558, 5, 2},
                    Sample{"ahci_ext4.cmds.xz", "g_ahci_ext4.cmds.xz", 96717, 20187, 13219, 78, 33, 18, 2}));

}  // namespace
}  // namespace solidtlm::testbench
