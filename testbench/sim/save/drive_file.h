// SPDX-License-Identifier: Apache-2.0
//
// Saved drives: a file with the contents of flash, the firmware's state unless power was lost, and the
// verifier's knowledge.
//
// A file is a line that names the format and its version, one zstd frame with the data of drive_contents.h,
// and the SHA-256 of both.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "fw/hal/types.h"
#include "platform/ssd.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {

/// First line of a file; the number is the version of the format.
constexpr std::string_view kSavedDriveLine = "SolidTLM drive 11\n";

/// Includes the firmware if the drive has power. Throws OutputError. REQUIRES: as Ssd::save() and
/// Verifier::serialize().
void save_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier);

/// Without `start`, the drive continues as saved if the firmware was saved too, else it starts with
/// Start::boot_instant. `ready`: see Ssd::load(). Throws InputError if the file cannot be read, is not a
/// saved drive or has another version, is damaged, or comes from a drive whose relevant keys differ
/// (drive_contents.h). REQUIRES: both are new; the verifier's configuration has power cuts.
void load_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier,
                std::optional<platform::Start> start, hal::Completion ready);

}  // namespace solidtlm::testbench
