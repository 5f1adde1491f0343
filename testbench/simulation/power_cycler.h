// SPDX-License-Identifier: Apache-2.0
//
// Cuts the drive's power in the middle of a run, and restores it. After each boot, before the first command,
// the verifier looks at everything that the drive may hold, on flash; this takes no simulated time. Without
// cuts there is no event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "hw/tlm/wake_up.h"
#include "platform/ssd.h"
#include "testbench/host/host.h"
#include "testbench/results/result.h"
#include "testbench/simulation/boot_totals.h"
#include "testbench/simulation/power_cuts.h"
#include "testbench/verify/verifier.h"

namespace solidtlm::testbench {

struct PowerReport {
    std::uint64_t cuts = 0;
    std::uint64_t interrupted_boots = 0;  ///< cuts before the firmware was ready
    std::uint64_t lost_commands = 0;      ///< outstanding at a cut
    BootTotals boots;
    std::uint64_t capacitor_pages = 0;  ///< written by the energy of a capacitor, at all cuts
    Ps longest_capacitor{0};            ///< that it had to last
};

[[nodiscard]] Json power_section(const PowerReport& report, std::uint64_t audited_sectors);

class PowerCycler : public hw::AgendaModule {
  public:
    static constexpr unsigned kMostStartsInVain = 3;  ///< each takes as long as the others

    struct Drive {
        platform::Ssd& ssd;
        Host& host;
        Verifier& verifier;
    };
    PowerCycler(const sc_core::sc_module_name& name, const PowerCuts& cuts, const Drive& drive);

    /// `off` is called after each loss of power.
    void when_off(std::function<void()> off) { off_ = std::move(off); }

    void tell(PowerListener& listener) { listeners_.push_back(&listener); }
    /// A cut at `at`, unless another one comes before. REQUIRES: at >= now, the drive has power.
    void cut_at(Ps at);
    /// For the drive that boots without a cut before.
    [[nodiscard]] hal::Completion when_ready() {
        return {[](void* context) { static_cast<PowerCycler*>(context)->ready(); }, this};
    }
    /// No further cuts.
    void stop() { switch_.disarm(); }
    /// The simulation was paused: PowerCuts::every is so short that the host never sends a command.
    [[nodiscard]] bool in_vain() const { return starts_in_vain_ == kMostStartsInVain; }
    [[nodiscard]] const PowerReport& report() const { return report_; }
    /// What the firmware had counted before its power cuts, which destroyed the counters.
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
    bool cut_while_booting_ = false;  ///< the last time
    Ps cut_every_{-1};                ///< the next cut of PowerCuts::every, or the last one
    std::uint64_t sent_ = 0;          ///< commands of the host, until the last cut
    unsigned starts_in_vain_ = 0;     ///< in a row: such a cut came before the host had sent what it has
    std::size_t next_ = 0;            // of cuts_.at
    /// The next cut, or the end of the present one.
    hw::WakeUp switch_{*this, hw::kCall<&PowerCycler::switch_power>};
    hal::Metrics past_;  // of the firmware
    PowerReport report_;
};

}  // namespace solidtlm::testbench
