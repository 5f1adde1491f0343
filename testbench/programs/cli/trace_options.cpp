// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/cli/trace_options.h"

#include "fw/hal/types.h"

namespace solidtlm::testbench {
namespace {

/// A number of sectors, written as a size in bytes; it may be negative.
Kind<std::int64_t> distance() {
    const Kind<std::uint64_t> size =
        kinds::size_in(hal::kSectorBytes, 0, (std::uint64_t{1} << 47U) * hal::kSectorBytes);
    const auto read = [size](std::string_view text) -> std::optional<std::int64_t> {
        const bool back = text.starts_with('-');
        const auto sectors = size.read(text.substr(back ? 1 : 0));
        return sectors ? std::optional(back ? -static_cast<std::int64_t>(*sectors)
                                            : static_cast<std::int64_t>(*sectors))
                       : std::nullopt;
    };
    const auto write = [size](const std::int64_t& sectors) {
        return (sectors < 0 ? "-" : "") + size.write(static_cast<std::uint64_t>(std::abs(sectors)));
    };
    return {{platform::ValueType::size, "size, a multiple of 512B, also negative", ", such as -1MiB"},
            read,
            write};
}

}  // namespace

void add_trace_options(OptionSet& set, TraceSelection& selection, std::vector<std::int64_t>& offsets) {
    set.text("--device", selection.device, "NAME",
             "Only requests to this device of a trace; all, as one device, if not given");
    set.unset("--action", selection.action, kinds::one_of({"D", "Q", "C"}),
              "blkparse: events that are requests: issued to the driver (default), queued, completed");
    set.unset("--trace-from", selection.from, kinds::duration(),
              "Skip requests before this time, counted from the first of the trace");
    set.unset("--trace-until", selection.until, kinds::duration(),
              "Read requests before this time, counted from the first of the trace");
    set.list("--offset", offsets, distance(),
             "Add this to the addresses of traces: one for all, or one for each trace");
    set.unset("--scale", selection.scale, kinds::number_above(0),
              "Multiply addresses of traces by this, after --offset");
}

}  // namespace solidtlm::testbench
