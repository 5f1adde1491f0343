// SPDX-License-Identifier: Apache-2.0
//
// Recognises, by how they begin, files that are no trace but can be made into one.
#pragma once

#include <string>

#include "testbench/trace/input_stream.h"

namespace solidtlm::testbench {

/// Opens a trace. A byte order mark is passed over; raw blktrace goes through blkparse, if that is installed.
/// Throws InputError for a file that must first be made into a trace, and says how.
[[nodiscard]] InputStream open_trace_file(const std::string& path);

}  // namespace solidtlm::testbench
