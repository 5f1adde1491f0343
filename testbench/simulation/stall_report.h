// SPDX-License-Identifier: Apache-2.0
//
// Who waits for whom in a drive, at any instant: for a run that ended with commands outstanding. It only
// looks, changes nothing and takes no simulated time.
#pragma once

#include <string>

#include "platform/ssd.h"
#include "testbench/host/host.h"

namespace solidtlm::testbench {

/// Lines of text: the outstanding commands with the ledger's stage of each and since when it is there; what
/// each of the firmware's coroutines waits for, by name, and since when; what each die and each queue holds.
/// REQUIRES: ssd.powered().
[[nodiscard]] std::string stall_report(const platform::Ssd& ssd, const Host& host);

}  // namespace solidtlm::testbench
