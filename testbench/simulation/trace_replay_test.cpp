// SPDX-License-Identifier: Apache-2.0
//
// Real traces through the whole drive, to the end and verified. The project's own samples always; the full
// recordings and public traces when they are there.
#include <gtest/gtest.h>

#include <filesystem>

#include "fw/testing/places.h"
#include "fw/testing/seeds.h"
#include "testbench/cli/command_line.h"
#include "testbench/simulation/host_settings.h"
#include "testbench/simulation/request_source.h"
#include "testbench/simulation/test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kSome = fw::testing::usual_or_sanitized<std::uint64_t>(10'000, 3'000);
constexpr std::uint64_t kLimit = fw::testing::usual_or_sanitized<std::uint64_t>(0, kSome);  // 0: all

struct Case {
    const char* path;  ///< below the source tree
    const char* format = "";
    const char* fit = "error";
    const char* pacing = "";
};

void PrintTo(const Case& test_case, std::ostream* out) {
    *out << test_case.path << " " << test_case.pacing;
}

void replay(const Case& test_case, const platform::Configuration& configuration, std::uint64_t limit) {
    const std::filesystem::path path = source_path(test_case.path);
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << path << " is not there";
    }
    CommandLine line;
    line.configuration = configuration;
    line.traces = {path.string()};
    line.format = test_case.format;
    line.fit = test_case.fit;
    line.pacing = test_case.pacing;
    line.limit = limit;
    const auto source = make_request_source(line);
    const HostSettings host = host_settings(line);
    SimulationSettings settings;
    settings.scenario = "test";
    settings.configuration = line.configuration;
    settings.host = host.config;
    settings.quiet = true;
    const SimulationOutcome outcome = simulate(settings, *source, *host.pacing);
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    EXPECT_EQ(outcome.result["host"]["requests"], *source->size());
    EXPECT_EQ(outcome.result["host"]["failed"], 0);
    EXPECT_EQ(outcome.result["host"]["issued"], outcome.result["host"]["completed"]);
    EXPECT_EQ(outcome.result["ledger"]["residual_ns"], 0.0);
}

const Case kRecorded[] = {
    {"traces/sample.nbd.xz"},
    {"traces/pgbench.nbd.xz"},
    {"traces/maildir.nbd.xz"},
    {"traces/ahci_ext4.cmds.xz", "", "error", "recorded"},
    {"../shared/traces/recorded/g_ahci_ext4.cmds.xz", "", "error", "open"},
    {"../shared/traces/recorded/g_ahci_ext4.cmds.xz", "", "error", "recorded"},
    {"../shared/traces/recorded/g_ahci_ext4.nbd.xz"},
    {"../shared/traces/recorded/g_nvme_xfs.cmds.xz", "", "error", "recorded"},
    {"../shared/traces/recorded/m_ahci_4fs.cmds.xz"},
    {"../shared/traces/recorded/nat_dev_lowmem.nbd.xz"},
    {"../shared/traces/recorded/nat_maildir.nbd.xz"},
    {"../shared/traces/recorded/nat_pgbench_lowmem.nbd.xz"},
};
const Case kPublic[] = {
    {"../shared/traces/public/cloudphysics_w.vscsi.xz", "", "wrap"},
    {"../shared/traces/public/desktop.trace.xz", "disksim", "scale"},
    {"../shared/traces/public/fiu_mail_10k_md5.blkparse.xz", "", "wrap"},
    {"../shared/traces/public/mqsim_tpcc-small.trace.xz", "", "scale"},
    {"../shared/traces/public/msr_cut10k_rw_20_80.105.trace.xz", "", "wrap"},
    {"../shared/traces/public/msr_cut10k_rw_40_60.1370.trace.xz", "", "scale"},
    {"../shared/traces/public/msr_ssd_iozone.trace.xz", "disksim", "wrap"},
    {"../shared/traces/public/msr_ssd_postmark.trace.xz", "disksim", "scale"},
    {"../shared/traces/public/nexus5_movie.txt.xz", "", "wrap"},
    {"../shared/traces/public/umass_fin1_50k.trace.xz", "flashsim", "wrap"},
    {"../shared/traces/public/umass_web1_50k.trace.xz", "flashsim", "wrap"},
    {"../shared/traces/public/ycsb_ext4.blkparse.xz", "", "wrap"},
};

std::string name_of(const ::testing::TestParamInfo<Case>& test) {
    std::string name = std::filesystem::path(test.param.path).filename().string() + "_" + test.param.pacing;
    for (char& letter : name) {
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) {
            letter = '_';
        }
    }
    return std::string(test.param.path).starts_with("..") ? name : "sample_" + name;
}

class Replay : public ::testing::TestWithParam<Case> {};

TEST_P(Replay, EndsVerified) {
    replay(GetParam(), preset("default", {}), kLimit);
}

INSTANTIATE_TEST_SUITE_P(Recorded, Replay, ::testing::ValuesIn(kRecorded), name_of);
INSTANTIATE_TEST_SUITE_P(Public, Replay, ::testing::ValuesIn(kPublic), name_of);

/// The bytes of a whole trace would take up to 10 GB.
class ReplayByAdapter : public ::testing::TestWithParam<Case> {};

TEST_P(ReplayByAdapter, EndsVerified) {
    replay(GetParam(),
           preset("default", {"host.interface=ahci", "content=bytes", "host.ahci.register_access=300ns",
                              "host.ahci.dma_access=200ns", "host.ahci.dma_dword=1ns"}),
           kSome);
}

INSTANTIATE_TEST_SUITE_P(Recorded, ReplayByAdapter, ::testing::ValuesIn(kRecorded), name_of);

}  // namespace
}  // namespace solidtlm::testbench
