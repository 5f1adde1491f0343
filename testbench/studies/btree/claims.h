// SPDX-License-Identifier: Apache-2.0
//
// What study E says about its table, judged on ours.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "testbench/results/result.h"
#include "testbench/studies/btree/table1.h"

namespace solidtlm::testbench::btree {

/// Counts by layer and bytes of a tree page.
using Table = std::map<std::pair<Layer, std::uint32_t>, Counts>;

/// E1-E4. A claim holds for a layer if it holds strictly: being as good as another page size is not being
/// best. `as_published`: the load is the study's; otherwise every claim says that it is not. REQUIRES: a
/// complete table.
[[nodiscard]] std::vector<Claim> claims_of(const Table& table, bool as_published);

/// Whether claims can be judged: all cells of the published table are there.
[[nodiscard]] bool complete(const Table& table);

}  // namespace solidtlm::testbench::btree
