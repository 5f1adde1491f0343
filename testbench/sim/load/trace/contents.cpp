// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/contents.h"

#include <algorithm>
#include <string>

#include "platform/names.h"

namespace solidtlm::testbench {
namespace {

std::string formats_with_contents() {
    platform::Names names;
    for (const Format* format : formats()) {
        if (format->traits.has_contents) {
            names.emplace_back(format->name);
        }
    }
    return platform::join_names(names);
}

}  // namespace

void require_contents(const TraceOptions& options, std::string_view wanted_by) {
    const auto trace = open_trace(options);
    const std::string format(trace->format().name);
    const std::string needs =
        "; " + std::string(wanted_by) +
        " needs to know what is written, which only these formats record: " + formats_with_contents();
    if (!trace->format().traits.has_contents) {
        throw InputError(options.path + ": found a trace in the format " + format +
                         ", which does not record contents" + needs);
    }
    Request request;
    std::uint64_t writes = 0;
    while (trace->next(request)) {
        writes += request.operation == Operation::write ? 1 : 0;
        if (std::any_of(request.content.begin(), request.content.end(),
                        [](std::uint64_t identity) { return identity != 0; })) {
            return;
        }
    }
    throw InputError(options.path + ": found " + std::to_string(writes) + " writes in the format " + format +
                     ", none with contents other than zeros" + needs);
}

}  // namespace solidtlm::testbench
