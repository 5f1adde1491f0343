// SPDX-License-Identifier: Apache-2.0
//
// The flash controller of one channel: a queue a die, the channel bus, ECC, and the way to DRAM.
//
// Core: hw/tlm/flash_protocol.h. Dies: nand_protocol.h. DRAM: base protocol, nb_transport_fw(BEGIN_REQ) with
// a DramExtension, answered TLM_COMPLETED with the delay, or later by nb_transport_bw(BEGIN_RESP).
//
// Rules of a die's queue: die_queue.h. At most one operation holds a die; in a cache sequence the next one
// takes over while the former's data still crosses the bus or its page is still being programmed. Program
// data is fetched and encoded while the operation waits. A wake-up is scheduled only when something will
// happen then: the ends of bus phases and of data-out pass silently unless somebody waits for them.
//
// Ledger invariant: from receipt to completion an operation is in exactly one stage, and whatever it waits
// for is held by somebody at every instant of the wait, because grants happen in the instant of release.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <array>
#include <memory>
#include <systemc>
#include <vector>

#include "fw/hal/flash.h"
#include "fw/hal/probe.h"
#include "hw/nand/burst_plan.h"
#include "hw/nand/channel_bus.h"
#include "hw/nand/config.h"
#include "hw/nand/die_queue.h"
#include "hw/nand/ecc.h"
#include "hw/nand/flash_request.h"
#include "hw/nand/nand_protocol.h"
#include "hw/nand/timing.h"
#include "hw/nand/violation.h"
#include "hw/tlm/extensions.h"
#include "hw/tlm/flash_protocol.h"
#include "hw/tlm/payload_pool.h"
#include "hw/tlm/timed_queue.h"

namespace solidtlm::hw {

/// An operation that a controller has accepted and not finished.
struct PendingOperation {
    const hal::FlashOp* op = nullptr;
    bool holds_die = false;  ///< false: waits in the die's queue, or was suspended
    Ps since{0};             ///< holds_die: since when its die is held
    Step step = Step::queued;
};

/// What a controller has done so far. Each plane's page or block counts one; a copy-back counts one read and
/// one program. Times are counted when their ends are known; what a suspension or a power cut ends is taken
/// back.
struct FlashControllerStatistics {
    using ByCause = std::array<std::uint64_t, hal::kCauses>;
    using TimeByCause = std::array<Ps, hal::kCauses>;
    ByCause reads{};
    ByCause programs{};
    ByCause erases{};
    std::uint64_t operations = 0;  ///< finished, failed ones included
    std::uint64_t failures = 0;    ///< of these, with a status other than ok
    std::uint64_t suspends = 0;
    TimeByCause bus_busy{};    ///< bus phases granted
    TimeByCause die_held{};    ///< from the grant of a die to its release, all dies
    TimeByCause array_busy{};  ///< R/B# or ARDY low, all dies
    Ps decoder_busy{0};
    Ps encoder_busy{0};
    std::uint64_t bytes_out = 0;  ///< data cycles from the dies, parity and metadata included
    std::uint64_t bytes_in = 0;   ///< and to them
    std::size_t max_queued = 0;   ///< longest queue of a die
    std::size_t max_bus_waiters = 0;
    std::uint64_t activations = 0;  ///< of the controller's process
};

class FlashController : public sc_core::sc_module {
  public:
    SC_HAS_PROCESS(FlashController);

    FlashTargetSocket<FlashController> core_target{"core_target"};
    sc_core::sc_vector<NandInitiatorSocket<FlashController>> die_init;
    tlm_utils::simple_initiator_socket<FlashController> dram_init{"dram_init"};

    FlashController(const sc_core::sc_module_name& name, const NandConfig& config, hal::Channel channel);

