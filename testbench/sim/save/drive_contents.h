// SPDX-License-Identifier: Apache-2.0
//
// The parts of a saved drive, in order: the configuration keys that the saved data depends on, the verifier's
// shadow of every sector, the arrays block by block (only blocks that were ever touched), and the firmware's
// tables. drive_file.h wraps them.
#pragma once

#include <iosfwd>
#include <map>
#include <optional>
#include <string>

#include "fw/hal/types.h"
#include "platform/ssd.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {

/// The keys that a saved drive depends on, with their values.
using DriveLayout = std::map<std::string, std::string>;
[[nodiscard]] DriveLayout layout_of(const platform::Configuration& configuration);

/// As save_drive().
void save_contents(std::ostream& stream, platform::Ssd& ssd, Verifier& verifier);

/// As load_drive(); `here` is the layout of `ssd`. Throws InputError, whose text continues the file's name.
void load_contents(std::istream& stream, const DriveLayout& here, platform::Ssd& ssd, Verifier& verifier,
                   std::optional<platform::Start> start, hal::Completion ready);

}  // namespace solidtlm::testbench
