// SPDX-License-Identifier: Apache-2.0
//
// Nothing volatile survives a power cut: a drive that was disturbed by random commands, whose power was cut
// among them, boots and then answers requests exactly as a new drive does that gets its flash: every stage of
// every command takes the same picoseconds, at the same time after power-on.
#include <gtest/gtest.h>

#include <random>

#include "fw/testing/files.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/power_cut_test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kProbes = 250;

/// Commands that disturb the drive, some of them beyond its end. When all of them were sent, the power is
/// cut; then come the probes, which are the same in all runs. Without noise there is no cut.
///
/// The cut comes after a time of any magnitude up to a program's or, in two of three runs, while a block
/// works or at the very instant at which its work ends.
class NoiseThenProbes : public RequestSource,
                        public SourceFeedback,
                        public PowerSwitch,
                        public CommandObserver,
                        public hal::Probe {
  public:
    NoiseThenProbes(std::uint64_t seed, std::uint64_t noise, std::uint64_t exported_sectors, Ps off)
        : random_(seed),
          noise_(noise),
          exported_sectors_(exported_sectors),
          off_(off),
          watched_(seed % 3 == 0 ? kWatched : random_() % kWatched),
          works_to_pass_(random_() % 30),
          disturbing_(seed, exported_sectors, shares(noise)),
          probing_(1, exported_sectors, shares(kProbes)),
          cut_(noise == 0) {}

    // RequestSource
    bool next(Request& request) override {
        if (given_ < noise_) {
            ++given_;
            const bool noise = disturbing_.next(request);
            if (noise && request.operation == Operation::read && random_() % 16 == 0) {
                request.lba = Lba{exported_sectors_};
            }
            return noise;
        }
        ended_ = cut_ && !probing_.next(request);
        return cut_ && !ended_;
    }
    SourceFeedback* feedback() override { return this; }

    // SourceFeedback
    void advance(Ps /*now*/) override {}
    void completed(std::uint64_t /*token*/, bool /*ok*/, Ps /*now*/) override {}
    [[nodiscard]] bool ended() const override { return ended_; }
    [[nodiscard]] std::optional<Ps> wakes_at() const override { return std::nullopt; }
    [[nodiscard]] std::vector<std::pair<std::string, double>> counters() const override { return {}; }

    // PowerSwitch
    void attach(platform::Ssd& /*ssd*/, PowerCycler& cycler) override {
        cycler_ = &cycler;
        cycler.tell(*this);
    }
    CommandObserver* observer() override { return this; }
    hal::Probe* probe() override { return noise_ > 0 && watched_ < kWatched ? this : nullptr; }
    void power_cut(CutInstant /*instant*/) override {
        cut_ = true;
        powered_at_ = hw::now() + off_;
    }

    // CommandObserver
    void issued(Command& command) override {
        if (command.retries == 0 && ++issued_ == noise_) {
            cycler_->cut_at(hw::now() + Ps{static_cast<std::int64_t>(random_() % (1U << random_() % 30))});
        }
    }
    void completed(Command& command) override {
        if (command.request >= noise_) {
            Json probe{command.request - noise_, (command.issued_at - powered_at_).count(),
                       (command.completed_at - powered_at_).count()};
            for (std::size_t stage = 0; stage < hal::kStages; ++stage) {
                if (static_cast<hal::Stage>(stage) !=
                    hal::Stage::host_queue) {  // it may begin before the cut
                    probe.push_back(command.ledger[static_cast<hal::Stage>(stage)].count());
                }
            }
            probes_.push_back(std::move(probe));
        } else if (command.failed_by(FailureKind::power_lost)) {
            ++lost_;
        }
    }
    void finished() override {}

    // hal::Probe
    void link_frame(Ps begin, Ps end, bool /*to_device*/, std::uint8_t /*type*/) override {
        works(0, begin, end);
    }
    void dram_served(Ps begin, Ps end, std::uint16_t /*port*/) override { works(1, begin, end); }
    void bus_held(Ps begin, Ps end, const hal::FlashOp& /*op*/, hal::BusPhase /*kind*/) override {
        works(2, begin, end);
    }
    void array_busy(Ps begin, Ps end, const hal::FlashOp& /*op*/, bool /*suspended*/) override {
        works(3, begin, end);
    }
    void core_slice(Ps begin, Ps /*stall_begin*/, Ps end, hal::Cause /*cause*/) override {
        works(4, begin, end);
    }

    /// Of each probe, in the order of their ends: its number, and picoseconds since power-on.
    [[nodiscard]] const Json& probes() const { return probes_; }
    [[nodiscard]] std::uint64_t lost() const { return lost_; }

  private:
    static constexpr std::uint64_t kWatched = 5;  ///< kinds of work

    void works(std::uint64_t kind, Ps begin, Ps end) {
        if (kind != watched_ || issued_ < noise_ || cut_ || passed_++ < works_to_pass_) {
            return;
        }
        const Ps left = end - std::max(begin, hw::now());
        if (left > Ps{0}) {
            const auto before =
                static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(left.count()));
            cycler_->cut_at(random_() % 2 == 0 ? end : end - Ps{before});
        }
    }

    static RandomMix::Shares shares(std::uint64_t requests) {
        RandomMix::Shares shares;
        shares.requests = requests;
        shares.fill = false;
        return shares;
    }

    std::mt19937_64 random_;
    const std::uint64_t noise_;
    const std::uint64_t exported_sectors_;
    const Ps off_;
    const std::uint64_t watched_;  ///< the kind of work that decides when power is cut; kWatched: none
    const std::uint64_t works_to_pass_;
    std::uint64_t passed_ = 0;
    RandomMix disturbing_;
    RandomMix probing_;
    PowerCycler* cycler_ = nullptr;
    std::uint64_t given_ = 0;
    std::uint64_t issued_ = 0;
    std::uint64_t lost_ = 0;
    bool cut_;
    bool ended_ = false;
    Ps powered_at_{0};
    Json probes_ = Json::array();
};

