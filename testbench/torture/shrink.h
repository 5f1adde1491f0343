// SPDX-License-Identifier: Apache-2.0
//
// Makes a failing case smaller: leaves out items and requests as long as the case still fails in the same way
// (delta debugging, Zeller and Hildebrandt 2002).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "testbench/torture/torture_case.h"

namespace solidtlm::testbench {

/// Which of these cases still fail like the first one.
using StillFails = std::function<std::vector<bool>(const std::vector<TortureCase>&)>;

struct Shrunk {
    TortureCase torture;
    std::size_t tried = 0;  ///< number of cases tried
};

/// Tries about `most` cases, `at_once` in parallel. If the limit is not reached, no single item of the result
/// can be left out. REQUIRES: `failing` fails.
[[nodiscard]] Shrunk shrink(const TortureCase& failing, const StillFails& still_fails, std::size_t at_once,
                            std::size_t most);

}  // namespace solidtlm::testbench
