// SPDX-License-Identifier: Apache-2.0
//
// How many entries the model has scheduled so far, on its agendas and in the SystemC kernel. Counting is
// always on; reading the counts walks through the modules.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace solidtlm::testbench {

struct EntryCount {
    /// Entries scheduled, by the module's hierarchical name with every number replaced by `*`
    /// ("ssd.channel_*.controller").
    std::map<std::string, std::uint64_t> by_module;
    std::uint64_t kernel_events = 0;  ///< events that woke an agenda; the model has no other kernel events
};

[[nodiscard]] EntryCount counted_entries();

}  // namespace solidtlm::testbench
