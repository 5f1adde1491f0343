// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/identify.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "hw/nvme/events.h"
#include "hw/nvme/logs.h"
#include "hw/tlm/little_endian.h"

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

class PageWriter {
  public:
    explicit PageWriter(IdentifyPage& page) : page_(page) {}
    void put(std::size_t at, std::size_t bytes, std::uint64_t value) {
        put_little_endian(page_.subspan(at, bytes), value);
    }
    void text(std::size_t at, std::size_t bytes, std::string_view value) {
        put_text(page_.subspan(at, bytes), value);
    }

  private:
    std::span<std::byte> page_;
};

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
    PageWriter writer(page);
    writer.put(0, 2, kPciVendor);
    writer.text(4, 20, config.serial);
    writer.text(24, 40, config.model);
    writer.text(64, 8, config.firmware_revision);
    writer.put(77, 1, kMdts);
    writer.put(80, 4, kVersion);
    writer.put(111, 1, kIoController);
    writer.put(258, 1, kAbortLimit);
    writer.put(259, 1, Events::kMostRequests - 1);
    writer.put(260, 1, kFirmwareSlots);
    writer.put(261, 1, kLogs512);
    writer.put(262, 1, kErrorEntries - 1);
    writer.put(512, 1, kSqeShift << 4U | kSqeShift);
    writer.put(513, 1, kCqeShift << 4U | kCqeShift);
    writer.put(516, 4, kNamespace);
    writer.put(520, 2,
               kOncsUncorrectable | kOncsDatasetManagement | kOncsWriteZeroes | kOncsSelect | kOncsTimestamp);
    writer.put(525, 1, 1);  // VWC: there is a volatile write cache
    const std::string name = "nqn.2014.08.org.nvmexpress:" + config.model + ":" + config.serial;
    std::ranges::copy(std::as_bytes(std::span(name)).first(std::min<std::size_t>(name.size(), 255)),
                      page.begin() + 768);
    return page;
}

IdentifyPage identify_namespace(const NvmeConfig& config) {
    IdentifyPage page{};
    PageWriter writer(page);
    writer.put(0, 8, config.exported_sectors);   // NSZE
    writer.put(8, 8, config.exported_sectors);   // NCAP
    writer.put(16, 8, config.exported_sectors);  // NUSE: which sectors are mapped only firmware knows
    writer.put(33, 1, kZeroesRead | kZeroesDeallocate);
    writer.put(24, 1, kThin);
    writer.put(130, 1, kSectorShift);
    return page;
}

IdentifyPage active_namespaces(std::uint32_t after) {
    IdentifyPage page{};
    if (after < kNamespace) {
        PageWriter(page).put(0, 4, kNamespace);
    }
    return page;
}

IdentifyPage namespace_descriptors(const NvmeConfig& config) {
    IdentifyPage page{};
    PageWriter writer(page);
    writer.put(0, 1, kUuidType);
    writer.put(1, 1, kUuidBytes);
    const std::uint64_t low = hash_of(config.serial, hash_of(config.model, 0xCBF29CE484222325));
    writer.put(4, 8, low);
    writer.put(12, 8, hash_of(config.serial, low));
    // Version 8 (a form of its own), variant of RFC 9562.
    page[4 + 6] = (page[4 + 6] & std::byte{0x0F}) | std::byte{0x80};
    page[4 + 8] = (page[4 + 8] & std::byte{0x3F}) | std::byte{0x80};
    return page;
}

}  // namespace solidtlm::hw::nvme
