// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/formats.h"

#include <vector>

#include "testbench/trace/fields.h"
#include "testbench/workload/suggest.h"

namespace solidtlm::testbench {

const Format& format_named(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Format* format : formats()) {
        if (format->name == name) {
            return *format;
        }
        names.push_back(format->name);
    }
    throw InputError("--format: found " + quoted(name) + ", expected one of " + join_names(names) +
                     did_you_mean(name, names));
}

}  // namespace solidtlm::testbench
