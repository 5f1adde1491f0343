// SPDX-License-Identifier: Apache-2.0
//
// What the model has asked of its agendas and of the SystemC kernel so far. Counting is always on; reading it
// walks through the modules.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace solidtlm::testbench {

struct EntryCount {
    /// Entries asked for, by the module's hierarchical name with every number replaced by `*`
    /// ("ssd.channel_*.controller").
    std::map<std::string, std::uint64_t> by_module;
    std::uint64_t kernel_events = 0;  ///< that woke an agenda; the model has no others
};

[[nodiscard]] EntryCount counted_entries();

}  // namespace solidtlm::testbench
