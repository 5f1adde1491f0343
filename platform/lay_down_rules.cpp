// SPDX-License-Identifier: Apache-2.0
#include "platform/lay_down_rules.h"

namespace solidtlm::platform {

std::optional<fw::LayDownRefusal> why_not_laid_down(const Configuration& configuration) {
    if (configuration.nand.faults.any()) {
        return fw::LayDownRefusal{"faults", "each program and each erase may fail"};
    }
    if (configuration.nand.bad_blocks.factory_fraction > 0) {
        return fw::LayDownRefusal{"nand.bad_blocks.factory_fraction", "parallel units differ"};
    }
    return fw::why_not_laid_down(configuration.firmware);
}

}  // namespace solidtlm::platform
