// SPDX-License-Identifier: Apache-2.0
//
// Cuts the drive's power during a run, and restores it. After each boot, before the first command, the
// verifier checks everything that the drive may hold, directly on flash; this takes no simulated time.
// Without cuts there is no event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hw/tlm/time.h"
#include "hw/tlm/wake_up.h"
#include "platform/ssd.h"
#include "testbench/show/result.h"
#include "testbench/sim/boot_totals.h"
#include "testbench/sim/host/host.h"
#include "testbench/sim/power_cuts.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {

struct PowerReport {
    std::uint64_t cuts = 0;
    std::uint64_t interrupted_boots = 0;  ///< cuts before the firmware was ready
    std::uint64_t lost_commands = 0;      ///< commands outstanding at a cut
    BootTotals boots;
    std::uint64_t capacitor_pages = 0;  ///< pages written with the capacitor's energy, at all cuts
    Ps longest_capacitor{0};            ///< longest time that it had to last
};

[[nodiscard]] Json power_section(const PowerReport& report, std::uint64_t audited_sectors);

class PowerCycler : public hw::AgendaModule {
  public:
    static constexpr unsigned kMostStartsInVain = 3;  ///< all further ones would take the same time

    struct Drive {
        platform::Ssd& ssd;
        Host& host;
        Verifier& verifier;
    };
    PowerCycler(const sc_core::sc_module_name& name, const PowerCuts& cuts, const Drive& drive);

    /// Calls `off` after each loss of power.
    void when_off(std::function<void()> off) { off_ = std::move(off); }

    void tell(PowerListener& listener) { listeners_.push_back(&listener); }
    /// Where a cut stands among the agenda's entries of its instant.
    enum class Place : std::uint8_t { first, as_asked };
    /// A cut at `at`, unless another one comes before. REQUIRES: at >= now, the drive has power.
    void cut_at(Ps at, Place place = Place::as_asked);
    /// For the drive that boots without a cut before.
    [[nodiscard]] hal::Completion when_ready() {
        return {[](void* context) { static_cast<PowerCycler*>(context)->ready(); }, this};
    }
    /// The run has ended: makes no further cuts.
    void stop();
    /// The simulation was paused because PowerCuts::every is so short that the host never sends a command.
    [[nodiscard]] bool in_vain() const { return starts_in_vain_ == kMostStartsInVain; }
    /// The simulation was paused because power would come back after hal::kHorizon.
    [[nodiscard]] bool beyond_horizon() const { return beyond_horizon_; }
    [[nodiscard]] const PowerReport& report() const { return report_; }
    /// Planned cuts that did not happen until stop(), in words.
    [[nodiscard]] std::vector<std::string> warnings() const;
    /// The firmware's counts before its power cuts, which destroyed the counters.
    [[nodiscard]] const hal::Metrics& past() const { return past_; }

  private:
    void start_of_simulation() override;
    void switch_power();
    void count_starts_in_vain();
    void cut();
    [[nodiscard]] CutInstant instant() const;
    void plan_cut_at();
    void plan_cut_every();
    void ready();
    void audit();
    void peek(const hal::FlashAddress& page, std::uint32_t column_bytes, std::span<std::byte> content) const;

    const PowerCuts cuts_;
    Drive drive_;
    std::function<void()> off_ = [] {};
    std::vector<PowerListener*> listeners_;
    bool cut_while_booting_ = false;  ///< at the last cut
    Ps cut_every_{-1};                ///< the next or the last cut of PowerCuts::every
    std::uint64_t sent_ = 0;          ///< commands that the host had sent at the last cut
    unsigned starts_in_vain_ = 0;     ///< consecutive cuts before the host had sent any command
    bool beyond_horizon_ = false;
    std::size_t next_ = 0;           // index into cuts_.at
    std::vector<Ps> without_power_;  ///< those of cuts_.at that came when the drive had no power
    std::optional<Ps> ended_at_;     ///< stop()
    /// The next cut, or the end of the present time without power.
    hw::WakeUp switch_{*this, hw::kCall<&PowerCycler::switch_power>};
    hal::Metrics past_;  // counters of the firmware
    PowerReport report_;
};

}  // namespace solidtlm::testbench
