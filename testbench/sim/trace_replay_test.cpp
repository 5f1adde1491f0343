// SPDX-License-Identifier: Apache-2.0
//
// The recordings in traces/ on the whole drive, to the end and verified.
#include "fw/testing/places.h"
#include "testbench/sim/trace_replay_test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kSome = 10'000;

const Replayed kSamples[] = {
    {"sample.nbd.xz"},
    {"pgbench.nbd.xz"},
    {"maildir.nbd.xz"},
    {"ahci_ext4.cmds.xz", "", "error", "open"},
    {"ahci_ext4.cmds.xz", "", "error", "recorded_depth"},
    {"nvme_xfs.cmds.xz", "", "error", "recorded_depth"},
    {"four_fs.cmds.xz"},
    {"four_fs.cmds.xz", "", "scale"},
};

class ReplaySample : public ::testing::TestWithParam<Replayed> {};

TEST_P(ReplaySample, EndsVerified) {
    replay(GetParam(), source_path("traces"), preset("default", {}), 0);
}

INSTANTIATE_TEST_SUITE_P(Samples, ReplaySample, ::testing::ValuesIn(kSamples), replay_name);

/// The bytes of a whole trace would take too much memory.
class ReplaySampleByAdapter : public ::testing::TestWithParam<Replayed> {};

TEST_P(ReplaySampleByAdapter, EndsVerified) {
    replay(GetParam(), source_path("traces"),
           preset("default", {"host.interface=ahci", "content=bytes", "host.ahci.register_access=300ns",
                              "host.ahci.dma_access=200ns", "host.ahci.dma_dword=1ns"}),
           kSome);
}

INSTANTIATE_TEST_SUITE_P(Samples, ReplaySampleByAdapter, ::testing::ValuesIn(kSamples), replay_name);

}  // namespace
}  // namespace solidtlm::testbench
