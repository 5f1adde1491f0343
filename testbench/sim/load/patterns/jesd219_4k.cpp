// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/patterns/jesd219.h"

namespace solidtlm::testbench {
namespace {

/// Sectors, and percent of the requests: what is smaller than 4 KiB in the standard has 4 KiB.
WorkloadConfig jesd219_4k_sizes() {
    return jesd219_defaults({{8, 77}, {16, 10}, {32, 7}, {64, 3}, {128, 3}});
}

}  // namespace

extern const Pattern kJesd2194kPattern{{"jesd219_4k", "as jesd219, with 4 KiB in place of what is smaller"},
                                       {.picker = make_picker<Jesd219Picker>, .defaults = jesd219_4k_sizes}};

}  // namespace solidtlm::testbench
