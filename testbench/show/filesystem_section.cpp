// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/filesystem_section.h"

#include "testbench/show/json_number.h"

namespace solidtlm::testbench {

Json filesystem_section(const SourceFeedback& source) {
    Json section = Json::object();
    for (const auto& [name, value] : source.counters()) {
        section[name] = counter(value);
    }
    return section;
}

}  // namespace solidtlm::testbench
