// SPDX-License-Identifier: Apache-2.0
//
// The flash controller of one channel. operations/ describes what an operation does, phase by phase, in one
// file per kind; each phase requests what the next phase needs, and names that phase. The parts only grant:
//
//   part            grants, or knows                                                header
//   die scheduler   who waits for a die, who holds it, who may pause whom           die_scheduler.h
//   channel bus     who has the bus, who is next                                    channel_bus.h
//   read path       when data of reads have left the bus and ECC                    read_path.h
//   page group      what an operation moves over the bus, through ECC, to DRAM      page_group.h
//   trace           what a probe receives                                           flash_trace.h
//
// At each instant all state that is due changes first; then dies and bus are granted once. The controller is
// woken only when it has work: ends of bus phases and of data-out cause no event unless an operation waits
// for them.
//
// Core: hw/tlm/flash_protocol.h. Dies: nand_protocol.h. DRAM: dram_socket.h.
//
// Ledger invariant: from receipt to completion an operation is in exactly one stage.
#pragma once

#include <vector>

#include "fw/hal/flash.h"
#include "fw/hal/probe.h"
#include "hw/nand/array_clock.h"
#include "hw/nand/channel_bus.h"
#include "hw/nand/config.h"
#include "hw/nand/die_scheduler.h"
#include "hw/nand/ecc.h"
#include "hw/nand/flash_statistics.h"
#include "hw/nand/flash_trace.h"
#include "hw/nand/nand_protocol.h"
#include "hw/nand/page_group.h"
#include "hw/nand/read_path.h"
#include "hw/nand/timing.h"
#include "hw/nand/violation.h"
#include "hw/tlm/agenda_module.h"
#include "hw/tlm/dram_socket.h"
#include "hw/tlm/flash_protocol.h"

namespace solidtlm::hw {

class FlashController : public AgendaModule, private DramClient {
  public:
    FlashTargetSocket<FlashController> core_target{"core_target"};
    sc_core::sc_vector<NandInitiatorSocket> die_init;
    DramSocket dram_init;

    FlashController(const sc_core::sc_module_name& name, const NandConfig& config, hal::Channel channel);

    [[nodiscard]] FlashControllerStatistics statistics() const;
    /// The part of statistics() for frequent calls: the controller's own counts and the bus phases.
    [[nodiscard]] const FlashControllerStatistics& counts() const { return statistics_; }
    [[nodiscard]] const TimeByCause& bus_busy() const { return bus_.busy(); }
    [[nodiscard]] bool has_retries() const { return ecc_.retries > 0; }
    [[nodiscard]] const BusTiming& bus_timing() const { return timing_; }
    /// Operations that could not be sent to a die; the dies count all other breaches.
    [[nodiscard]] const ViolationLog& violations() const { return violations_; }
    /// Modules that do not share the agenda are bound to `die_init`.
    void set_border() { border_ = true; }
    /// Null: nothing is recorded.
    void set_probe(hal::Probe* probe) { trace_.set_probe(probe); }
    /// Operations accepted and not finished.
    [[nodiscard]] std::uint32_t pending(hal::Die die) const { return dies_.pending(die); }
    /// See DieScheduler.
    [[nodiscard]] std::vector<PendingOperation> pending_operations(hal::Die die) const {
        return dies_.pending_operations(die);
    }
    /// Number of operations that wait for the bus. For reports.
    [[nodiscard]] std::size_t bus_waiters() const { return bus_.waiters(); }
    /// How long a die has been held so far, by holder.
    [[nodiscard]] hal::HolderTimes die_times(hal::Die die) const { return dies_.times(die); }

    /// Power is lost now: every operation is forgotten and its descriptor is never used again. The dies lose
    /// power separately.
    void power_cut();

  private:
    tlm::tlm_sync_enum nb_transport_fw(hal::FlashOp& op, FlashPhase& phase, sc_core::sc_time& delay);
    void dram_granted(std::uint64_t id, Ps end, const DramTimes& times) override;

    // Work at an instant.
    void arrive(FlashRequest& request);
    void finish(FlashRequest& request);
    template <Phase kPhase>
    void run(FlashRequest* request);
    void die_may_be_free(std::uint64_t die);
    void bus_may_be_free();
    void decide_soon();
    /// Called when all state that is due has changed: grants dies, then the bus.
    void decide();
    void schedule(DieScheduler::DieState& die);

