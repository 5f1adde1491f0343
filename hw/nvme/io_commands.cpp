// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/io_commands.h"

#include "hw/nvme/identify.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr Word kLengthMask = 0xFFFF;          // NLB, one less
constexpr Word kDirectiveMask = 0xFU << 20U;  // DTYPE
constexpr Word kForceUnitAccess = 1U << 30U;
constexpr Word kDeallocate = 1U << 2U;  // attribute AD of Dataset Management
constexpr std::uint32_t kRangeBytes = 16;
constexpr Word kRangesMask = 0xFF;  // NR, one less

}  // namespace

void IoCommands::begin(Slot& slot) const {
    const auto opcode = static_cast<IoOpcode>(slot.entry.opcode);
    switch (opcode) {
        case IoOpcode::flush:
            slot.submit(hal::HostOpcode::flush);
            break;
        case IoOpcode::read:
            begin_transfer(slot, hal::HostOpcode::read);
            break;
        case IoOpcode::write:
            begin_transfer(slot, hal::HostOpcode::write);
            break;
        case IoOpcode::write_uncorrectable:
            if (take_range(slot)) {
                slot.submit(hal::HostOpcode::write_uncorrectable);
            }
            break;
        case IoOpcode::write_zeroes:  // deallocated sectors read as zeroes
            if (take_range(slot)) {
                slot.trim_ranges.push_back({slot.lba, slot.sectors});
                trim(slot);
            }
            break;
        case IoOpcode::dataset_management:
            begin_dataset_management(slot);
            break;
        default:
            return slot.refuse(Status::invalid_opcode);
    }
    // The namespace counts more than the other fields.
    if (slot.entry.nsid == kEveryNamespace && opcode != IoOpcode::flush) {
        slot.refuse(Status::invalid_field);
    } else if (slot.entry.nsid != kNamespace && slot.entry.nsid != kEveryNamespace) {
        slot.refuse(Status::invalid_namespace);
    }
}

bool IoCommands::take_range(Slot& slot) const {
    const std::uint64_t lba = slot.entry.lba();
    const std::uint32_t count = (slot.entry.dword(12) & kLengthMask) + 1;
    if (lba >= sectors_ || count > sectors_ - lba) {
        slot.refuse(Status::lba_out_of_range);
        return false;
    }
    slot.lba = hal::Lba{lba};
    slot.sectors = count;
    return true;
}

void IoCommands::begin_transfer(Slot& slot, hal::HostOpcode opcode) const {
    const std::uint32_t bytes = ((slot.entry.dword(12) & kLengthMask) + 1) * hal::kSectorBytes;
    if (bytes > kMostBytes || (slot.entry.dword(12) & kDirectiveMask) != 0) {
        slot.refuse(Status::invalid_field);
        return;
    }
    if (take_range(slot)) {
        slot.fua = (slot.entry.dword(12) & kForceUnitAccess) != 0;
        slot.host_bytes = bytes;
        slot.submit(opcode);
    }
}

void IoCommands::begin_dataset_management(Slot& slot) const {
    if ((slot.entry.dword(11) & kDeallocate) == 0) {
        return;  // hints that firmware has no use for
    }
    slot.move(Slot::Next::receive, ((slot.entry.dword(10) & kRangesMask) + 1) * kRangeBytes);
}

void IoCommands::received(Slot& slot) const {
    const std::span<const std::byte> data(slot.data);
    for (std::size_t at = 0; at < data.size(); at += kRangeBytes) {
        const auto count = static_cast<std::uint32_t>(get_little_endian(data.subspan(at + 4, 4)));
        const std::uint64_t lba = get_little_endian(data.subspan(at + 8, 8));
        if (lba > sectors_ || count > sectors_ - lba) {
            slot.refuse(Status::lba_out_of_range);
            return;
        }
        if (count > 0) {
            slot.trim_ranges.push_back({hal::Lba{lba}, count});
        }
    }
    trim(slot);
}

void IoCommands::trim(Slot& slot) {
    if (slot.trim_ranges.empty()) {
        slot.next = Slot::Next::complete;
        return;
    }
    slot.ranges = slot.trim_ranges;
    slot.submit(hal::HostOpcode::trim);
}

}  // namespace solidtlm::hw::nvme