    [[nodiscard]] FlashControllerStatistics statistics() const;
    [[nodiscard]] const BusTiming& bus_timing() const { return timing_; }
    /// Operations that could not be sent to a die at all; the dies count the other breaches.
    [[nodiscard]] const ViolationLog& violations() const { return violations_; }
    /// Null: nobody watches.
    void set_probe(hal::Probe* probe) { probe_ = probe; }
    /// Operations accepted and not finished.
    [[nodiscard]] std::uint32_t pending(hal::Die die) const { return dies_[die.value].pending; }
    /// The operations of a die: the holder, those it shares the die with, then the queue. For reports.
    [[nodiscard]] std::vector<PendingOperation> pending_operations(hal::Die die) const;
    /// Operations that want the bus, whoever has it. For reports.
    [[nodiscard]] std::size_t bus_waiters() const { return bus_.waiters(); }
    /// How long a die has been held so far, by holder.
    [[nodiscard]] hal::HolderTimes die_times(hal::Die die) const {
        const DieState& state = dies_[die.value];
        return state.clock.snapshot(state.held_until(now()));
    }

    /// Power is lost now: every operation is forgotten and its descriptor never touched again. The dies are
    /// told separately.
    void power_cut();

  private:
    enum class WakeKind : std::uint8_t {
        arrival,     ///< an operation from the core
        ready,       ///< R/B# rises
        array_done,  ///< ARDY rises (cache operations)
        pausing,     ///< a suspend command has reached its die
        encoded,     ///< program data is ready for the bus
        decoded,     ///< read data has left ECC
        dram,        ///< DRAM accesses are done
        finished,    ///< end of the status poll
        drained,     ///< the cache register is empty
        look,        ///< a die or the bus becomes free and somebody waits
    };
    struct Wake {
        WakeKind kind = WakeKind::look;
        std::uint32_t token = 0;  ///< the request's; of a look the index of the die
        FlashRequest* request = nullptr;
    };
    /// A time for which R/B# or ARDY is low.
    struct ArrayTime {
        Ps from{0};
        Ps until{0};
        hal::Cause cause = hal::Cause::host;
    };
    struct DieState {
        explicit DieState(bool reads_overtake) : queue(reads_overtake) {}
        DieQueue queue;
        hal::HolderClock clock;
        hal::Cause cause = hal::Cause::host;  ///< of the holder
        Ps held_since{0};
        FlashRequest* active = nullptr;       ///< holds the die
        FlashRequest* draining = nullptr;     ///< cache read: its data leaves the cache register
        FlashRequest* background = nullptr;   ///< cache program: its page is being programmed
        FlashRequest* suspended = nullptr;    ///< program or erase, paused
        FlashRequest* interrupter = nullptr;  ///< queued read that has asked for the bus to pause it
        bool leaving = false;                 ///< held by nobody's step until free_at
        Ps free_at{0};
        Ps wake_at{-1};
        std::array<ArrayTime, 2> array{};  ///< counted last, newest first; two with cache program
        bool dirty = false;
        std::uint32_t pending = 0;

        /// The end of the holder's time as seen at `now`: a die that leaves is free from free_at on, although
        /// that is written down only when somebody next looks.
        [[nodiscard]] Ps held_until(Ps now) const { return leaving ? std::min(free_at, now) : now; }
    };

    /// The last data-out phase, and the decoder as it was before.
    struct DataOut {
        const FlashRequest* request = nullptr;
        Ps begin{0};
        Ps end{0};
        EccPipeline decoder;
    };

