// SPDX-License-Identifier: Apache-2.0
//
// The study for people: what the loads are like, and a table of systems for each load and striping.
#pragma once

#include <span>
#include <string>

#include "testbench/results/terminal.h"
#include "testbench/studies/fragmentation/figures.h"
#include "testbench/studies/fragmentation/observed.h"

namespace solidtlm::testbench::fragmentation {

/// Table 1 of the study beside ours. `scale`: of the drive and of the study's two workloads.
[[nodiscard]] std::string load_table(std::span<const NamedProfile> loads, double scale,
                                     const TextStyle& style);
[[nodiscard]] std::string system_tables(std::span<const Observed> all, const TextStyle& style);

}  // namespace solidtlm::testbench::fragmentation
