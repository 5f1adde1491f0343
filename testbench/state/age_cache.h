// SPDX-License-Identifier: Apache-2.0
//
// Aged drives that are kept in a folder, so that the next run need not age its own. Any number of processes
// may use a folder at once: two that want the same drive both age it.
#pragma once

#include "platform/ssd.h"
#include "testbench/precondition/preconditioning.h"
#include "testbench/results/progress.h"
#include "testbench/results/result.h"
#include "testbench/verify/verifier.h"

namespace solidtlm::testbench {

/// Ages the drive as age() does, or takes it from preconditioning.cache with all that its firmware knows;
/// both give the same drive. A drive that has worn out while it was aged is not kept. If kept drives take
/// more than preconditioning.cache_bytes, the least recently used ones are removed. REQUIRES: a verifier that
/// expects power cuts. Throws as age() does, and OutputError if nothing can be kept.
[[nodiscard]] AgeingReport age_once(platform::Ssd& ssd, const Preconditioning& preconditioning,
                                    Verifier& verifier, ProgressMode progress);

}  // namespace solidtlm::testbench
