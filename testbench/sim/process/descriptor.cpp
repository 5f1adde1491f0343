// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/process/descriptor.h"

#include <unistd.h>

namespace solidtlm::testbench {

void Descriptor::reset(int number) {
    if (number_ >= 0) {
        close(number_);
    }
    number_ = number;
}

}  // namespace solidtlm::testbench
