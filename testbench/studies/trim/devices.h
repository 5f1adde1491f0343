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
    std::string partial;  ///< sectors of a unit trimmed in part: zeroed (RZAT) or kept
    platform::Configuration configuration;

    [[nodiscard]] std::string name() const {
        return drive + ", " + mapping + (partial == "kept" ? ", kept" : "");
    }
};

/// Values of the dimensions.
struct DeviceLists {
    std::vector<std::string> drives;  ///< given: the one of the command line; else the name of a preset
    std::vector<std::string> mappings;
    std::vector<std::string> partials;
};

/// Each combination, drives first; a preset that is the given drive is left out. Sectors are kept only where
/// the map is `page`: it changes nothing for one map that it does not for another. Throws
/// platform::ConfigurationError.
[[nodiscard]] std::vector<Device> devices_of(const platform::Configuration& given, const DeviceLists& lists);

/// The drive made so small that it is soon as worn as it will be: one die on each of two channels, 64
/// superblocks each.
[[nodiscard]] platform::Configuration small_drive(const platform::Configuration& drive);

}  // namespace solidtlm::testbench::trim
