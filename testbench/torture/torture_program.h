// SPDX-License-Identifier: Apache-2.0
//
// The command line of tb_torture: draws one case per seed, or runs cases from files again.
#pragma once

#include "testbench/torture/run_case.h"

namespace solidtlm::testbench {

/// Returns the exit code: 0, the drive survived everything; 1, it did not; 2, a mistake in the command line.
[[nodiscard]] int torture_program(int argc, const char* const* argv, const CaseRunner& run = run_case);

}  // namespace solidtlm::testbench
