// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/patterns/tpcc.h"

namespace solidtlm::testbench {
namespace {

WorkloadConfig tpcc_a_defaults() {
    WorkloadConfig config = tpcc_defaults(271'707);
    config.read_share = 0.079;
    config.sizes = {kib(8, 0.26), kib(16, 0.185), kib(32, 0.155), kib(64, 0.223), kib(128, 0.177)};
    return config;
}

}  // namespace

extern const Pattern kTpccAPattern{{"tpcc_a", "changed pages of a database in ascending sweeps (study B)"},
                                   tpcc_traits(tpcc_a_defaults)};

}  // namespace solidtlm::testbench
