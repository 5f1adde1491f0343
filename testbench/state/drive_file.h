// SPDX-License-Identifier: Apache-2.0
//
// Saved drives: what of a drive survives a loss of power, and what the verifier knows of it, in a file.
//
// A file is a line that names the format and its version, one zstd frame, and the SHA-256 of both. The frame
// has the configuration, as far as what is on flash depends on it, the arrays block by block (only those ever
// touched), and the verifier's shadow of every sector.
#pragma once

#include <filesystem>

#include "fw/hal/types.h"
#include "platform/ssd.h"
#include "testbench/verify/verifier.h"

namespace solidtlm::testbench {

/// Throws OutputError. REQUIRES: neither has power; the verifier's configuration has power cuts.
void save_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier);

/// The drive boots from its flash, at the start of simulation or, if `instantly`, at once and without time,
/// and calls `ready`. Throws InputError when the file cannot be read, is none or of another version, is
/// damaged, or was saved from a drive that differs in what its flash depends on. REQUIRES: both are new; the
/// verifier's configuration has power cuts.
void load_drive(const std::filesystem::path& path, platform::Ssd& ssd, Verifier& verifier,
                hal::Completion ready, bool instantly);

}  // namespace solidtlm::testbench
