// SPDX-License-Identifier: Apache-2.0
//
// Makes a failing case smaller: leaves out items and requests as long as it still fails in the same way
// (delta debugging, Zeller and Hildebrandt 2002).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "testbench/torture/torture_case.h"

namespace solidtlm::testbench {

/// Which of these cases fail as the first one did.
using StillFails = std::function<std::vector<bool>(const std::vector<TortureCase>&)>;

struct Shrunk {
    TortureCase torture;
    std::size_t tried = 0;  ///< cases
};

/// Tries at most about `most` cases, `at_once` at a time. Without that limit no single item can be left out
/// of what is returned. REQUIRES: `failing` fails.
[[nodiscard]] Shrunk shrink(const TortureCase& failing, const StillFails& still_fails, std::size_t at_once,
                            std::size_t most);

}  // namespace solidtlm::testbench
