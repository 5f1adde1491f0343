// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/patterns/jesd219.h"

namespace solidtlm::testbench {
namespace {

/// Sectors, and percent of the requests.
WorkloadConfig jesd219_sizes() {
    return jesd219_defaults({{1, 4},
                             {2, 1},
                             {3, 1},
                             {4, 1},
                             {5, 1},
                             {6, 1},
                             {7, 1},
                             {8, 67},
                             {16, 10},
                             {32, 7},
                             {64, 3},
                             {128, 3}});
}

}  // namespace

extern const Pattern kJesd219Pattern{
    {"jesd219", "JESD219's enterprise sizes and reads; half the requests in 5 % of the range, 80 % in 20 %"},
    {.picker = make_picker<Jesd219Picker>, .defaults = jesd219_sizes}};

}  // namespace solidtlm::testbench
