// SPDX-License-Identifier: Apache-2.0
//
// Reports what waits for what in a drive at any instant, for a run that ended with commands outstanding. It
// changes nothing and takes no simulated time.
#pragma once

#include <string>

#include "platform/ssd.h"
#include "testbench/sim/host/host.h"

namespace solidtlm::testbench {

/// Lines of text: the outstanding commands, each with its ledger's stage and since when; what each of the
/// firmware's coroutines waits for, by name, and since when; and the contents of each die and queue.
/// REQUIRES: ssd.powered().
[[nodiscard]] std::string stall_report(const platform::Ssd& ssd, const Host& host);

}  // namespace solidtlm::testbench
