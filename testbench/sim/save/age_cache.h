// SPDX-License-Identifier: Apache-2.0
//
// A cache of aged drives in a folder, so that the next run need not age its own. Any number of processes may
// use a folder at once; if two need the same drive, both age it.
#pragma once

#include "platform/ssd.h"
#include "testbench/show/progress.h"
#include "testbench/show/result.h"
#include "testbench/sim/age/preconditioning.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {

/// Ages the drive as age() does, or takes it from preconditioning.cache together with the firmware's state;
/// both ways give the same drive. A drive that wears out while it is aged is not cached. If the cached drives
/// take more than preconditioning.cache_bytes, the least recently used ones are removed. REQUIRES: a verifier
/// that expects power cuts. Throws as age() does, and OutputError if nothing can be cached.
[[nodiscard]] AgeingReport age_once(platform::Ssd& ssd, const Preconditioning& preconditioning,
                                    Verifier& verifier, ProgressMode progress);

}  // namespace solidtlm::testbench
