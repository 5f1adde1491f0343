// SPDX-License-Identifier: Apache-2.0
//
// Detects a trace's format from its contents: every reader tries the beginning of the file, and the one that
// understands most of it is chosen, even if a few lines do not fit. If two formats look alike and mean
// different things, the user must choose. A file that no reader understands names no reader.
#pragma once

#include <string>

#include "testbench/sim/load/trace/formats.h"
#include "testbench/sim/load/trace/input_stream.h"

namespace solidtlm::testbench {

struct Detected {
    const Format* format;
    std::string why;  ///< explanation for the user
};

/// The format of a stream at its beginning; nothing is consumed. Throws InputError if no format fits, if the
/// evidence for it is missing (evidence.h), or if several fit.
[[nodiscard]] Detected detect_format(InputStream& input);

}  // namespace solidtlm::testbench
