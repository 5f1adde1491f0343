// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/btree/counting.h"

#include <algorithm>

#include "fw/block_map/untimed_blocks.h"
#include "fw/drive/block_needs.h"

namespace solidtlm::testbench::btree {

fw::BlockCounters count(std::span<const PageIo> traffic, std::uint32_t tree_page_bytes,
                        const LayerSetting& setting, const Flash& flash) {
    const std::uint32_t sectors = tree_page_bytes / flash.page_bytes;
    std::uint32_t pages = 0;
    for (const PageIo& io : traffic) {
        pages = std::max(pages, io.page.value + 1);
    }
    fw::FirmwareConfig config;
    config.translation = setting.layer;
    fw::BlockGeometry geometry;
    geometry.pages = flash.block_pages;
    geometry.logical_pages = pages * sectors;
    geometry.ascending_pages = flash.ascending_pages;
    config.block_map.log_blocks =
        setting.log_blocks != 0 ? setting.log_blocks : fw::logical_blocks(setting.layer, geometry);
    geometry.blocks = static_cast<std::uint32_t>(fw::least_blocks(config, geometry));
    fw::UntimedBlocks blocks(config, geometry);
    for (const PageIo& io : traffic) {
        for (std::uint32_t sector = 0; io.write && sector < sectors; ++sector) {
            blocks.write(fw::Lpn{io.page.value * sectors + sector});
        }
    }
    return blocks.counters();
}

}  // namespace solidtlm::testbench::btree
