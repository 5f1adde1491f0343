// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/trim/devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "testbench/studies/parts/variants.h"

namespace solidtlm::testbench::trim {
namespace {

using platform::Configuration;

/// What makes a map of this kind out of any drive's.
std::vector<std::string> settings_of(const std::string& mapping) {
    if (mapping == "cached") {
        return {"firmware.map_cache.policy=dftl"};
    }
    if (mapping == "hybrid") {
        return {"firmware.translation=fast", "firmware.gc.copy_back=false"};
    }
    return {"firmware.translation=page_map", "firmware.map_cache.policy=full_table"};
}

Configuration drive_of(const std::string& name, const Configuration& given) {
    if (name == "given") {
        return given;
    }
    platform::ConfigurationSources sources;
    sources.preset = name;
    sources.settings = {"content=none", "seed=" + std::to_string(given.seed)};
    return platform::load_configuration(sources);
}

}  // namespace

std::vector<Device> devices_of(const Configuration& given, const DeviceLists& lists) {
    std::vector<Device> devices;
    for (const std::string& name : lists.drives) {
        if (name == given.preset) {
            continue;
        }
        const Configuration drive = drive_of(name, given);
        for (const std::string& mapping : lists.mappings) {
            for (const std::string& partial : lists.partials) {
                if (partial == "kept" && mapping != "page") {
                    continue;
                }
                std::vector<std::string> settings = settings_of(mapping);
                settings.push_back(partial == "kept" ? "sata.zeros_after_trim=false"
                                                     : "sata.zeros_after_trim=true");
                settings.emplace_back("sata.deterministic_after_trim=true");
                devices.push_back(Device{drive.preset, mapping, partial, variant_of(drive, settings)});
            }
        }
    }
    return devices;
}

Configuration small_drive(const Configuration& drive) {
    constexpr double kMostSpare = 0.9;  // where the given drive exports next to nothing
    return variant_of(
        drive, {"nand.geometry.channels=2", "nand.geometry.dies=1", "nand.geometry.dies_per_way=1",
                "nand.geometry.blocks=64", "firmware.write_buffer.size=4MiB",
                "ssd.over_provisioning=" + fmt::format("{}", std::min(drive.over_provisioning, kMostSpare))});
}

}  // namespace solidtlm::testbench::trim
