// SPDX-License-Identifier: Apache-2.0
//
// The protocol between a flash controller and a die. Its sockets bind to no others.
//
// One transaction is one confirmed command: the controller's bus phase covers the cycles before the confirm
// and the data that crossed the bus with it. There are no phases and no state: a page read costs no event in
// the die.
//
//   call         delay in                delay out              payload out
//   b_transport  last cycle of the       R/B# rises, or the     status register; statuses, content and
//                command, tWB included   plane is ready         metadata of the operation
//                                        (status: as it was)
//
// Delays count from now(), the agenda's time. To modules that do not share the agenda
// (FlashController::set_border()) that is sc_time_stamp().
//
// The die never waits inside b_transport, so methods may call it. Commands reach a die in the order of their
// last cycles. There is no other call: no nb_transport, no transport_dbg, no DMI.
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstddef>
#include <cstdint>
#include <tlm>

#include "fw/hal/flash.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

enum class NandCommand : std::uint8_t {
    read,               ///< 00h-30h: array to page register, tR
    read_plane,         ///< 00h-32h: more planes follow, tDBSY
    program,            ///< 10h: tPROG
    program_plane,      ///< 11h: more planes follow, or 1Ah: more pages of the word line follow; tDBSY
    erase,              ///< D0h: tBERS
    copy_back_read,     ///< 00h-35h: tR of the source page
    copy_back_program,  ///< 85h-10h: tPROG
    set_features,       ///< EFh: level of the read-retry table, tFEAT
    suspend,            ///< the running program or erase pauses
    resume,             ///< the suspended program or erase continues
    status,             ///< 70h or 78h
};

/// Status register (ONFI 4.0 5.13).
constexpr std::uint8_t kStatusFail = 0x01;         ///< the last program or erase failed
constexpr std::uint8_t kStatusArrayReady = 0x20;   ///< ARDY, without cache commands as RDY
constexpr std::uint8_t kStatusReady = 0x40;        ///< RDY, as on R/B#
constexpr std::uint8_t kStatusUnprotected = 0x80;  ///< WP# high

/// A command to the die.
struct NandTransaction {
    NandCommand command = NandCommand::status;
    /// The operation of the command. The die reads its addresses, pieces and metadata, and sets plane_status
    /// and status. Not null.
    hal::FlashOp* op = nullptr;
    std::byte* content = nullptr;  ///< content of the pieces, one after the other; null if none moves
    std::uint8_t status = 0;       ///< out: status register at the end of the command
    std::uint8_t level = 0;        ///< set_features: level of the read-retry table
};

enum class NoPhase : std::uint8_t {};

struct NandProtocol {
    using tlm_payload_type = NandTransaction;
    using tlm_phase_type = NoPhase;
};

constexpr unsigned kNandSocketBits = 8;  ///< DQ[7:0]
/// Empty: the die never calls back.
struct NoNandCallbacks {};
using NandInitiatorSocket =
    tlm_utils::simple_initiator_socket<NoNandCallbacks, kNandSocketBits, NandProtocol>;
template <class Module>
using NandTargetSocket = tlm_utils::passthrough_target_socket<Module, kNandSocketBits, NandProtocol>;

}  // namespace solidtlm::hw
