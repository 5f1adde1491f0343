// SPDX-License-Identifier: Apache-2.0
//
// The flash controller of one channel: wires its parts together and passes each event to the one whose it is.
//
//   part             knows                                                       header
//   die scheduler    who waits for a die, who holds it, suspension, sequences    die_scheduler.h
//   bus sequencer    who has the bus, phases and their times, ECC of reads       bus_sequencer.h
//   data mover       DRAM accesses, ECC of programs                              data_mover.h
//   trace            what a probe is told                                        flash_trace.h
//
// The scheduler asks the sequencer for the bus and the mover for data; sequencer and mover know nobody. What
// is to happen later stands on the agenda (flash_agenda.h), which wakes this module. What is due at one
// instant changes state first; then, once, dies and bus are given away.
//
// Core: hw/tlm/flash_protocol.h. Dies: nand_protocol.h. DRAM: dram_socket.h.
//
// Ledger invariant: from receipt to completion an operation is in exactly one stage.
#pragma once

#include <vector>

#include "fw/hal/flash.h"
#include "fw/hal/probe.h"
#include "hw/nand/bus_sequencer.h"
#include "hw/nand/config.h"
#include "hw/nand/data_mover.h"
#include "hw/nand/die_scheduler.h"
#include "hw/nand/flash_agenda.h"
#include "hw/nand/flash_statistics.h"
#include "hw/nand/flash_trace.h"
#include "hw/nand/timing.h"
#include "hw/nand/violation.h"
#include "hw/tlm/dram_socket.h"
#include "hw/tlm/flash_protocol.h"

namespace solidtlm::hw {

class FlashController : public AgendaModule {
  public:
    FlashTargetSocket<FlashController> core_target{"core_target"};
    sc_core::sc_vector<NandInitiatorSocket> die_init;
    DramSocket dram_init{"dram_init", 4 * hal::kMostFlashOperations};  ///< several pieces each

    FlashController(const sc_core::sc_module_name& name, const NandConfig& config, hal::Channel channel);

    [[nodiscard]] FlashControllerStatistics statistics() const;
    [[nodiscard]] bool has_retries() const { return config_.ecc.retries > 0; }
    [[nodiscard]] const BusTiming& bus_timing() const { return timing_; }
    /// Operations that could not be sent to a die at all; the dies count the other breaches.
    [[nodiscard]] const ViolationLog& violations() const { return violations_; }
    /// Null: nobody watches.
    void set_probe(hal::Probe* probe) { trace_.set_probe(probe); }
    /// Operations accepted and not finished.
    [[nodiscard]] std::uint32_t pending(hal::Die die) const { return dies_.pending(die); }
    /// See DieScheduler.
    [[nodiscard]] std::vector<PendingOperation> pending_operations(hal::Die die) const {
        return dies_.pending_operations(die);
    }
    /// Operations that want the bus, whoever has it. For reports.
    [[nodiscard]] std::size_t bus_waiters() const { return bus_.waiters(); }
    /// How long a die has been held so far, by holder.
    [[nodiscard]] hal::HolderTimes die_times(hal::Die die) const { return dies_.times(die); }

    /// Power is lost now: every operation is forgotten and its descriptor never touched again. The dies are
    /// told separately.
    void power_cut();

  private:
    tlm::tlm_sync_enum nb_transport_fw(hal::FlashOp& op, FlashPhase& phase, sc_core::sc_time& delay);
    void wake(std::uint64_t word);
    /// Everything that is due has changed state: dies are given away, then the bus.
    void decide();

    void handle(WakeKind kind, FlashRequest& request);
    void begin_phase(FlashRequest& request);
    void arrive(FlashRequest& request);
    void finish(FlashRequest& request);
    [[nodiscard]] bool retry(FlashRequest& request);

    NandConfig config_;
    BusTiming timing_;
    PagePlanner planner_;
    FlashRequestPool requests_;
    FlashAgenda agenda_{*this, kCall<&FlashController::wake>};
    bool deciding_ = false;  ///< decide() stands on the agenda for this instant
    FlashTrace trace_;
    BusSequencer bus_;
    DataMover data_;
    DieScheduler dies_;
    FlashControllerStatistics statistics_;  ///< but for what the parts count
    ViolationLog violations_;
};

}  // namespace solidtlm::hw