    // Requests of phases.
    /// Runs kPhase at `when`.
    template <Phase kPhase>
    Agenda::Ticket later(Ps when, FlashRequest& request) {
        return push(when, kCall<&FlashController::run<kPhase>>.function(), this,
                    reinterpret_cast<std::uintptr_t>(&request));
    }
    /// Runs `granted` when the request has the bus. `data`: for data cycles.
    void ask_for_bus(FlashRequest& request, Phase granted, bool data, const char* at);
    /// The request uses the bus for `duration`.
    void occupy_bus(FlashRequest& request, Ps duration);
    /// Sends the command to the operation's die; its cycles take `duration` from now. Returns when R/B#
    /// rises.
    Ps call_die(NandTransaction& transaction, Ps duration);
    /// Sends a command whose cycles take `duration` from now; R/B# is then low until request.ready_at.
    void send(FlashRequest& request, NandCommand code, Ps duration);
    /// As above, and uses the bus for the command's cycles; runs kReady when R/B# has risen.
    template <Phase kReady>
    void command(FlashRequest& request, NandCommand code, Ps duration);
    /// Starts the request's DRAM accesses and runs `moved` when they have ended. REQUIRES: at least one
    /// access.
    void access_dram(FlashRequest& request, bool write, std::vector<std::byte>& content, Phase moved);
    void access_granted(FlashRequest& request, std::size_t access, Ps end, Ps transfer);
    void accesses_ended(FlashRequest& request) { (this->*request.moved)(request); }
    /// Marks the last part of the wait for the accesses as transfer.
    void enter_transfer(const FlashRequest& request) const;

    // operations/read.cpp
    void begin_read(FlashRequest& request);
    void read_command(FlashRequest& request);
    void read_next_plane(FlashRequest& request);
    void sensed(FlashRequest& request);
    void data_out(FlashRequest& request);
    void decoded(FlashRequest& request);
    void store(FlashRequest& request);
    void accumulate(FlashRequest& request);
    void stored(FlashRequest& request);

    // operations/read_retry.cpp
    [[nodiscard]] bool retry(FlashRequest& request);
    void begin_retry(FlashRequest& request);
    void set_level(FlashRequest& request);
    void level_set(FlashRequest& request);

    // operations/program.cpp
    void fetch(FlashRequest& request);
    void fetched(FlashRequest& request);
    void encode(FlashRequest& request);
    void begin_program(FlashRequest& request);
    void encoded(FlashRequest& request);
    void program_command(FlashRequest& request);
    void program_next_page(FlashRequest& request);
    [[nodiscard]] Ps data_in(const FlashRequest& request, Ps first);
    [[nodiscard]] Ps mode_prefix(const FlashRequest& request, bool slc) const {
        return request.has_prefix(slc) ? timing_.cycles(1, 0) : Ps{0};
    }

    // operations/erase.cpp
    void begin_erase(FlashRequest& request);
    void erase_command(FlashRequest& request);

    // operations/copy_back.cpp
    void copy_sensed(FlashRequest& request);

    // operations/status.cpp: how programs, erases and copy-backs end
    void array_done(FlashRequest& request);
    void status_poll(FlashRequest& request);

    // operations/suspension.cpp
    void suspend(FlashRequest& read);
    void pausing(FlashRequest& read);
    void paused(FlashRequest& read);
    void begin_resume(FlashRequest& request);
    void resume(FlashRequest& request);

    EccConfig ecc_;
    BusTiming timing_;
    bool border_ = false;
    bool shared_enable_;  ///< dies share chip enables and are selected by address
    PagePlanner planner_;
    FlashRequestPool requests_;
    FlashTrace trace_;
    ChannelBus bus_;
    DieScheduler dies_;
    ReadPath read_path_;
    EccPipeline encoder_;
    NandPlaneReads plane_reads_;
    std::uint32_t arrays_per_die_;
    std::vector<ArrayClock> arrays_;  ///< by die and array_of() in it
    struct Volatile {
        Ps bus_wake_at{-1};
        bool deciding = false;  ///< decide() is on the agenda for this instant
    } state_;
    FlashControllerStatistics statistics_;  ///< without the counts of the parts
    ViolationLog violations_;
};

inline void FlashController::ask_for_bus(FlashRequest& request, Phase granted, bool data, const char* at) {
    request.granted = granted;
    request.at = at;
    request.waits_for_bus = true;
    request.bus_asked = now();
    bus_.ask(request, data);
}

template <Phase kPhase>
void FlashController::run(FlashRequest* request) {
    bus_.settle(now());
    (this->*kPhase)(*request);
    decide_soon();
}

template <Phase kReady>
void FlashController::command(FlashRequest& request, NandCommand code, Ps duration) {
    occupy_bus(request, duration);
    send(request, code, duration);
    request.at = "array busy";
    request.enter(hal::Stage::array, now() + duration);
    request.ready = later<kReady>(request.ready_at, request);
    schedule(dies_.of(request));  // a waiting host read may want to pause it
}

}  // namespace solidtlm::hw
