// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/btree/device_run.h"

#include "testbench/host/pacing/closed_loop.h"
#include "testbench/studies/btree/device_pages.h"
#include "testbench/studies/parts/variants.h"

namespace solidtlm::testbench::btree {

platform::Configuration with_layer(const platform::Configuration& device, const LayerSetting& setting) {
    const std::uint64_t block_bytes = device.nand.geometry.block_bytes();
    const std::uint64_t log_blocks = setting.log_blocks != 0
                                         ? setting.log_blocks
                                         : (device.exported_bytes() + block_bytes - 1) / block_bytes;
    return platform::parse_configuration(platform::to_toml(device), "the drive of tb_btree",
                                         {"firmware.translation=" + std::string(layer_name(setting.layer)),
                                          "firmware.block_map.log_blocks=" + std::to_string(log_blocks)});
}

SimulationOutcome run_on_drive(const platform::Configuration& configuration, const Load& load) {
    DevicePages pages(load);
    SimulationSettings settings;
    settings.scenario = "tb_btree";
    settings.configuration = configuration;
    settings.host.content = configuration.content;
    settings.host.queue_depth = 1;
    settings.quiet = true;
    settings.contents = &pages;
    return simulate(settings, pages, ClosedLoop(1));
}

Counts counts_of(const Json& result) {
    const Json& nand = result.at("nand");
    return {nand.at("programs"), nand.at("erases")};
}

}  // namespace solidtlm::testbench::btree
