// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/log/boot_report.h"
#include "fw/page_map/page_map.h"

namespace solidtlm::fw {

/// Called after a loss of power, before PageMap::start(): finds out from flash which pages are in use and
/// which logical pages refer to them. Both arguments must outlive the wait.
Task<void> recover_pages(PageMap& pages, BootReport& report);

}  // namespace solidtlm::fw