    // TLM call-backs
    tlm::tlm_sync_enum nb_transport_fw(hal::FlashOp& op, FlashPhase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum dram_nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay);
    // Process (flash_controller.cpp)
    void work_method();
    void handle(const Wake& wake);
    void decide();
    // Life of a request (flash_controller.cpp)
    FlashRequest& take_request();
    void recycle(FlashRequest& request);
    [[nodiscard]] const char* fault_of(const hal::FlashOp& op) const;
    void arrive(FlashRequest& request);
    void finish(FlashRequest& request);
    void count(const hal::FlashOp& op);
    // Dies (flash_controller.cpp)
    void mark_dirty(DieState& die);
    void tell_released(const DieState& die, Ps at);
    void settle(DieState& die);
    void hold(DieState& die, const FlashRequest& request);
    void release(DieState& die, Ps at);
    void leave_at(DieState& die, Ps at);
    void schedule(DieState& die);
    void grant_die(DieState& die, FlashRequest& request);
    void try_interrupt(DieState& die);
    // Bus phases (flash_phases.cpp)
    void wait_for_bus(FlashRequest& request);
    void ask_bus(FlashRequest& request, Step step);
    void occupy_bus(FlashRequest& request, Ps duration);
    void grant_bus(FlashRequest& request);
    void grant_command(FlashRequest& request);
    void grant_suspend(FlashRequest& request);
    void grant_resume(FlashRequest& request);
    void grant_cache_end(FlashRequest& request);
    void grant_data_out(FlashRequest& request);
    void grant_status(FlashRequest& request);
    [[nodiscard]] Ps command_phase(const FlashRequest& request, NandCommand& code) const;
    [[nodiscard]] Ps data_in_phase(const FlashRequest& request, bool copy_back) const;
    Ps decode(EccPipeline& decoder, const Burst& burst, Ps begin) const;
    Ps data_out_phase(EccPipeline& decoder, const FlashRequest& request, Ps begin, Ps& decoded) const;
    void end_decoding(Ps at);
    Ps send(FlashRequest& request, NandCommand code, Ps duration, Ps& array_ready);
    void count_array(DieState& die, const ArrayTime& time);
    void end_array(DieState& die, Ps at);
    // What a probe is told of them (flash_trace.cpp)
    void trace_command(const FlashRequest& request, Ps duration);
    void trace_data_out(const FlashRequest& request, Ps duration);
    void trace_status(const FlashRequest& request, Ps duration);
    void trace_array(const FlashRequest& request, NandCommand code, Ps begin, Ps ready, Ps array_ready);
    // What follows a phase (flash_phases.cpp)
    void on_ready(FlashRequest& request);
    void on_array_done(FlashRequest& request);
    void on_drained(DieState& die);
    void on_pausing(FlashRequest& request);
    void go_on_with_cache_read(FlashRequest& request);
    void withdraw_interrupter(DieState& die);
    // Data (flash_data.cpp)
    void start_load(FlashRequest& request);
    void on_decoded(FlashRequest& request);
    void on_dram(FlashRequest& request);
    void plan_accesses(FlashRequest& request, bool write);
    void issue_accesses(FlashRequest& request, bool write);
    void record_access(FlashRequest& request, std::size_t access, Ps end, Ps transfer);
    [[nodiscard]] static Ps transfer_time(const FlashRequest& request, Ps from, Ps to);

    void push(Ps at, WakeKind kind, FlashRequest& request) {
        agenda_.push(at, Wake{kind, request.token, &request});
    }
    [[nodiscard]] DieState& die_of(const FlashRequest& request) {
        return dies_[request.op->address[0].die.value];
    }
    static void enter(const FlashRequest& request, hal::Stage stage, Ps at) {
        if (request.op->ledger != nullptr) {
            request.op->ledger->enter(stage, at);
        }
    }

    NandConfig config_;
    hal::Channel channel_;
    BusTiming timing_;
    bool ecc_on_;
    bool shared_enable_;  ///< dies share chip enables: they are selected by address
    BurstPlanner planner_;
    EccPipeline encoder_;
    EccPipeline decoder_;
    DataOut data_out_;
    ChannelBus bus_;
    Ps bus_wake_at_{-1};
    std::vector<DieState> dies_;
    std::vector<std::uint16_t> dirty_;
    std::vector<std::unique_ptr<FlashRequest>> requests_;
    std::vector<FlashRequest*> free_;
    std::uint64_t next_sequence_ = 0;
    TimedQueue<Wake> agenda_{"agenda_event"};
    PayloadPool<DramExtension> dram_payloads_;
    FlashControllerStatistics statistics_;
    ViolationLog violations_;
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::hw
