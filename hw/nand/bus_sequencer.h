// SPDX-License-Identifier: Apache-2.0
//
// The bus of a channel: who has it, how long each phase of an operation keeps it, and what is sent to the die
// with it. What an operation goes on with after a phase is the die scheduler's business.
//
// A wake-up is scheduled only when something will happen then: the ends of bus phases and of data-out pass
// silently unless an operation waits for them.
#pragma once

#include <systemc>
#include <vector>

#include "hw/nand/array_clock.h"
#include "hw/nand/channel_bus.h"
#include "hw/nand/config.h"
#include "hw/nand/flash_agenda.h"
#include "hw/nand/flash_statistics.h"
#include "hw/nand/flash_trace.h"
#include "hw/nand/nand_protocol.h"
#include "hw/nand/read_path.h"
#include "hw/nand/timing.h"

namespace solidtlm::hw {

class BusSequencer {
  public:
    using Dies = sc_core::sc_vector<NandInitiatorSocket>;

    /// All references must outlive it.
    BusSequencer(const NandConfig& config, const BusTiming& timing, Dies& dies, FlashAgenda& agenda,
                 const FlashTrace& trace);

    // Waiting for the bus
    /// `request` wants the bus for `step`.
    void ask(FlashRequest& request, Step step);
    /// A read wants to pause what holds its die. It still waits for the die, says its ledger.
    void ask_to_suspend(FlashRequest& read);
    void withdraw(FlashRequest& read);
    /// Takes note that the current phase is over, if it is. Call before anything else of an instant.
    void settle() { bus_.settle(now()); }
    /// Whose turn it is now, or null. Its phase has to begin, unless it wants none any more.
    [[nodiscard]] FlashRequest* next() { return bus_.grant(); }
    /// Wakes the controller when the bus becomes free, if an operation waits for it.
    void wake_when_free();

    // Phases of a request that next() has returned, from now on
    void command(FlashRequest& request);
    void suspend(FlashRequest& read);
    /// The die takes request.level of its read-retry table.
    void set_features(FlashRequest& request);
    void resume(FlashRequest& request);
    ReadPath::Ends data_out(FlashRequest& request);
    void status(FlashRequest& request);
    [[nodiscard]] Ps suspend_time() const { return timing_.suspend_command(); }

    void power_cut();
    [[nodiscard]] std::size_t waiters() const { return bus_.waiters(); }
    void report(FlashControllerStatistics& statistics) const;

  private:
    void occupy(FlashRequest& request, Ps duration);
    [[nodiscard]] Ps command_phase(const FlashRequest& request, NandCommand& code) const;
    [[nodiscard]] Ps data_in_phase(const FlashRequest& request, bool copy_back) const;
    void send(FlashRequest& request, NandCommand code, Ps duration);
    void send_short(FlashRequest& request, NandCommand code, Ps duration);

    const BusTiming& timing_;
    bool ecc_on_;
    bool shared_enable_;  ///< dies share chip enables: they are selected by address
    Dies& dies_;
    FlashAgenda& agenda_;
    const FlashTrace& trace_;
    ChannelBus bus_;
    Ps wake_at_{-1};
    ReadPath read_path_;
    std::vector<ArrayClock> arrays_;  ///< a die
    TimeByCause array_busy_{};
    std::uint64_t bytes_out_ = 0;
    std::uint64_t bytes_in_ = 0;
};

}  // namespace solidtlm::hw
