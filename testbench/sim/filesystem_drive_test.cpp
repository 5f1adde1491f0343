// SPDX-License-Identifier: Apache-2.0
//
// Benchmarks on a file system on the whole tiny drive: every read is compared with the written data.
#include <filesystem>
#include <string>
#include <vector>

#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/load/fs/fs_source.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr const char* kSmall = ",journal=1MiB,memory=1MiB,expire=50ms,writeback=20ms";

SimulationOutcome run(const std::string& spec, const platform::Configuration& configuration,
                      const RecorderSettings& record = {}) {
    fs::FsSource source(fs::parse_fs_workload(spec + kSmall, configuration.firmware.exported_sectors));
    RunSpec settings = run_of(configuration);
    settings.record = record;
    SimulationOutcome outcome = simulate(settings, source, OpenLoop());
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    return outcome;
}

class FilesystemOnDrive : public testing::TestWithParam<const char*> {};

TEST_P(FilesystemOnDrive, ReadsBackWrittenDataAndTrims) {
    const std::string discard = GetParam();
    const std::string interval = discard == "fstrim" ? ",fstrim_interval=30ms" : "";
    const Json result =
        run("postmark,files=300,transactions=3000,fsync=0.05,threads=3,directories=3,cpu_time=5us,"
            "commit=20ms,discard=" +
                discard + interval,
            preset("tiny", {"content=tags"}))
            .result;
    const Json& fs = result.at("filesystem");
    EXPECT_EQ(fs.at("operations"), 3000);
    EXPECT_EQ(fs.at("no_space"), 0);
    EXPECT_EQ(fs.at("failed_requests"), 0);
    EXPECT_GT(result.at("verify").at("reads_checked"), 100);
    EXPECT_EQ(result.at("verify").at("mismatches"), 0);
    EXPECT_EQ(result.at("host").at("trim").at("count"), fs.at("trims")) << "one command each";
    EXPECT_EQ(fs.at("trims") > 0, discard != "none");
    EXPECT_EQ(result.at("host").at("flush").at("count"), fs.at("flushes"));
    EXPECT_GT(fs.at("tail_updates"), 0) << "the log wraps around";
}

INSTANTIATE_TEST_SUITE_P(Modes, FilesystemOnDrive,
                         testing::Values("none", "per_extent", "batched", "queued", "fstrim"));

class FilesystemOnVariants : public testing::TestWithParam<std::uint64_t> {};

TEST_P(FilesystemOnVariants, VerifiesOnEveryDrive) {
    const std::uint64_t seed = GetParam();
    constexpr std::array<const char*, 4> kDiscards{"batched", "queued", "per_extent", "fstrim"};
    const std::string discard = kDiscards[seed % kDiscards.size()];
    const Json result =
        run("postmark,files=200,transactions=1500,fsync=0.1,threads=2,cpu_time=5us,commit=20ms,discard=" +
                discard + ",seed=" + std::to_string(seed),
            random_variant(seed))
            .result;
    EXPECT_EQ(result.at("verify").at("mismatches"), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FilesystemOnVariants, testing::Range<std::uint64_t>(1, 9));

TEST(FilesystemOnDrive, DeletesOfFilebench) {
    const Json result = run("filebench_delete,files=400,threads=16,width=50,order=random,cpu_time=200us,"
                            "commit=1ms,discard=batched",
                            preset("tiny", {"content=tags"}))
                            .result;
    EXPECT_EQ(result.at("filesystem").at("operations"), 400);
    EXPECT_GT(result.at("filesystem").at("trim_ranges"), result.at("filesystem").at("trims"));
}

}  // namespace
}  // namespace solidtlm::testbench
