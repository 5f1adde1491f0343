// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/block_map_section.h"

namespace solidtlm::testbench {

Json block_map_section(const DeviceTelemetry& device) {
    SOLIDTLM_CHECK(device.block_map, "the drive has a block-mapped layer");
    const BlockMapTelemetry& map = *device.block_map;
    const hal::Metrics counted = device.firmware.of("block_map");
    const auto of = [&counted](const std::string& kind, std::initializer_list<const char*> names) {
        Json counts = Json::object();
        for (const char* name : names) {
            counts[name] = counted.count(kind + name);
        }
        return counts;
    };
    const double pages = counted.at("data_pages");
    Json section{
        {"layer", map.layer},
        {"block_pages", map.block_pages},
        {"writes", of("writes.", {"write_data", "update_pure", "update_pure_unused_place", "update_wasted"})},
        {"merges", of("merges.", {"drop", "switch", "partial", "full"})}};
    section.update(of("", {"merge_reads", "merge_programs", "erases", "data_blocks"}));
    section["log_blocks"] = {{"used", counted.count("log_blocks")}, {"most", map.log_blocks}};
    section["block_utilization"] =
        pages == 0 ? Json(nullptr) : Json(counted.at("data_pages_programmed") / pages);
    return section;
}

}  // namespace solidtlm::testbench
