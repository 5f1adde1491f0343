// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the ATA command set (ACS-3, NCQ clause 4.16, commands clause 7).
#pragma once

#include <cstddef>
#include <cstdint>

namespace solidtlm::hw::ata {

enum class Opcode : std::uint8_t {
    data_set_management = 0x06,
    read_sectors = 0x20,
    read_sectors_ext = 0x24,
    read_dma_ext = 0x25,
    read_multiple_ext = 0x29,
    read_log_ext = 0x2F,
    write_sectors = 0x30,
    write_sectors_ext = 0x34,
    write_dma_ext = 0x35,
    write_multiple_ext = 0x39,
    write_dma_fua_ext = 0x3D,
    read_verify = 0x40,
    read_verify_ext = 0x42,
    write_uncorrectable_ext = 0x45,
    read_log_dma_ext = 0x47,
    read_fpdma_queued = 0x60,
    write_fpdma_queued = 0x61,
    ncq_non_data = 0x63,
    send_fpdma_queued = 0x64,
    receive_fpdma_queued = 0x65,
    execute_device_diagnostic = 0x90,
    smart = 0xB0,
    read_multiple = 0xC4,
    write_multiple = 0xC5,
    set_multiple_mode = 0xC6,
    read_dma = 0xC8,
    write_dma = 0xCA,
    write_multiple_fua_ext = 0xCE,
    standby_immediate = 0xE0,
    idle_immediate = 0xE1,
    standby = 0xE2,
    idle = 0xE3,
    check_power_mode = 0xE5,
    sleep = 0xE6,
    flush_cache = 0xE7,
    flush_cache_ext = 0xEA,
    identify_device = 0xEC,
    set_features = 0xEF,
};

// Status register.
constexpr std::uint8_t kErr = 0x01;
constexpr std::uint8_t kDrq = 0x08;
constexpr std::uint8_t kSeek = 0x10;  // obsolete, still set by drives in their ending status 50h
constexpr std::uint8_t kDeviceFault = 0x20;
constexpr std::uint8_t kReady = 0x40;
constexpr std::uint8_t kBusy = 0x80;
constexpr std::uint8_t kStatusOk = kReady | kSeek;            // 50h
constexpr std::uint8_t kStatusError = kReady | kSeek | kErr;  // 51h

// Error register.
constexpr std::uint8_t kAbort = 0x04;
constexpr std::uint8_t kIdNotFound = 0x10;
constexpr std::uint8_t kUncorrectable = 0x40;

// Device register: LBA addressing; FUA of the FPDMA commands.
constexpr std::uint8_t kDeviceLba = 0x40;
constexpr std::uint8_t kDeviceFua = 0x80;

// Control register: software reset.
constexpr std::uint8_t kSoftReset = 0x04;

// SET FEATURES subcommands, and the number of the SATA feature auto-activate.
constexpr std::uint8_t kFeatureWriteCacheOn = 0x02;
constexpr std::uint8_t kFeatureTransferMode = 0x03;
constexpr std::uint8_t kFeatureSataOn = 0x10;
constexpr std::uint8_t kFeatureWriteCacheOff = 0x82;
constexpr std::uint8_t kFeatureSataOff = 0x90;
constexpr std::uint8_t kSataAutoActivate = 0x02;

// DATA SET MANAGEMENT, SEND FPDMA QUEUED.
constexpr std::uint8_t kDsmTrim = 0x01;
constexpr std::uint8_t kSendDataSetManagement = 0x00;

// SMART: subcommands in FEATURES; LBA 23:8 of each command and of the answers to RETURN STATUS.
constexpr std::uint8_t kSmartReadData = 0xD0;
constexpr std::uint8_t kSmartReadThresholds = 0xD1;  ///< obsolete since ATA-4; hosts still send it
constexpr std::uint8_t kSmartAutosave = 0xD2;
constexpr std::uint8_t kSmartExecute = 0xD4;
constexpr std::uint8_t kSmartReadLog = 0xD5;
constexpr std::uint8_t kSmartEnable = 0xD8;
constexpr std::uint8_t kSmartDisable = 0xD9;
constexpr std::uint8_t kSmartReturnStatus = 0xDA;
constexpr std::uint8_t kSmartAutosaveOn = 0xF1;  ///< COUNT; 00h: off
constexpr std::uint16_t kSmartSignature = 0xC24F;
constexpr std::uint16_t kSmartThresholdExceeded = 0x2CF4;

/// WRITE UNCORRECTABLE EXT: pseudo-uncorrectable, with logging.
constexpr std::uint8_t kPseudoUncorrectable = 0x55;

// Logs.
constexpr std::uint8_t kLogDirectory = 0x00;
constexpr std::uint8_t kLogSummaryError = 0x01;
constexpr std::uint8_t kLogComprehensiveError = 0x03;  ///< the extended one
constexpr std::uint8_t kLogDeviceStatistics = 0x04;
constexpr std::uint8_t kLogSelfTest = 0x06;
constexpr std::uint8_t kLogExtendedSelfTest = 0x07;
constexpr std::uint8_t kLogNcqError = 0x10;
constexpr std::uint8_t kLogPhyEvents = 0x11;
constexpr std::uint8_t kLogSendReceive = 0x13;
constexpr std::uint8_t kLogIdentify = 0x30;
constexpr std::uint8_t kLogSctStatus = 0xE0;

constexpr std::uint32_t kMaxTransferSectors = 65536;
constexpr std::uint32_t kMaxTransferSectors28 = 256;  ///< of the commands with 28-bit addresses
/// Sectors in a DRQ block at most: a block is one Data FIS.
constexpr std::uint8_t kMostMultiple = 16;
constexpr std::uint8_t kTags = 32;
/// What the device itself asks of firmware at once: a flush for the Standby timer, and part of a self-test.
constexpr std::size_t kOwnSlots = 2;
/// Slots for commands that are not answered, for aborted ones that firmware still works on, and for the
/// device's own.
constexpr std::size_t kMostSlots = std::size_t{2} * (kTags + 1) + kOwnSlots;
/// Frames that link and device may hold at once: a few for each command.
constexpr std::size_t kMostFrames = 8 * kMostSlots;
constexpr std::uint8_t kTagMask = 0x1F;  ///< five bits; subcommands have five, too
constexpr std::uint8_t kNoTag = 32;      ///< the one non-queued command

}  // namespace solidtlm::hw::ata
