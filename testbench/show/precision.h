// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace solidtlm::testbench {

/// How precisely a quantity (section_log.h) is to be known.
struct Precision {
    std::string quantity;
    double share = 0.0;  ///< half width of its 95 % interval, as a share of its value

    bool operator==(const Precision&) const = default;
};

}  // namespace solidtlm::testbench
