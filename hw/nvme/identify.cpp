// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/identify.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "fw/hal/fnv1a.h"
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
constexpr unsigned kZeroesRead = 1;    // DLFEAT: deallocated sectors read as zeroes
constexpr unsigned kZeroesDeallocate = 1U << 3U;
constexpr unsigned kSectorShift = 9;  // LBADS
constexpr unsigned kUuidType = 3;

using Uuid = std::array<std::byte, 16>;

/// The identifier of what `part` names. A drive keeps it as long as it keeps its model and serial number.
Uuid uuid_of(const NvmeConfig& config, std::string_view part) {
    Uuid uuid{};
    const std::uint64_t low = hal::fnv1a(part, hal::fnv1a(config.serial, hal::fnv1a(config.model)));
    put(uuid, 0, 8, low);
    put(uuid, 8, 8, hal::fnv1a(config.serial, low));
    // Version 8 (a form of its own), variant of RFC 9562.
    uuid[6] = (uuid[6] & std::byte{0x0F}) | std::byte{0x80};
    uuid[8] = (uuid[8] & std::byte{0x3F}) | std::byte{0x80};
    return uuid;
}

/// NVMe 1.4 7.9: a qualified name has no blanks. This form needs no domain of the maker's own.
std::string qualified_name(const Uuid& uuid) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string name = "nqn.2014-08.org.nvmexpress:uuid:";
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        name += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        name += kDigits[std::to_integer<std::size_t>(uuid[i] >> 4U)];
        name += kDigits[std::to_integer<std::size_t>(uuid[i] & std::byte{0xF})];
    }
    return name;
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
    put(page, 266, 2, kWarningKelvin);
    put(page, 268, 2, kCriticalKelvin);
    put(page, 512, 1, kSqeShift << 4U | kSqeShift);
    put(page, 513, 1, kCqeShift << 4U | kCqeShift);
    put(page, 516, 4, kNamespace);
    put(page, 520, 2,
        kOncsUncorrectable | kOncsDatasetManagement | kOncsWriteZeroes | kOncsSelect | kOncsTimestamp);
    put(page, 525, 1, 1);  // VWC: there is a volatile write cache
    const std::string name = qualified_name(uuid_of(config, "subsystem"));
    std::ranges::copy(std::as_bytes(std::span(name)), page.begin() + 768);
    return page;
}

IdentifyPage identify_namespace(const NvmeConfig& config) {
    IdentifyPage page{};
    put(page, 0, 8, config.exported_sectors);  // NSZE
    put(page, 8, 8, config.exported_sectors);  // NCAP
    // NUSE may be NCAP at all times without thin provisioning (NSFEAT bit 0 is 0). Which sectors are mapped
    // only firmware knows.
    put(page, 16, 8, config.exported_sectors);
    put(page, 33, 1, kZeroesRead | kZeroesDeallocate);
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
    const Uuid uuid = uuid_of(config, "");
    put(page, 0, 1, kUuidType);
    put(page, 1, 1, uuid.size());
    std::ranges::copy(uuid, page.begin() + 4);
    return page;
}

}  // namespace solidtlm::hw::nvme
