// SPDX-License-Identifier: Apache-2.0
//
// What the recovery log takes of flash and of DRAM, and what log and boot have under way.
#pragma once

#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/drive/needs.h"

namespace solidtlm::fw {

/// How many records may be noted after accepts() of RecoveryLog has returned true.
constexpr std::uint32_t kRecordsAtOnce = 64;
/// Spare pages besides those for the waiting records: one for the journal page that is being programmed, and
/// one in case a program fails.
constexpr std::uint32_t kSparePages = 2;

constexpr std::uint32_t kLogHeaderBytes = 32;  ///< header of a page of the recovery log
constexpr std::uint32_t kLogRecordBytes = 16;  ///< of a record in a journal page

/// The recovery log on flash (fw/log/recovery_log.h). All 0 without one.
struct RecoveryLogSize {
    std::uint32_t entries_per_page = 0;  ///< entries of map or table per checkpoint page
    std::uint32_t records_per_page = 0;  ///< records per journal page
    std::uint32_t waiting_records = 0;   ///< most records that wait for their journal page, in DRAM
    std::uint32_t map_pages = 0;         ///< pages of one checkpoint that hold the map
    std::uint32_t table_entries = 0;     ///< of the table that follows the map (fw/log/indirection.h)
    std::uint32_t checkpoint_pages = 0;  ///< all pages of one checkpoint
    std::uint32_t saved_pages = 0;       ///< that a capacitor may have to write; 0 without one
    std::uint32_t bank_blocks = 0;       ///< blocks of each of the two banks
    std::uint32_t superblocks = 0;       ///< of each parallel unit, reserved for the log
};

/// Each bank holds a checkpoint and at least one block of journal pages; with a capacitor also the pages that
/// it may have to write.
RecoveryLogSize recovery_log_size(const FirmwareConfig& config, std::uint64_t exported_units);
/// For the exported capacity of `config`.
RecoveryLogSize recovery_log_size(const FirmwareConfig& config);

inline constexpr FlashArea kLogArea{
    "the recovery log",
    {"firmware.trim.persist", "firmware.recovery.checkpoint_interval", "firmware.dedup.system",
     "firmware.dedup.shared_size", "firmware.dedup.protection"},
    [](const FirmwareConfig& config, std::uint64_t exported_units) {
        return recovery_log_size(config, exported_units).superblocks;
    }};

constexpr std::uint32_t kLogJobs = 16;  ///< pages of the log in transfer at once

/// kLogJobs pages in transfer; only with a log.
inline constexpr DramRegion kLogBuffers{
    "recovery log",
    {"firmware.trim.persist", "firmware.recovery.checkpoint_interval", "firmware.dedup.system"},
    [](const FirmwareConfig& config, const MediaLayout& layout) {
        return layout.superblocks(kLogArea) > 0 ? std::uint64_t{kLogJobs} * config.flash.page_bytes : 0;
    }};

/// RecoveryLogSize::waiting_records; only with a log.
inline constexpr DramRegion kLogRecords{
    "records of the recovery log",
    {"firmware.trim.persist", "firmware.recovery.checkpoint_interval", "firmware.dedup.system"},
    [](const FirmwareConfig& config, const MediaLayout& layout) {
        return std::uint64_t{recovery_log_size(config, layout.exported_units()).waiting_records} *
               kLogRecordBytes;
    }};

/// Searches of each parallel unit at a boot: one operation runs on the die, the other waits for it.
constexpr std::uint32_t kScanLanes = 2;

/// kLogJobs, and the searches of a boot. One more task decides what the log writes.
inline constexpr RoomWork kLogWork{
    "recovery",
    [](const FirmwareConfig& /*config*/, const MediaLayout& layout) {
        return std::uint64_t{layout.superblocks(kLogArea) > 0 ? kLogJobs : 0} +
               std::uint64_t{layout.pus()} * kScanLanes;
    },
    [](const FirmwareConfig& /*config*/, const MediaLayout& layout) {
        return std::uint64_t{layout.superblocks(kLogArea) > 0 ? kLogJobs + 1 : 0} +
               std::uint64_t{layout.pus()} * kScanLanes;
    }};

}  // namespace solidtlm::fw
