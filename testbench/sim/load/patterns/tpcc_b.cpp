// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/patterns/tpcc.h"

namespace solidtlm::testbench {
namespace {

WorkloadConfig tpcc_b_defaults() {
    WorkloadConfig config = tpcc_defaults(292'948);
    config.read_share = 0.12;
    config.sizes = {kib(8, 0.36), kib(16, 0.20), kib(32, 0.15), kib(64, 0.165), kib(128, 0.125)};
    return config;
}

}  // namespace

extern const Pattern kTpccBPattern{{"tpcc_b", "changed pages of a database in ascending sweeps (study B)"},
                                   tpcc_traits(tpcc_b_defaults)};

}  // namespace solidtlm::testbench
