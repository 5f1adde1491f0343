// SPDX-License-Identifier: Apache-2.0
//
// Makes the IDENTIFY DEVICE data of a device, and reads such data as a host (ACS-3 7.12, tables 45 and
// following).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hw/sata/ata.h"
#include "hw/sata/config.h"
#include "hw/sata/log_pages.h"

namespace solidtlm::hw {

/// The part of IDENTIFY DEVICE data that can change while the device runs.
struct IdentifyState {
    bool write_cache = true;                     ///< word 85 bit 5
    bool auto_activate = true;                   ///< word 79 bit 2
    bool smart = true;                           ///< word 85 bit 0
    std::uint8_t multiple = ata::kMostMultiple;  ///< word 59: sectors in a DRQ block of READ MULTIPLE; 0: off
};

/// The 512 bytes as on the wire: 256 little-endian words, including the integrity word 255.
LogPage identify_data(const SataConfig& config, const IdentifyState& state);

/// What a host learns from IDENTIFY DEVICE.
struct IdentifyFacts {
    std::string serial;
    std::string firmware_revision;
    std::string model;
    std::uint64_t capacity_sectors = 0;
    std::uint32_t queue_depth = 0;  ///< 0: no NCQ
    std::uint32_t max_dsm_blocks = 0;
    bool trim = false;
    bool deterministic_after_trim = false;
    bool zeros_after_trim = false;
    bool send_receive = false;  ///< SEND and RECEIVE FPDMA QUEUED; log 13h says which
    bool fua = false;           ///< WRITE DMA FUA EXT
    bool flush_ext = false;
    bool smart_supported = false;
    bool smart_enabled = false;
    bool write_uncorrectable = false;
    bool log_dma = false;  ///< READ LOG DMA EXT
    bool write_cache_supported = false;
    bool write_cache_enabled = false;
    bool auto_activate_enabled = false;
    bool non_rotating = false;
    SataGeneration generation = SataGeneration::gen1;  ///< the link speed in use
};

/// Reads `data` into `facts`. False: the signature or the checksum of word 255 is wrong.
bool parse_identify(std::span<const std::byte> data, IdentifyFacts& facts);

}  // namespace solidtlm::hw
