// SPDX-License-Identifier: Apache-2.0
//
// The trace formats. Most are text in columns, each declared in one line (declared.cpp); others have a reader
// of their own (readers/). traces/README.md describes every format field by field.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fw/hal/named.h"
#include "testbench/sim/load/trace/columns.h"
#include "testbench/sim/load/trace/reader.h"

namespace solidtlm::testbench {

/// Properties of all traces of a format.
struct FormatTraits {
    bool in_time_order = false;  ///< false: records are slightly out of order (ReorderWindow)
    bool has_devices = false;    ///< records name a device
    bool has_actions = false;    ///< several events per request; one is selected
    bool has_contents = false;   ///< writes may have the identities of their contents
};

/// A value of --format.
struct Format : hal::Named {
    /// Makes a reader; null: `columns` describes the format instead.
    std::unique_ptr<TraceReader> (*make)(ReaderInput input);
    FormatTraits traits = {};
    std::shared_ptr<const Columns> columns = {};
};

/// A function for Format::make.
template <class Reader>
std::unique_ptr<TraceReader> make_reader(ReaderInput input) {
    return std::make_unique<Reader>(std::move(input));
}

/// The formats in testbench/sim/load/trace/readers.
[[nodiscard]] std::span<const Format* const> reader_formats();
/// The formats in declared.cpp.
[[nodiscard]] std::span<const Format> declared_formats();
/// All formats, ordered by name.
[[nodiscard]] std::span<const Format* const> formats();
/// The format with this name, or `columns:` and a declaration (columns.h). Throws InputError that lists the
/// names and the nearest one, or all mistakes in the declaration.
[[nodiscard]] Format format_named(std::string_view text);
/// A format of text in columns. Throws InputError with all mistakes in the declaration.
[[nodiscard]] Format declared(hal::Named named, std::string_view declaration);
[[nodiscard]] std::unique_ptr<TraceReader> open_reader(const Format& format, ReaderInput input);

}  // namespace solidtlm::testbench
