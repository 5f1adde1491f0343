// SPDX-License-Identifier: Apache-2.0
//
// Whole recordings and public traces on the whole drive, to the end and verified.
#include "testbench/sim/load/trace/whole_traces.h"
#include "testbench/sim/trace_replay_test_support.h"

namespace solidtlm::testbench {
namespace {

const Replayed kWhole[] = {
    {"recorded/g_ahci_ext4.cmds.xz", "", "error", "open"},
    {"recorded/g_ahci_ext4.cmds.xz", "", "error", "recorded_depth"},
    {"recorded/g_ahci_ext4.nbd.xz"},
    {"recorded/g_nvme_xfs.cmds.xz", "", "error", "recorded_depth"},
    {"recorded/m_ahci_4fs.cmds.xz"},
    {"recorded/nat_dev_lowmem.nbd.xz"},
    {"recorded/nat_maildir.nbd.xz"},
    {"recorded/nat_pgbench_lowmem.nbd.xz"},
    {"public/cloudphysics_w.vscsi.xz", "", "wrap"},
    {"public/desktop.trace.xz", "disksim", "scale"},
    {"public/fiu_mail_10k_md5.blkparse.xz", "", "wrap"},
    {"public/mqsim_tpcc-small.trace.xz", "", "scale"},
    {"public/msr_cut10k_rw_20_80.105.trace.xz", "", "wrap"},
    {"public/msr_cut10k_rw_40_60.1370.trace.xz", "", "scale"},
    {"public/msr_ssd_iozone.trace.xz", "disksim", "wrap"},
    {"public/msr_ssd_postmark.trace.xz", "disksim", "scale"},
    {"public/nexus5_movie.txt.xz", "", "wrap"},
    {"public/umass_fin1_50k.trace.xz", "flashsim", "wrap"},
    {"public/umass_web1_50k.trace.xz", "flashsim", "wrap"},
    {"public/ycsb_ext4.blkparse.xz", "", "wrap"},
};

class ReplayWhole : public ::testing::TestWithParam<Replayed> {};

TEST_P(ReplayWhole, EndsVerified) {
    if (whole_trace("").empty()) {
        GTEST_SKIP() << kNoWholeTraces;
    }
    replay(GetParam(), whole_trace(""), preset("default", {}), 0);
}

INSTANTIATE_TEST_SUITE_P(Traces, ReplayWhole, ::testing::ValuesIn(kWhole), replay_name);

}  // namespace
}  // namespace solidtlm::testbench
