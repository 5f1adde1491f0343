// SPDX-License-Identifier: Apache-2.0
//
// The devices of the study: each drive with each kind of map.
#pragma once

#include <string>
#include <vector>

#include "platform/configuration.h"

namespace solidtlm::testbench::trim {

struct Device {
    std::string drive;    ///< name of its preset
    std::string mapping;  ///< page, cached or hybrid
    platform::Configuration configuration;

    [[nodiscard]] std::string name() const { return drive + ", " + mapping; }
};

/// Each of `drives` (given: the one of the command line; else the name of a preset) with each of `mappings`,
/// in this order; a preset that is the given one is left out. Throws platform::ConfigurationError.
[[nodiscard]] std::vector<Device> devices_of(const platform::Configuration& given,
                                             const std::vector<std::string>& drives,
                                             const std::vector<std::string>& mappings);

/// The drive made so small that it is soon as worn as it will be: one die on each of four channels, 64
/// superblocks each.
[[nodiscard]] platform::Configuration small_drive(const platform::Configuration& drive);

}  // namespace solidtlm::testbench::trim
