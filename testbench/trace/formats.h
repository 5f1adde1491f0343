// SPDX-License-Identifier: Apache-2.0
//
// The trace formats, one reader each. traces/README.md describes every format field by field.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fw/hal/named.h"
#include "testbench/trace/input_stream.h"
#include "testbench/trace/reader.h"

namespace solidtlm::testbench {

/// What holds for every trace of a format.
struct FormatTraits {
    bool in_time_order = false;  ///< false: records come a little out of order (ReorderWindow)
    bool has_devices = false;    ///< records name a device
    bool has_contents = false;   ///< writes may tell the identities of their contents
};

/// A value of --format.
struct Format : hal::Named {
    /// A reader for a stream at its beginning.
    std::unique_ptr<TraceReader> (*make)(InputStream input, std::string device);
    FormatTraits traits = {};
};

/// For Format::make.
template <class Reader>
std::unique_ptr<TraceReader> make_reader(InputStream input, std::string device) {
    return std::make_unique<Reader>(std::move(input), std::move(device));
}

/// Those in testbench/trace/readers.
[[nodiscard]] std::span<const Format* const> formats();
/// Throws InputError that lists the names and the nearest one.
[[nodiscard]] const Format& format_named(std::string_view name);

}  // namespace solidtlm::testbench
