// SPDX-License-Identifier: Apache-2.0
//
// The syntax of scripted faults (docs/reliability.md). Statements are separated by semicolons; places are
// channel/die/plane/block/page, with as many parts from the left as needed:
//
//   program 3 of block 0/0/1/17      the third program of a page of the block fails
//   erase 1 of block 0/0/1/17        its first erase fails
//   page 0/0/1/17/5 is uncorrectable
//   plane 0/0/1 dies at 20ms
//   die 0/0 dies at 20ms
#pragma once

#include <optional>
#include <string_view>

#include "hw/nand/config.h"
#include "platform/kinds.h"

namespace solidtlm::platform {

/// None if the text is malformed. An empty text has no faults.
[[nodiscard]] std::optional<hw::FaultScript> parse_fault_script(std::string_view text);

[[nodiscard]] Kind<hw::FaultScript> fault_script();

/// The text of the first fault whose place is outside the flash array, or empty.
[[nodiscard]] std::string misplaced_fault(const hw::FaultScript& script, const hw::NandGeometry& geometry);

}  // namespace solidtlm::platform
