// SPDX-License-Identifier: Apache-2.0
//
// Tells a trace's format by its content: every reader tries the beginning of the file, and the one that gets
// furthest has it. Where two formats look alike and mean different things, the user must say.
#pragma once

#include "testbench/trace/formats.h"
#include "testbench/trace/input_stream.h"

namespace solidtlm::testbench {

/// The format of a stream at its beginning; nothing is consumed. Throws InputError: no format fits, or
/// several.
[[nodiscard]] const Format& detect_format(InputStream& input);

}  // namespace solidtlm::testbench
