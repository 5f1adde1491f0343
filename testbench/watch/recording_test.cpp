// SPDX-License-Identifier: Apache-2.0
//
// Recorders change nothing: the result is identical to the byte with and without them.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "fw/testing/files.h"
#include "testbench/watch/record_test_support.h"

namespace solidtlm::testbench {
namespace {

/// The result of a run in a child process, without wall times: SystemC elaborates once per process.
std::string result_of(std::uint64_t seed, const RecorderSettings& record, const std::filesystem::path& file) {
    const pid_t child = fork();
    if (child == 0) {
        const platform::Configuration configuration = random_variant(seed);
        RandomMix source(seed, configuration.firmware.exported_sectors, RandomMix::Shares{});
        std::ofstream(file) << to_text(without_wall_times(
            run_recorded(configuration, source, record, 1 + static_cast<std::uint32_t>(seed % 32))));
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return read_file(file);
}

class Recorders : public ::testing::TestWithParam<int> {};

TEST_P(Recorders, DoNotChangeTheResult) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const RecordFolder folder;
    RecorderSettings all;
    all.vcd = folder / "waves.vcd";
    all.timeline = folder / "timeline.json";
    all.commands = folder / "commands.csv.zst";
    all.decisions = folder / "decisions.csv";
    all.fio_log = folder / "fio";
    RecorderSettings window = all;
    window.vcd_window = RecordWindow{Ps{1'000'000'000}, Ps{2'000'000'000}};
    window.timeline_window = window.vcd_window;
    const std::string without = result_of(seed, RecorderSettings{}, folder / "without.json");
    ASSERT_GT(without.size(), 1000U);
    EXPECT_EQ(result_of(seed, all, folder / "all.json"), without);
    EXPECT_EQ(result_of(seed, window, folder / "window.json"), without);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Recorders, ::testing::Values(21, 22, 23, 24));

}  // namespace
}  // namespace solidtlm::testbench
