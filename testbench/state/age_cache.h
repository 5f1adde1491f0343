// SPDX-License-Identifier: Apache-2.0
//
// Aged drives that are kept in a folder, so that the next run need not age its own. Any number of processes
// may use a folder at once: two that want the same drive age it twice.
#pragma once

#include "platform/ssd.h"
#include "testbench/precondition/preconditioning.h"
#include "testbench/results/progress.h"
#include "testbench/results/result.h"
#include "testbench/verify/verifier.h"

namespace solidtlm::testbench {

/// Whether a drive that is aged like this is kept: it finds its state on flash again, and what was trimmed
/// stays so. Others are aged by each run.
[[nodiscard]] bool kept_when_aged(const platform::Configuration& configuration,
                                  const Preconditioning& preconditioning);

/// Ages the drive as age() does, or takes it from preconditioning.cache. Either way it was switched off after
/// the ageing and has booted from its flash, before simulated time begins: so it is the same drive.
/// REQUIRES: kept_when_aged(); a verifier that expects power cuts. Throws as age() does, and OutputError
/// where nothing can be kept.
[[nodiscard]] AgeingReport age_once(platform::Ssd& ssd, const Preconditioning& preconditioning,
                                    Verifier& verifier, ProgressMode progress);

}  // namespace solidtlm::testbench
