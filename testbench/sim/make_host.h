// SPDX-License-Identifier: Apache-2.0
//
// The host of a run and the port between it and the drive, as host.interface selects them.
#pragma once

#include <memory>

#include "platform/ssd.h"
#include "testbench/sim/host/host.h"
#include "testbench/sim/host/port/device_port.h"
#include "testbench/sim/simulation.h"

namespace solidtlm::testbench {

/// The port between a SATA drive and its host; null for other drives.
[[nodiscard]] std::unique_ptr<DevicePort> make_port(const RunSpec& run, const RunHooks& hooks,
                                                    platform::Ssd& ssd);

/// All references and `port` must outlive the host.
[[nodiscard]] std::unique_ptr<Host> make_host(const RunSpec& run, const RunHooks& hooks, platform::Ssd& ssd,
                                              DevicePort* port, RequestSource& source, const Pacing& pacing,
                                              CommandObserver& observer);

}  // namespace solidtlm::testbench
