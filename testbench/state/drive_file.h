// SPDX-License-Identifier: Apache-2.0
//
// Saved drives: a file with the flash, what the firmware knows unless power was lost, and what the verifier
// knows.
//
// A file is a line that names the format and its version, one zstd frame with the data of drive_contents.h,
// and the SHA-256 of both.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "fw/hal/types.h"
#include "platform/ssd.h"
#include "testbench/verify/verifier.h"

namespace solidtlm::testbench {

/// Of a file; the number is the version of the format.
constexpr std::string_view kSavedDriveLine = "SolidTLM drive 9\n";

/// Includes the firmware if the drive has power. Throws OutputError. REQUIRES: as Ssd::save() and
/// Verifier::serialize().
void save_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier);

/// Without `start`: as saved, if the firmware was saved too, else Start::boot_instant. `ready`: see
/// Ssd::load(). Throws InputError when the file cannot be read, is none or of another version, is damaged, or
/// was saved from a drive that differs in what its flash, or its firmware, depends on. REQUIRES: both are
/// new; the verifier's configuration has power cuts.
void load_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier,
                std::optional<platform::Start> start, hal::Completion ready);

}  // namespace solidtlm::testbench
