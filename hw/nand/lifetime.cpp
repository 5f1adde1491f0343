// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/lifetime.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace solidtlm::hw {

double block_lifetime(const LifetimeModel& model, const LifetimeDraws& draws) {
    double cycles = std::numeric_limits<double>::infinity();
    if (model.cycles > 0) {
        cycles = model.cycles * std::pow(-std::log1p(-draws.wear), 1.0 / model.shape);
    }
    if (draws.infant < model.infant_share) {
        cycles = std::min(cycles, -std::log1p(-draws.infancy) * model.infant_cycles);
    }
    return cycles;
}

}  // namespace solidtlm::hw
