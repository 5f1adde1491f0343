// SPDX-License-Identifier: Apache-2.0
//
// The tree on translation layers alone, and on the simulated drive.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "fw/block_map/untimed_blocks.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/studies/btree/btree.h"

namespace solidtlm::testbench::btree {
namespace {

constexpr std::array<std::array<Counts, 3>, 4> kTable1{{
    {{{120'201, 3'514}, {934'035, 28'092}, {114'808, 3'640}}},
    {{{449'280, 36'649}, {1'068'925, 36'742}, {143'214, 3'490}}},
    {{{281'214, 7'099}, {1'325'746, 33'087}, {62'548, 1'929}}},
    {{{111'697, 3'409}, {648'133, 20'218}, {109'949, 3'647}}},
}};

std::size_t row_of(Layer layer) {
    return static_cast<std::size_t>(std::ranges::find(kLayers, layer) - kLayers.begin());
}

}  // namespace

std::optional<Counts> published(Layer layer, std::uint32_t page_bytes) {
    const auto column = std::ranges::find(kPublishedPageBytes, page_bytes);
    if (column == kPublishedPageBytes.end()) {
        return std::nullopt;
    }
    return kTable1[row_of(layer)][static_cast<std::size_t>(column - kPublishedPageBytes.begin())];
}

fw::BlockCounters count(std::span<const PageIo> traffic, std::uint32_t tree_page_bytes,
                        const LayerSetting& setting, const Flash& flash) {
    const std::uint32_t sectors = tree_page_bytes / flash.page_bytes;
    std::uint32_t pages = 0;
    for (const PageIo& io : traffic) {
        pages = std::max(pages, io.page.value + 1);
    }
    fw::FirmwareConfig config;
    config.translation = fw::translation_layer(layer_name(setting.layer));
    fw::BlockGeometry geometry;
    geometry.pages = flash.block_pages;
    geometry.logical_pages = pages * sectors;
    geometry.ascending_pages = flash.ascending_pages;
    config.block_map.log_blocks =
        setting.log_blocks != 0 ? setting.log_blocks : fw::logical_blocks(config.translation, geometry);
    geometry.blocks = static_cast<std::uint32_t>(fw::least_blocks(config, geometry));
    fw::UntimedBlocks blocks(config, geometry);
    for (const PageIo& io : traffic) {
        for (std::uint32_t sector = 0; io.write && sector < sectors; ++sector) {
            blocks.write(fw::Lpn{io.page.value * sectors + sector});
        }
    }
    return blocks.counters();
}

void DevicePages::Copy::read(PageId page, std::span<std::byte> bytes) {
    MemoryPages::read(page, bytes);
    requests_.push_back({{false, page}, {bytes.begin(), bytes.end()}});
}

void DevicePages::Copy::write(PageId page, std::span<const std::byte> bytes) {
    MemoryPages::write(page, bytes);
    requests_.push_back({{true, page}, {bytes.begin(), bytes.end()}});
}

DevicePages::DevicePages(const Load& load)
    : load_(load), copy_(load.page_bytes, waiting_), read_back_(load.page_bytes), inserter_(load, copy_) {}

bool DevicePages::next(Request& request) {
    while (waiting_.empty() && inserter_.step()) {
    }
    if (waiting_.empty() && !std::exchange(reading_back_, true)) {
        read_everything();
    }
    if (waiting_.empty()) {
        return false;
    }
    PageRequest& page = waiting_.front();
    request.clear();
    request.operation = page.io.write ? Operation::write : Operation::read;
    request.sectors = load_.page_bytes / hal::kSectorBytes;
    request.lba = Lba{page.io.page.value * request.sectors};
    given_.push_back(std::move(page));
    waiting_.pop_front();
    return true;
}

void DevicePages::read_everything() {
    for (std::uint32_t page = 0; page < inserter_.root().pages; ++page) {
        const std::span<const std::byte> bytes = copy_.bytes(PageId{page});
        waiting_.push_back({{false, PageId{page}}, {bytes.begin(), bytes.end()}});
    }
}

void DevicePages::issued(Command& command) {
    if (command.operation == Operation::write) {
        command.content = given_.front().bytes;
    }
}

void DevicePages::completed(Command& command) {
    const PageRequest page = std::move(given_.front());
    given_.pop_front();
    if (page.io.write || command.status != CommandStatus::ok) {
        return;
    }
    ++counts_.reads_checked;
    for (std::size_t at = 0; at < page.bytes.size(); at += hal::kSectorBytes) {
        const bool same =
            command.content.size() == page.bytes.size() &&
            std::memcmp(page.bytes.data() + at, command.content.data() + at, hal::kSectorBytes) == 0;
        counts_.mismatches += same ? 0 : 1;
    }
    if (reading_back_) {
        ++pages_back_;
        read_back_.write(page.io.page, command.content);
    }
}

void DevicePages::finished() {
    if (counts_.mismatches > 0) {
        faults_.push_back(
            fmt::format("{} sectors of the tree did not read back what was written", counts_.mismatches));
        return;  // the data may not form a tree at all
    }
    if (pages_back_ < inserter_.root().pages) {
        faults_.push_back(fmt::format("{} of {} pages came back", pages_back_, inserter_.root().pages));
        return;
    }
    const std::string wrong = check_tree(load_, inserter_.root(), read_back_);
    if (!wrong.empty()) {
        faults_.push_back("the tree read back from the drive: " + wrong);
    }
}

platform::Configuration with_layer(const platform::Configuration& device, const LayerSetting& setting) {
    const std::uint64_t block_bytes = device.nand.geometry.block_bytes();
    const std::uint64_t log_blocks = setting.log_blocks != 0
                                         ? setting.log_blocks
                                         : (device.exported_bytes() + block_bytes - 1) / block_bytes;
    return platform::variant_of(device, {"firmware.translation=" + std::string(layer_name(setting.layer)),
                                         "firmware.block_map.log_blocks=" + std::to_string(log_blocks)});
}

SimulationOutcome run_on_drive(const platform::Configuration& configuration, const Load& load) {
    DevicePages pages(load);
    RunSpec settings = run_of(configuration, 1);
    RunHooks hooks{.scenario = "tb_btree"};
    hooks.contents = &pages;
    return simulate(settings, pages, ClosedLoop(1), hooks);
}

Counts counts_of(const Json& result) {
    const Json& nand = result.at("nand");
    return {nand.at("programs"), nand.at("erases")};
}

}  // namespace solidtlm::testbench::btree
