// SPDX-License-Identifier: Apache-2.0
//
// Carries out a preconditioning, or other requests, before a run. The firmware itself does it, on hardware
// that takes no simulated time.
#pragma once

#include "platform/ssd.h"
#include "testbench/show/progress.h"
#include "testbench/show/result.h"
#include "testbench/sim/age/preconditioning.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {

/// Seed for the generator of the random requests. It differs from `seed`: a workload with the same seed would
/// otherwise write the same places in the same order. Those lie together on flash, so collecting them would
/// cost next to nothing.
[[nodiscard]] std::uint64_t workload_seed(std::uint64_t seed);

/// What the drive holds afterwards, for the reader: AgeingReport::text.
[[nodiscard]] std::string start_text(const AgeingReport& report);

/// REQUIRES: the simulation has not begun. The verifier learns what the drive holds. Throws InputError if a
/// request is longer than the filled part.
[[nodiscard]] AgeingReport age(platform::Ssd& ssd, const Preconditioning& preconditioning, Verifier& verifier,
                               ProgressMode progress);

/// Carries out `requests` on a new drive in the same way, with contents from the verifier, then flushes. Each
/// request must fit in one command. Returns the number of failed requests.
[[nodiscard]] std::uint64_t carry_out(platform::Ssd& ssd, RequestSource& requests, Verifier& verifier);

}  // namespace solidtlm::testbench
