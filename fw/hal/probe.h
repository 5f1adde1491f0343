// SPDX-License-Identifier: Apache-2.0
//
// The observer of a device at work, for waveforms, timelines and the log of decisions. Every block has a
// pointer to one probe, null unless something is recorded, and reports its actions to it. A probe changes
// nothing and schedules no event.
//
// Instants. A report concerns the present instant or a later one, because blocks know the ends of their
// phases beforehand. It may be taken back: a later report about a resource overrides an earlier one from
// its start time on.
#pragma once

#include <cstdint>
#include <string_view>

#include "fw/hal/decision.h"
#include "fw/hal/flash.h"
#include "fw/hal/host.h"
#include "fw/hal/types.h"

namespace solidtlm::hal {

/// Kind of transfer on a channel bus.
enum class BusPhase : std::uint8_t {
    idle,
    command,
    address,
    data_in,   ///< to the die
    data_out,  ///< from the die
    status,    ///< the status byte
    wait,      ///< the bus is held, but no cycle runs: tADL, tWB, tRR, tCCS, ...
};
constexpr std::size_t kBusPhases = 7;

/// Port numbers of the DRAM in reports; flash channel n is port `flash` + n.
enum class DramPort : std::uint16_t { host, hash, core, flash };

class Probe {
  public:
    virtual ~Probe() = default;

    /// A frame, or a piece of DMA, is on the wire. `type` is the first byte of the FIS or of the TLPs'
    /// headers.
    virtual void link_frame(Ps /*begin*/, Ps /*end*/, bool /*to_device*/, std::uint8_t /*type*/) {}

    /// The device has taken a command and given it its HostCommand::id.
    virtual void command_accepted(Ps /*at*/, const HostCommand& /*command*/) {}
    /// SATA: commands accepted and not answered: one bit per tag, and the non-queued one.
    virtual void outstanding(Ps /*at*/, std::uint32_t /*tags*/, bool /*non_queued*/) {}
    /// NVMe: how many commands firmware has fetched and not ended.
    virtual void under_way(Ps /*at*/, std::uint32_t /*commands*/) {}

    /// The core executes until `stall_begin`, then waits for memory until `end`.
    virtual void core_slice(Ps /*begin*/, Ps /*stall_begin*/, Ps /*end*/, Cause /*cause*/) {}

    /// The request of a queued port is served.
    virtual void dram_served(Ps /*begin*/, Ps /*end*/, std::uint16_t /*port*/) {}
    /// The core has cut in: the access being served now ends at `end`.
    virtual void dram_stretched(Ps /*end*/) {}
    virtual void dram_core_access(Ps /*begin*/, Ps /*end*/) {}

    /// The bus is held for `op`; `kind` is the phase that takes most of the time.
    virtual void bus_held(Ps /*begin*/, Ps /*end*/, const FlashOp& /*op*/, BusPhase /*kind*/) {}
    /// A phase of the time for which the bus is held.
    virtual void bus_phase(Channel /*channel*/, Ps /*begin*/, Ps /*end*/, BusPhase /*phase*/) {}

    /// These planes of the die are held for `op` from `at` on, until die_released() says that they are free.
    virtual void die_taken(Ps /*at*/, const FlashOp& /*op*/, PlaneSet /*planes*/) {}
    virtual void die_released(Ps /*at*/, Channel /*channel*/, Die /*die*/, PlaneSet /*planes*/) {}
    /// R/B# is low from `begin` to `ready`.
    virtual void die_busy(Ps /*begin*/, Ps /*ready*/, Channel /*channel*/, Die /*die*/) {}
    /// The array of the die, or of one of its planes, works on `op` from `begin` to `end`; `suspended`: `end`
    /// is only a pause.
    virtual void array_busy(Ps /*begin*/, Ps /*end*/, const FlashOp& /*op*/, bool /*suspended*/) {}

    /// The number of free superblocks of a parallel unit from now on.
    virtual void free_superblocks(std::uint32_t /*parallel_unit*/, std::uint32_t /*count*/) {}
    /// The number of used slots of the write buffer from now on.
    virtual void write_buffer(std::uint32_t /*slots*/) {}
    /// Firmware begins to carry out a decision.
    virtual void decided(const Decision& /*decision*/) {}

    /// A step of the boot after a loss of power begins. It lasts until it ends or the next one begins.
    virtual void boot_step(Ps /*begin*/, std::string_view /*name*/) {}
    virtual void boot_step_ended(Ps /*at*/) {}
};

}  // namespace solidtlm::hal
