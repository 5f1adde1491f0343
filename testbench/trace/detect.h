// SPDX-License-Identifier: Apache-2.0
//
// Detects a trace's format from its contents: every reader tries the beginning of the file, and the one that
// understands most of it is chosen, even if a few lines do not fit. If two formats look alike and mean
// different things, the user must choose.
#pragma once

#include <string>

#include "testbench/trace/formats.h"
#include "testbench/trace/input_stream.h"

namespace solidtlm::testbench {

struct Detected {
    const Format* format;
    std::string why;  ///< explanation for the user
};

/// The format of a stream at its beginning; nothing is consumed. Throws InputError if no format fits (with
/// the message of the reader that got furthest) or if several do.
[[nodiscard]] Detected detect_format(InputStream& input);

}  // namespace solidtlm::testbench
