// SPDX-License-Identifier: Apache-2.0
//
// Carries out a preconditioning: the firmware itself fills and overwrites the drive, on hardware without
// time.
#pragma once

#include "platform/ssd.h"
#include "testbench/precondition/preconditioning.h"
#include "testbench/results/progress.h"
#include "testbench/results/result.h"
#include "testbench/verify/verifier.h"

namespace solidtlm::testbench {

/// REQUIRES: the simulation has not begun. The verifier learns what the drive holds. Throws InputError when
/// the requests are longer than the filled part.
[[nodiscard]] AgeingReport age(platform::Ssd& ssd, const Preconditioning& preconditioning, Verifier& verifier,
                               ProgressMode progress);

}  // namespace solidtlm::testbench
