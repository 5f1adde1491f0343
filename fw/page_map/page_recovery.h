// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/log/boot_report.h"
#include "fw/page_map/data_area.h"

namespace solidtlm::fw {

/// Called after a loss of power, before DataArea::start(): finds out from flash which pages are in use and
/// which logical pages refer to them. Both arguments must outlive the wait.
Task<void> recover_pages(DataArea& pages, BootReport& report);

}  // namespace solidtlm::fw
