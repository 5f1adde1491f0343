// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/identify.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "hw/nvme/events.h"
#include "hw/nvme/logs.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr unsigned kLogs512 = 1U << 2U;  // LPA: offsets and long lengths
constexpr unsigned kFirmwareSlots = 3;   // FRMW: one slot, read-only
constexpr unsigned kAbortLimit = 3;      // ACL
constexpr unsigned kOncsUncorrectable = 1U << 1U;
constexpr unsigned kOncsDatasetManagement = 1U << 2U;
constexpr unsigned kOncsWriteZeroes = 1U << 3U;
constexpr unsigned kOncsSelect = 1U << 4U;
constexpr unsigned kOncsTimestamp = 1U << 6U;
constexpr unsigned kIoController = 1;  // CNTRLTYPE
constexpr unsigned kThin = 1;          // NSFEAT
constexpr unsigned kZeroesRead = 1;    // DLFEAT: deallocated sectors read as zeroes
constexpr unsigned kZeroesDeallocate = 1U << 3U;
constexpr unsigned kSectorShift = 9;  // LBADS
constexpr unsigned kUuidType = 3;
constexpr unsigned kUuidBytes = 16;

/// FNV-1a. A drive keeps its identifier as long as it keeps its model and serial number.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
    }
    return hash;
}

}  // namespace

IdentifyPage identify_controller(const NvmeConfig& config) {
    IdentifyPage page{};
    put(page, 0, 2, kPciVendor);
    put_text(page, 4, 20, config.serial);
    put_text(page, 24, 40, config.model);
    put_text(page, 64, 8, config.firmware_revision);
    put(page, 77, 1, kMdts);
    put(page, 80, 4, kVersion);
    put(page, 111, 1, kIoController);
    put(page, 258, 1, kAbortLimit);
    put(page, 259, 1, Events::kMostRequests - 1);
    put(page, 260, 1, kFirmwareSlots);
    put(page, 261, 1, kLogs512);
    put(page, 262, 1, kErrorEntries - 1);
    put(page, 512, 1, kSqeShift << 4U | kSqeShift);
    put(page, 513, 1, kCqeShift << 4U | kCqeShift);
    put(page, 516, 4, kNamespace);
    put(page, 520, 2,
        kOncsUncorrectable | kOncsDatasetManagement | kOncsWriteZeroes | kOncsSelect | kOncsTimestamp);
    put(page, 525, 1, 1);  // VWC: there is a volatile write cache
    const std::string name = "nqn.2014.08.org.nvmexpress:" + config.model + ":" + config.serial;
    std::ranges::copy(std::as_bytes(std::span(name)).first(std::min<std::size_t>(name.size(), 255)),
                      page.begin() + 768);
    return page;
}

IdentifyPage identify_namespace(const NvmeConfig& config) {
    IdentifyPage page{};
    put(page, 0, 8, config.exported_sectors);   // NSZE
    put(page, 8, 8, config.exported_sectors);   // NCAP
    put(page, 16, 8, config.exported_sectors);  // NUSE: which sectors are mapped only firmware knows
    put(page, 33, 1, kZeroesRead | kZeroesDeallocate);
    put(page, 24, 1, kThin);
    put(page, 130, 1, kSectorShift);
    return page;
}

IdentifyPage active_namespaces(std::uint32_t after) {
    IdentifyPage page{};
    if (after < kNamespace) {
        put(page, 0, 4, kNamespace);
    }
    return page;
}

IdentifyPage namespace_descriptors(const NvmeConfig& config) {
    IdentifyPage page{};
    put(page, 0, 1, kUuidType);
    put(page, 1, 1, kUuidBytes);
    const std::uint64_t low = hash_of(config.serial, hash_of(config.model, 0xCBF29CE484222325));
    put(page, 4, 8, low);
    put(page, 12, 8, hash_of(config.serial, low));
    // Version 8 (a form of its own), variant of RFC 9562.
    page[4 + 6] = (page[4 + 6] & std::byte{0x0F}) | std::byte{0x80};
    page[4 + 8] = (page[4 + 8] & std::byte{0x3F}) | std::byte{0x80};
    return page;
}

}  // namespace solidtlm::hw::nvme
