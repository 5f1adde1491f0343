// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "fw/log/boot_report.h"
#include "fw/page_map/page_map.h"

namespace solidtlm::fw {

namespace boot_step {
constexpr std::string_view kScan = "spare_areas";  ///< reads spare areas, repeats interrupted erases
constexpr std::string_view kMapping = "mapping";   ///< the core enters the entries found into the map
}  // namespace boot_step
namespace boot_count {
constexpr std::string_view kSuperpages = "superpages";      ///< superpages whose spare areas were read
constexpr std::string_view kTorn = "torn_superpages";       ///< superpages that could not be read
constexpr std::string_view kErased = "erased_superblocks";  ///< superblocks erased again: interrupted erases
constexpr std::string_view kUnits = "units";                ///< logical pages found
}  // namespace boot_count

/// Called after a loss of power, before PageMap::start(): finds out from flash which pages are in use and
/// which logical pages refer to them. Both arguments must outlive the wait.
Task<void> recover_pages(PageMap& pages, BootReport& report);

}  // namespace solidtlm::fw
