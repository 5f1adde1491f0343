// SPDX-License-Identifier: Apache-2.0
//
// How the flash controller talks to a die. One transaction is one confirmed command: the cycles before it and
// the data that crossed the bus with it are the controller's bus phase.
//
// Base protocol, request only: nb_transport_fw(BEGIN_REQ, delay) with delay = time until the last cycle of
// the command, tWB included; the die answers TLM_COMPLETED and adds the time its R/B# then stays low. So a
// page read costs no event in the die.
#pragma once

#include <cstdint>

#include "fw/hal/flash.h"
#include "hw/tlm/extensions.h"

namespace solidtlm::hw {

enum class NandCommand : std::uint8_t {
    read,               ///< 00h-30h: array to page register, tR
    read_plane,         ///< 00h-32h: further planes follow, tDBSY
    cache_read,         ///< 00h-31h: page register to cache register, then the array reads this op's page
    program,            ///< 10h: tPROG
    program_plane,      ///< 11h: further planes follow, tDBSY
    cache_program,      ///< 15h: cache register to page register, then the array programs; tCBSY
    erase,              ///< D0h: tBERS
    copy_back_read,     ///< 00h-35h: tR of the source page
    copy_back_program,  ///< 85h-10h: tPROG
    cache_read_end,     ///< 3Fh: the last page to the cache register
    reset,              ///< FFh
    suspend,            ///< the running program or erase pauses
    resume,             ///< and goes on
    status,             ///< 70h or 78h
};

/// Status register (ONFI 4.0 5.13).
constexpr std::uint8_t kStatusFail = 0x01;         ///< the last program or erase failed
constexpr std::uint8_t kStatusFailBefore = 0x02;   ///< FAILC: the one before it failed (cache program)
constexpr std::uint8_t kStatusArrayReady = 0x20;   ///< ARDY
constexpr std::uint8_t kStatusReady = 0x40;        ///< RDY, as on R/B#
constexpr std::uint8_t kStatusUnprotected = 0x80;  ///< WP# high

struct NandExtension : PooledExtension<NandExtension> {
    NandCommand command = NandCommand::status;
    /// The operation the command belongs to. The die reads addresses, pieces and metadata, and sets
    /// plane_status and status; content is the payload's data pointer, the pieces' contents one after the
    /// other.
    hal::FlashOp* op = nullptr;
    Ps array_delay{0};        ///< out: until the array has finished this operation (ARDY)
    std::uint8_t status = 0;  ///< out: status register at the end of the command
};

}  // namespace solidtlm::hw
