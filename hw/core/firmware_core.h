// SPDX-License-Identifier: Apache-2.0
//
// The processor core of the controller: an SC_THREAD that runs a firmware program and charges its cycles
// and memory stalls to simulated time. While the firmware is idle or busy, this thread also runs the
// drive's agenda (hw/tlm/agenda.h), so that the simulator does not switch stacks between firmware and
// hardware.
//
// The program's step() takes no simulated time. The slice that it returns keeps the core busy for cycles /
// frequency + stall; then the core calls step() again. An idle program costs no events until it is kicked. A
// kick while the core is busy or inside step() is remembered, so no kick is lost.
//
// Flash: hw/tlm/flash_protocol.h; an operation's `done` is called in the instant in which its controller
// has finished it. DRAM: base protocol, completed at once, ahead of time within a slice.
//
// Power: power_cut() stops the program and forgets it. The flash controllers lose power in the same
// instant.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <tlm>
#include <vector>

#include "fw/hal/core.h"
#include "fw/hal/dram.h"
#include "fw/hal/flash.h"
#include "fw/hal/metrics.h"
#include "fw/hal/probe.h"
#include "hw/core/config.h"
#include "hw/core/cycle_clock.h"
#include "hw/dram/config.h"
#include "hw/tlm/dram_socket.h"
#include "hw/tlm/flash_protocol.h"
#include "hw/tlm/wake_up.h"

namespace solidtlm::hw {

struct CoreStatistics {
    std::array<Ps, hal::kCauses> busy{};   ///< cycles and stalls, by cause; up to now for the running slice
    std::array<Ps, hal::kCauses> stall{};  ///< the part of `busy` that waited for memory
    std::uint64_t cycles = 0;
    std::uint64_t slices = 0;     ///< slices that took time
    std::uint64_t wake_ups = 0;   ///< from idle
    std::uint64_t flash_ops = 0;  ///< submitted
    /// Longest execution of consecutive slices of one turn (hal::Slice), from the first one on at whose begin
    /// others were ready.
    Ps longest_turn{0};

    [[nodiscard]] Ps total_busy() const;
    void tell(hal::Metrics& metrics) const;
};

class FirmwareCore : public AgendaModule, public hal::Clock, public hal::Flash, public hal::Dram {
  public:
    sc_core::sc_vector<FlashInitiatorSocket<FirmwareCore>> flash_init;  ///< per channel
    DramSocket dram_init;                                               ///< core port

    /// `dram` gives the size and the content mode of the DRAM.
    FirmwareCore(const sc_core::sc_module_name& name, const CoreConfig& config, const DramConfig& dram,
                 std::uint32_t channels, std::uint32_t dies_per_channel);

    /// Boots `program`: it is stepped from now on, or from the start of the simulation.
    /// REQUIRES: nothing loaded. The program lives until power_cut() or the end of the simulation.
    void load(hal::Program& program);
    /// Flash operations besides erases that were outstanding at once at most.
    [[nodiscard]] std::size_t most_outstanding() const { return most_outstanding_; }
    /// Stops and forgets the program, the alarm and every outstanding operation.
    void power_cut();
    [[nodiscard]] bool loaded() const { return state_.program != nullptr; }
    /// Provides the factory bad-block marks. To be set before the program asks for them; without it no block
    /// is bad.
    void set_factory_bad(std::function<bool(const hal::FlashAddress&)> query) {
        factory_bad_ = std::move(query);
    }
    /// Null: nothing is recorded.
    void set_probe(hal::Probe* probe) { probe_ = probe; }
    [[nodiscard]] CoreStatistics statistics() const;
    /// True if the program waits and has done all that it can do without waiting.
    [[nodiscard]] bool idle() const { return state_.sleeping; }
    /// When the alarm goes off; WakeUp::kNever: none is set.
    [[nodiscard]] Ps alarm_at() const { return alarm_wake_.at(); }

    // hal::Clock.
    [[nodiscard]] Ps now() const override { return hw::now(); }
    void set_alarm(Ps at, hal::Completion alarm) override;

    // hal::Flash.
    void submit(hal::FlashOp& op) override;
    [[nodiscard]] bool factory_bad(const hal::FlashAddress& block) const override {
        return factory_bad_ && factory_bad_(block);
    }
    [[nodiscard]] bool all_good() const override { return !factory_bad_; }
    [[nodiscard]] std::uint32_t pending(hal::Channel channel, hal::Die die) const override;

    // hal::Dram.
    Access core_accesses(hal::DramAddress address, std::uint32_t bytes, std::uint32_t count, bool write,
                         Ps offset) override;
    std::byte* content(hal::DramAddress address) override;
    [[nodiscard]] std::uint64_t size_bytes() const override { return dram_bytes_; }

  private:
    /// The slice that keeps the core busy.
    struct Running {
        bool active = false;
        Ps begin{0};
        Ps execute{0};
        Ps stall{0};
        hal::Cause cause = hal::Cause::host;
    };

    tlm::tlm_sync_enum nb_transport_bw(hal::FlashOp& op, FlashPhase& phase, sc_core::sc_time& delay);

    void core_thread();

    void run_program();
    void wake() { runs_ = true; }
    void alarm();
    void kick();
    bool execute(const hal::Slice& slice);
    void charge(CoreStatistics& statistics, Ps until) const;
    [[nodiscard]] std::size_t die_index(hal::Channel channel, hal::Die die) const;

    const std::uint64_t dram_bytes_;
    const hal::ContentMode content_mode_;
    const std::uint32_t dies_per_channel_;
    CycleClock clock_;

    struct Volatile {
        explicit Volatile(std::size_t dies) : pending(dies) {}
        hal::Program* program = nullptr;
        bool sleeping = false;  ///< the thread waits for a kick
        bool kicked = false;    ///< since the last step began
        Running running;
        Ps turn{0};  ///< see CoreStatistics::longest_turn
        hal::Completion alarm;
        std::vector<std::uint32_t> pending;  ///< per die
        std::size_t outstanding = 0;         ///< flash operations besides erases
    } state_;
    // The thread itself goes on when power is lost.
    std::uint64_t boot_ = 0;  ///< counts power cycles
    bool in_step_ = false;
    bool halted_ = false;                             ///< waits for a program
    bool runs_ = true;                                ///< the firmware runs in it now
    WakeUp wake_{*this, kCall<&FirmwareCore::wake>};  ///< end of a slice, kick, or boot
    WakeUp alarm_wake_{*this, kCall<&FirmwareCore::alarm>};

    const std::size_t most_operations_;
    std::size_t most_outstanding_ = 0;
    std::function<bool(const hal::FlashAddress&)> factory_bad_;
    std::byte* content_base_ = nullptr;
    CoreStatistics statistics_;
    hal::Probe* probe_ = nullptr;
};

}  // namespace solidtlm::hw
