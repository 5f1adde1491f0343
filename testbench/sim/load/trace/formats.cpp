// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/formats.h"

#include <algorithm>
#include <vector>

#include "platform/names.h"
#include "testbench/sim/load/trace/column_reader.h"
#include "testbench/sim/load/trace/fields.h"

namespace solidtlm::testbench {

std::span<const Format* const> formats() {
    static const std::vector<const Format*> sorted = [] {
        std::vector<const Format*> all(reader_formats().begin(), reader_formats().end());
        for (const Format& format : declared_formats()) {
            all.push_back(&format);
        }
        std::ranges::sort(all, {}, &Format::name);
        return all;
    }();
    return sorted;
}

Format format_named(std::string_view text) {
    constexpr std::string_view kColumns = "columns:";
    if (text.starts_with(kColumns)) {
        return declared({"columns", "as declared"}, text.substr(kColumns.size()));
    }
    const auto found = std::ranges::find(formats(), text, &Format::name);
    if (found != formats().end()) {
        return **found;
    }
    const platform::Names names = platform::names_of(formats());
    throw InputError("--format: found " + quoted(text) + ", expected one of " + platform::join_names(names) +
                     ", or columns:... (traces/README.md)" + platform::did_you_mean(text, names));
}

std::unique_ptr<TraceReader> open_reader(const Format& format, ReaderInput input) {
    return format.make != nullptr ? format.make(std::move(input))
                                  : std::make_unique<ColumnReader>(format.columns, std::move(input));
}

}  // namespace solidtlm::testbench
