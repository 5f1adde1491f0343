// SPDX-License-Identifier: Apache-2.0
//
// The published claims of study C beside what was measured (docs/dedup-study.md says how each verdict is
// reached).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/studies/parts/measured.h"

namespace solidtlm::testbench::dedup {

using Points = std::span<const Measured>;

/// Claims that nothing was measured for are left out. Verdicts are about the workloads of the study; other
/// loads are told beside them.
[[nodiscard]] std::vector<Claim> claims_of(Points points);

/// The run of a system on a load of part `systems`; null: there was none.
[[nodiscard]] const Measured* find(Points points, const std::string& load, const std::string& system);

/// A value of one system over that of another on the same load; none without both, or over 0.
[[nodiscard]] std::optional<double> ratio(const Measured* over, const Measured* under, const char* value);

/// C4: pages that the CRC32 marked as possibly duplicate, of those that were written.
[[nodiscard]] std::optional<double> candidate_share(const Measured* crc32);

/// Loads of part `systems`, in their order.
[[nodiscard]] std::vector<std::string> loads_of(Points points);

}  // namespace solidtlm::testbench::dedup
