// SPDX-License-Identifier: Apache-2.0
//
// Recognises, by their first bytes, files that are not traces but can be converted into one.
#pragma once

#include <string>

#include "testbench/sim/load/trace/input_stream.h"

namespace solidtlm::testbench {

/// Opens a trace. A byte order mark is skipped; raw blktrace data goes through blkparse, if that is
/// installed. Throws InputError for a file that must be converted into a trace first, and says how.
[[nodiscard]] InputStream open_trace_file(const std::string& path);

}  // namespace solidtlm::testbench