/// A run with `noise` commands before the cut, which leaves its flash in `file`; without noise, a run of a
/// new drive with that flash.
SimulationOutcome probe(const platform::Configuration& configuration, const std::filesystem::path& file,
                        std::uint64_t seed, std::uint64_t noise) {
    const std::uint64_t exported = configuration.firmware.exported_sectors;
    RunSpec run = run_of(configuration);
    NoiseThenProbes source(seed, noise, exported, run.power_cuts.off);
    RandomMix::Shares shares;
    shares.requests = 1500;
    RandomMix before(1, exported, shares);
    RunHooks hooks;
    hooks.check_protocol = seed % 2 == 0;
    if (noise > 0) {
        hooks.before = &before;
        hooks.power_switch = &source;
        hooks.save_at_cut = true;
        run.save_state = file;
    } else {
        hooks.power_switch = &source;
        run.load_state = file;
        run.boot = platform::Start::boot_timed;
    }
    SimulationOutcome outcome = simulate(run, source, ClosedLoop(8), hooks);
    outcome.noted = {{"lost", source.lost()}};
    outcome.result = {{"boot", outcome.result["power"]["boot_steps"]}, {"probes", source.probes()}};
    return outcome;
}

struct Drive {
    const char* name;
    std::vector<std::string> settings;
};
void PrintTo(const Drive& drive, std::ostream* to) {
    *to << drive.name;
}

class PowerCutNoise : public ::testing::TestWithParam<Drive> {
  protected:
    std::vector<PointOutcome> run_all(bool noisy) const {
        const platform::Configuration configuration = preset("tiny", GetParam().settings);
        std::vector<PointJob> jobs;
        for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
            const std::filesystem::path file = folder_ / std::to_string(seed);
            const std::uint64_t noise = noisy ? 40 + seed * 4 : 0;  // even, because hosts have two queues
            jobs.push_back({std::to_string(seed), [=] { return probe(configuration, file, seed, noise); }});
        }
        return run_points(jobs, PointPool{2, true});
    }
    static constexpr std::uint64_t kRuns = 24;
    TemporaryFolder folder_;
};

TEST_P(PowerCutNoise, LeavesADriveAsNew) {
    const std::vector<PointOutcome> cut = run_all(true);
    const std::vector<PointOutcome> fresh = run_all(false);
    std::uint64_t lost = 0;
    for (std::size_t i = 0; i < kRuns; ++i) {
        SCOPED_TRACE(i + 1);
        ASSERT_EQ(cut[i].outcome.faults, std::vector<std::string>());
        ASSERT_EQ(fresh[i].outcome.faults, std::vector<std::string>());
        lost += cut[i].outcome.noted["lost"].get<std::uint64_t>();
        const Json& expected = fresh[i].outcome.result;
        const Json& found = cut[i].outcome.result;
        EXPECT_EQ(found["boot"], expected["boot"]);
        ASSERT_GE(expected["probes"].size(), kProbes);
        ASSERT_EQ(found["probes"].size(), expected["probes"].size());
        for (std::size_t probe = 0; probe < expected["probes"].size(); ++probe) {
            ASSERT_EQ(found["probes"][probe], expected["probes"][probe]);
        }
    }
    EXPECT_GT(lost, kRuns) << "the power was cut under load";
}

INSTANTIATE_TEST_SUITE_P(
    Drives, PowerCutNoise,
    ::testing::Values(
        Drive{"default", {}}, Drive{"in_step", {"run_ahead=0s"}},
        Drive{"nvme", {"host.interface=nvme", "host.nvme.queues=2"}},
        // Turns of the arbiters, fractions of a core's cycle, planes that read alone.
        Drive{"turns",
              {"nand.controller.arbitration=round_robin", "dram.arbitration=round_robin",
               "core.frequency_mhz=333", "nand.planes.read=independent"}},
        Drive{"retries",
              {"faults.bit_errors=true", "faults.cycles=1500", "faults.rber.beta=0", "faults.rber.eps=0.003",
               "nand.ecc.retries=6", "nand.ecc.correctable_bits=50"}},
        Drive{"narrow_link", {"sata.generation=gen1", "sata.coalesce_completions=4"}},
        Drive{"suspends",
              {"nand.controller.suspend_erase=true", "nand.controller.suspend_program=true",
               "dram.arbitration=fixed_priority"}},
        Drive{"cached_map", {"firmware.map_cache.policy=tafp", "firmware.map_cache.translation_page=512"}},
        Drive{"journal", {"firmware.trim.persist=journal", "firmware.recovery.checkpoint_interval=512KiB"}},
        Drive{"dedup", {"firmware.dedup.system=online", "firmware.dedup.protection=capacitor"}}),
    [](const auto& drive) { return std::string(drive.param.name); });

}  // namespace
}  // namespace solidtlm::testbench
