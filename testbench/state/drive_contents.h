// SPDX-License-Identifier: Apache-2.0
//
// The parts of a saved drive, in order: the configuration, as far as what is saved depends on it, the
// verifier's shadow of every sector, the arrays block by block (only those ever touched), and the firmware's
// tables. drive_file.h wraps it.
#pragma once

#include <iosfwd>
#include <map>
#include <optional>
#include <string>

#include "fw/hal/types.h"
#include "platform/ssd.h"
#include "testbench/verify/verifier.h"

namespace solidtlm::testbench {

/// Keys that a saved drive depends on, and their values.
using DriveLayout = std::map<std::string, std::string>;
[[nodiscard]] DriveLayout layout_of(const platform::Configuration& configuration);

/// As save_drive().
void save_contents(std::ostream& stream, platform::Ssd& ssd, Verifier& verifier);

/// As load_drive(); `here` is the layout of `ssd`. Throws InputError, whose text continues the name of what
/// was read.
void load_contents(std::istream& stream, const DriveLayout& here, platform::Ssd& ssd, Verifier& verifier,
                   std::optional<platform::Start> start, hal::Completion ready);

}  // namespace solidtlm::testbench
