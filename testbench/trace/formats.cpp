// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/formats.h"

#include <algorithm>

#include "platform/names.h"
#include "testbench/trace/fields.h"

namespace solidtlm::testbench {

const Format& format_named(std::string_view name) {
    const auto found = std::ranges::find(formats(), name, &Format::name);
    if (found != formats().end()) {
        return **found;
    }
    const platform::Names names = platform::names_of(formats());
    throw InputError("--format: found " + quoted(name) + ", expected one of " + platform::join_names(names) +
                     platform::did_you_mean(name, names));
}

}  // namespace solidtlm::testbench
