// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/log/boot_report.h"
#include "fw/page_map/mapped_pages.h"

namespace solidtlm::fw {

/// After a loss of power, before MappedPages::start(): finds on flash which pages are in use and which
/// logical pages refer to them. Both arguments must outlive the wait.
Task<void> recover_pages(MappedPages& pages, BootReport& report);

}  // namespace solidtlm::fw
