// SPDX-License-Identifier: Apache-2.0
//
// The protocol between the firmware core and a channel's flash controller. Its sockets bind only to each
// other.
//
// The payload is the operation itself, which belongs to firmware. There are two phases, both without delay:
//
//   phase    caller                        returns        from then on
//   submit   core, nb_transport_fw         TLM_ACCEPTED   the operation is the controller's
//   done     controller, nb_transport_bw   TLM_COMPLETED  it is the core's; statuses are set and its ledger,
//                                                         if any, is in Stage::firmware_wait
//
// Any number of operations may be under way, and they end in any order. There is no other call: no
// b_transport, no DMI, no debug access. A power cut ends operations under way without `done`: core and
// controller lose power at the same instant, and neither touches those operations again.
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <tlm>

#include "fw/hal/flash.h"

namespace solidtlm::hw {

enum class FlashPhase : std::uint8_t { submit, done };

struct FlashProtocol {
    using tlm_payload_type = hal::FlashOp;
    using tlm_phase_type = FlashPhase;
};

constexpr unsigned kFlashSocketBits = 32;
template <class Module>
using FlashInitiatorSocket = tlm_utils::simple_initiator_socket<Module, kFlashSocketBits, FlashProtocol>;
template <class Module>
using FlashTargetSocket = tlm_utils::passthrough_target_socket<Module, kFlashSocketBits, FlashProtocol>;

}  // namespace solidtlm::hw
