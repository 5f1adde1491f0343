// SPDX-License-Identifier: Apache-2.0
//
// Only the command slots hold requests back.
#pragma once

#include "testbench/sim/host/pacing.h"

namespace solidtlm::testbench {

class AsFastAsPossible : public Pacing {};

}  // namespace solidtlm::testbench
