// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/btree/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "testbench/studies/parts/options.h"

namespace solidtlm::testbench::btree {
namespace {

constexpr const char* kGroup = "B+-tree";
constexpr std::uint32_t kLargestPage = 64 * 1024;
constexpr std::uint32_t kLargestEntry = 128;
constexpr std::uint64_t kMostInserts = 10'000'000;
constexpr std::uint32_t kMostBufferPages = 65'536;
constexpr std::uint32_t kMostLogBlocks = 65'536;
constexpr std::uint32_t kFewestEntries = 4;  ///< of a page: what a split leaves must be worth it

/// Pages of the finished tree, estimated from above: pages half full.
std::uint64_t most_bytes(const Options& options, std::uint32_t page_bytes) {
    const std::uint64_t capacity = TreeShape{options.entry_bytes}.capacity(page_bytes);
    const std::uint64_t leaves = options.inserts / (capacity / 2) + 2;
    return (leaves + leaves / (capacity / 2) * 2 + 8) * page_bytes;
}

void check_device(const Options& options, const platform::Configuration& device,
                  std::vector<std::string>& errors) {
    const hw::NandGeometry& nand = device.nand.geometry;
    if (nand.channels * nand.dies * nand.planes != 1) {
        errors.push_back(fmt::format(
            "nand.geometry: found {} channels, {} dies, {} planes; allowed: 1 of each, the study's "
            "flash is a single part",
            nand.channels, nand.dies, nand.planes));
    }
    if (device.firmware.unit_bytes != nand.page_bytes) {
        errors.push_back(fmt::format("firmware.unit: found {}; allowed: {}, the NAND page",
                                     device.firmware.unit_bytes, nand.page_bytes));
    }
    if (!options.no_drive && device.content != hal::ContentMode::bytes) {
        errors.emplace_back("content: allowed: bytes, because the tree is read back; or --no-drive");
    }
    for (const std::uint32_t size : options.page_bytes) {
        if (size % nand.page_bytes != 0) {
            errors.push_back(
                fmt::format("--page-sizes: found {}; allowed: multiples of the NAND page of {} bytes", size,
                            nand.page_bytes));
        } else if (!options.no_drive && most_bytes(options, size) > device.exported_bytes()) {
            errors.push_back(
                fmt::format("ssd.capacity: {} inserts of {} bytes in pages of {} may need {} bytes, "
                            "the drive exports {}",
                            options.inserts, options.entry_bytes, size, most_bytes(options, size),
                            device.exported_bytes()));
        }
    }
}

}  // namespace

void Options::add_to(CLI::App& app) {
    app.add_option("--inserts", inserts, "Random integers inserted")
        ->check(whole_number(1, kMostInserts))
        ->capture_default_str()
        ->group(kGroup);
    add_list(app, "--page-sizes", page_bytes,
             "Bytes of a page of the tree and of the buffer, several by comma")
        ->check(whole_number(512, kLargestPage))
        ->group(kGroup);
    app.add_option("--entry-bytes", entry_bytes, "Bytes of an entry, key and pointer included")
        ->check(whole_number(kLeastEntryBytes, kLargestEntry))
        ->capture_default_str()
        ->group(kGroup);
    app.add_option("--buffer-pages", buffer_pages, "Pages that the buffer holds")
        ->check(whole_number(Btree::kLeastFrames, kMostBufferPages))
        ->capture_default_str()
        ->group(kGroup);
    app.add_option("--log-blocks", log_blocks, "Log blocks of bast and fast (one of fast's is sequential)")
        ->check(whole_number(2, kMostLogBlocks))
        ->capture_default_str()
        ->group(kGroup);
    app.add_option("--mirror-blocks", mirror_blocks, "Mirror blocks of fmax; 0: one for every logical block")
        ->check(whole_number(0, kMostLogBlocks))
        ->capture_default_str()
        ->group(kGroup);
    app.add_flag("--pin-root", pin_root, "The root never leaves the buffer")->group(kGroup);
    app.add_flag("--no-drive", no_drive, "Count only; do not run the tree on the simulated drive")
        ->group(kGroup);
    app.add_flag("--no-sensitivity", no_sensitivity, "Do not vary what the study leaves open")->group(kGroup);
}

std::vector<std::string> Options::check(const CommandLine& line) const {
    std::vector<std::string> errors;
    if (line.precondition || line.warm_up != 0) {
        errors.emplace_back("--precondition and --warm-up: the tree starts on a new drive");
    }
    if (!line.traces.empty() || !line.workload.empty()) {
        errors.emplace_back("--trace and --workload: tb_btree makes its own requests; use tb_replay");
    }
    if (line.queue_depth.value_or(1) != 1) {
        errors.emplace_back("--queue-depth: allowed: 1, the tree waits for each page");
    }
    if (page_bytes.empty()) {
        errors.emplace_back("--page-sizes: found none; allowed: at least one");
    }
    check_once("--page-sizes", page_bytes, errors);
    const std::uint32_t smallest = page_bytes.empty() ? 0 : std::ranges::min(page_bytes);
    if (smallest != 0 && TreeShape{entry_bytes}.capacity(smallest) < kFewestEntries) {
        errors.push_back(fmt::format("--entry-bytes: found {}, so that a page of {} has less than {} entries",
                                     entry_bytes, smallest, kFewestEntries));
        return errors;
    }
    check_device(*this, line.configuration, errors);
    return errors;
}

Load Options::load(std::uint32_t tree_page_bytes, std::uint64_t seed) const {
    return {inserts, seed, tree_page_bytes, buffer_pages, {entry_bytes, pin_root}};
}

LayerSetting Options::setting(Layer layer) const {
    return {layer, layer == Layer::fmax ? mirror_blocks : log_blocks};
}

Flash flash_of(const platform::Configuration& configuration) {
    return {configuration.nand.geometry.page_bytes, configuration.nand.geometry.pages,
            configuration.nand.rules.sequential_pages};
}

}  // namespace solidtlm::testbench::btree
