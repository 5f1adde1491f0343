// SPDX-License-Identifier: Apache-2.0
//
// The whole drive loses power at the instants of events (event_cutter.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

#include "testbench/show/host_metrics.h"
#include "testbench/show/observer_chain.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/event_cutter.h"
#include "testbench/sim/host/ata_host.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/host/port/link_port.h"
#include "testbench/sim/power_cut_test_support.h"
#include "testbench/sim/power_cycler.h"
#include "testbench/sim/stop_when_finished.h"
#include "testbench/sim/telemetry.h"

namespace solidtlm::testbench {
namespace {

using Kind = EventKind;

constexpr std::array<int, 5> kOffsets{0, -1, 0, 1, 0};  // picoseconds

/// Cuts of every kind in turn, each after a random number of events, so that some cuts come during a boot.
/// Some kinds have few events between two cuts.
std::vector<EventCut> cuts_in_turn(std::uint64_t seed, const std::vector<Kind>& kinds, std::size_t count) {
    std::mt19937_64 random(seed);
    std::vector<EventCut> cuts;
    for (std::size_t i = 0; i < count; ++i) {
        const Kind kind = kinds[i % kinds.size()];
        const bool rare = kind == Kind::alarm || kind == Kind::suspension || kind == Kind::hash_job;
        cuts.push_back({kind, random() % (rare || random() % 3 == 0 ? 4 : 500),
                        kOffsets[i / kinds.size() % kOffsets.size()]});
    }
    return cuts;
}

struct Variant {
    const char* name;
    std::vector<std::string> settings;
    std::string workload;
    std::vector<Kind> kinds;  ///< in addition to the kinds that every drive has
};

void PrintTo(const Variant& variant, std::ostream* out) {
    *out << variant.name;
}

/// The drive, its host and its power, connected as in simulate(), and a probe.
struct PoweredDrive {
    PoweredDrive(const platform::Configuration& configuration, const std::string& workload,
                 const PowerCuts& cuts, hal::Probe& probe)
        : ssd("ssd", configuration, platform::ProtocolChecks::on),
          verifier(verify(configuration)),
          source(make_workload(parse_workload(workload, configuration.firmware.exported_sectors))),
          port("port", &ssd.agenda()),
          host("host", host_config(configuration), port, *source, pacing, observers, ssd.agenda()),
          cycler("power_cycler", cuts, PowerCycler::Drive{ssd, host, verifier}) {
        observers.add(verifier);
        observers.add(metrics);
        observers.add(stop);
        ssd.sata().bind_host(port.link);
        ssd.set_probe(&probe);
    }
    /// Runs until the workload and the firmware's present work have ended.
    void run() {
        sc_core::sc_start();
        ASSERT_TRUE(stop.done) << "the device stalled";
        cycler.stop();
        ssd.agenda().set_quantum(Ps{0});
        while (!ssd.core.idle()) {
            sc_core::sc_start(1, sc_core::SC_US);
        }
        EXPECT_TRUE(verifier.passed());
        EXPECT_GT(verifier.counts().reads_checked, 0U);
        EXPECT_EQ(metrics.failed(), cycler.report().lost_commands);
        EXPECT_EQ(metrics.largest_residual(), Ps{0});
        EXPECT_EQ(count_violations(ssd), 0U) << first_violation(ssd);
        EXPECT_EQ(ssd.firmware().check(), "");
    }
    /// The outcome of the run, with times in picoseconds.
    [[nodiscard]] Json summary() const {
        return {{"cuts", cycler.report().cuts},
                {"lost", cycler.report().lost_commands},
                {"boots_ps", cycler.report().boots.time().count()},
                {"core_ps", ssd.core.statistics().total_busy().count()},
                {"link_ps", ssd.front_end().link_busy().count()},
                {"dram_ps", ssd.dram.statistics().busy().count()},
                {"reads_checked", verifier.counts().reads_checked},
                {"audited", verifier.counts().audited_sectors},
                {"end_ps", hw::now().count()}};
    }
    static HostConfig host_config(const platform::Configuration& configuration) {
        HostConfig config;
        config.content = configuration.content;
        return config;
    }
    static VerifierConfig verify(const platform::Configuration& configuration) {
        VerifierConfig config;
        config.power_cuts = true;
        config.content = configuration.content;
        config.sectors = configuration.firmware.exported_sectors;
        config.deterministic_after_trim = configuration.sata.deterministic_after_trim;
        config.zeros_after_trim = configuration.sata.zeros_after_trim;
        return config;
    }

    platform::Ssd ssd;
    Verifier verifier;
    HostMetrics metrics;
    StopWhenFinished stop{ssd.agenda()};
    ObserverChain observers;
    std::unique_ptr<RequestSource> source;
    OpenLoop pacing;
    LinkPort port;
    AtaHost host;
    PowerCycler cycler;
};

constexpr std::size_t kEventCuts = 500;

class PowerCutAtAnEvent : public ::testing::TestWithParam<Variant> {};

std::vector<Kind> kinds_of(const Variant& variant) {
    std::vector<Kind> kinds = variant.kinds;
    for (const Kind usual :
         {Kind::link_frame, Kind::core_slice, Kind::dram_grant, Kind::dram_host, Kind::dram_flash,
          Kind::bus_phase, Kind::die_ready, Kind::array, Kind::die_free}) {
        kinds.push_back(usual);
    }
    return kinds;
}

platform::Configuration configuration_of(const Variant& variant, const char* run_ahead) {
    std::vector<std::string> settings = variant.settings;
    settings.emplace_back("ssd.over_provisioning=0.6");
    settings.emplace_back(std::string("run_ahead=") + run_ahead);
    return preset("tiny", settings);
}

TEST_P(PowerCutAtAnEvent, LosesNothingDurableAndTheRunEnds) {
    const Variant& variant = GetParam();
    const std::vector<Kind> kinds = kinds_of(variant);
    EventCutter cutter(cuts_in_turn(7, kinds, kEventCuts));
    PowerCuts cuts;
    cuts.off = 100 * kMicrosecond;
    PoweredDrive drive(configuration_of(variant, "1ms"), variant.workload, cuts, cutter);
    cutter.attach(drive.ssd, drive.cycler);
    drive.run();
    EXPECT_EQ(cutter.left(), 0U) << "the load is too short";
    for (const Kind kind : kinds) {
        const auto happened =
            std::ranges::count(cutter.happened(), kind, [](const auto& each) { return each.cut.kind; });
        EXPECT_GE(static_cast<std::size_t>(happened), kEventCuts / kinds.size())
            << kEventKindNames[static_cast<std::size_t>(kind)];
    }
    const PowerReport& report = drive.cycler.report();
    EXPECT_EQ(cutter.happened().size(), report.cuts);
    const auto booting = std::ranges::count_if(
        cutter.happened(), [](const auto& each) { return each.instant >= CutInstant::booting; });
    EXPECT_EQ(static_cast<std::uint64_t>(booting), report.interrupted_boots);
    EXPECT_EQ(report.cuts, kEventCuts);
    EXPECT_GT(report.interrupted_boots, kEventCuts / 10);
    EXPECT_GT(report.boots.boots(), kEventCuts / 4);
    EXPECT_EQ(cutter.on_after(), cuts.off);
}

TEST(EventCut, ReadsBackAsWritten) {
    for (const char* text :
         {"erase 3", "link_frame 12 -1ps", "array 0 +1ps", "time 350us", "promise 1 +1ps"}) {
        const auto cut = parse_event_cut(text);
        ASSERT_TRUE(cut) << text;
        EXPECT_EQ(to_text(*cut), text);
    }
    for (const char* text : {"", "erase", "erase x", "erase 3 1ps", "eras 3", "time 3", "time 0s",
                             "time 1us -1ps", "array 1 -1ps 2", "promise 1 -1ps"}) {
        EXPECT_FALSE(parse_event_cut(text)) << text;
    }
}

// A page-mapped drive never merges blocks, so this cut never happens.
TEST(EventCutter, SkipsAnEventAfterWaitingLongEnough) {
    constexpr std::uint64_t kPatience = 50;
    EventCutter cutter({{Kind::merge, 0, 0}, {Kind::program, 2, 1}, {Kind::merge, 0, 0}, {Kind::time, 1, 0}},
                       kPatience);
    PowerCuts cuts;
    cuts.off = 100 * kMicrosecond;
    PoweredDrive drive(preset("tiny", {"ssd.over_provisioning=0.6"}), "random,read=0.3,size=4k,count=200",
                       cuts, cutter);
    cutter.attach(drive.ssd, drive.cycler);
    drive.run();
    ASSERT_EQ(cutter.happened().size(), 2U);
    EXPECT_EQ(cutter.happened()[0].cut, (EventCut{Kind::program, 2, 1}));
    EXPECT_EQ(cutter.happened()[0].instant, CutInstant::running);
    EXPECT_EQ(cutter.happened()[1].cut.kind, Kind::time);
    EXPECT_EQ(cutter.left(), 0U);
}

// Power is cut at the instant of the promise to the host, and 1 ps later: the promised data is there.
TEST(EventCutter, CutsWhenSomethingHasBeenPromised) {
    std::vector<EventCut> cuts;
    for (std::uint64_t i = 0; i < 20; ++i) {
        cuts.push_back({Kind::promise, i % 3, static_cast<int>(i % 2)});
    }
    EventCutter cutter(cuts);
    PowerCuts power;
    power.off = 100 * kMicrosecond;
    PoweredDrive drive(preset("tiny", {"ssd.over_provisioning=0.6", "firmware.trim.persist=immediate"}),
                       "random,read=0.2,size=4k,flush=5,fua=0.3,trim=0.2,count=600", power, cutter);
    drive.observers.add(cutter);
    cutter.attach(drive.ssd, drive.cycler);
    drive.run();
    ASSERT_EQ(cutter.happened().size(), cuts.size());
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        EXPECT_EQ(cutter.happened()[i].cut, cuts[i]);
        EXPECT_LT(cutter.happened()[i].instant, CutInstant::booting);
    }
}

/// Observes whether collection programs while the recovery log has entries that exist only in DRAM.
class WatchedCutter : public EventCutter {
  public:
    using EventCutter::EventCutter;
    void array_busy(Ps begin, Ps end, const hal::FlashOp& op, bool suspended) override {
        if (op.cause == hal::Cause::gc && op.opcode == hal::FlashOpcode::program &&
            drive->ssd.firmware().translation().log_pending()) {
            ends.insert(end);
        }
        EventCutter::array_busy(begin, end, op, suspended);
    }
    void power_cut(CutInstant instant) override {
        cut_at.push_back(hw::now());
        EventCutter::power_cut(instant);
    }
    PoweredDrive* drive = nullptr;
    std::set<Ps> ends;
    std::vector<Ps> cut_at;
};

// Virtual block numbers are reused, and collection moves their pages. Information that is not on flash yet
// decides to which block such a page belongs.
TEST(EventCutter, CutsWhereCollectionIsAheadOfTheLog) {
    std::vector<EventCut> cuts;
    for (int i = 0; i < 12; ++i) {
        cuts.push_back({Kind::unlogged, static_cast<std::uint64_t>(i % 2), i % 3 - 1});
    }
    WatchedCutter cutter(cuts);
    PowerCuts power;
    power.off = 100 * kMicrosecond;
    PoweredDrive drive(
        preset("tiny", {"nand.geometry.channels=1", "nand.geometry.dies=1", "nand.geometry.planes=1",
                        "nand.geometry.page_size=4KiB", "ssd.over_provisioning=0.6",
                        "firmware.gc.policy=random", "firmware.gc.background_threshold=8",
                        "firmware.trim.persist=journal", "firmware.dedup.system=offline",
                        "firmware.idle_threshold=0s", "firmware.dedup.shared_size=256B"}),
        "random,read=0.05,trim=0.3,trim_size=16k,duplicates=0.9,size=4k,rate=1k,idle=6ms,burst=4,count=4000",
        power, cutter);
    cutter.drive = &drive;
    cutter.attach(drive.ssd, drive.cycler);
    drive.run();
    ASSERT_EQ(cutter.happened().size(), cuts.size()) << "the load is too short";
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        EXPECT_EQ(cutter.happened()[i].cut, cuts[i]);
        EXPECT_TRUE(cutter.ends.contains(cutter.cut_at[i] - Ps{cuts[i].offset_ps}));
    }
}

// Running ahead of the kernel changes no result, wherever the cuts fall.
TEST_P(PowerCutAtAnEvent, IsTheSameInStepWithTheKernel) {
    const Variant& variant = GetParam();
    std::vector<PointJob> jobs;
    for (const char* run_ahead : {"0s", "1ms", "333ns"}) {
        jobs.push_back({run_ahead, [&variant, run_ahead] {
                            EventCutter cutter(cuts_in_turn(11, kinds_of(variant), kEventCuts / 5));
                            PowerCuts cuts;
                            cuts.off = 100 * kMicrosecond;
                            PoweredDrive drive(configuration_of(variant, run_ahead), variant.workload, cuts,
                                               cutter);
                            cutter.attach(drive.ssd, drive.cycler);
                            drive.run();
                            SimulationOutcome outcome;
                            outcome.result = drive.summary();
                            return outcome;
                        }});
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    const Json& in_step = outcomes.front().outcome.result;
    EXPECT_EQ(in_step["cuts"], kEventCuts / 5) << "the load is too short";
    for (std::size_t i = 1; i < outcomes.size(); ++i) {
        EXPECT_EQ(outcomes[i].outcome.result, in_step) << jobs[i].name;
    }
}

/// Records when the device sent its first frame after an instant.
class FirstFrame : public hal::Probe {
  public:
    void link_frame(Ps begin, Ps /*end*/, bool /*to_device*/, std::uint8_t /*fis*/) override {
        if (begin > after && at == Ps{0}) {
            at = begin;
        }
    }
    Ps after{0};
    Ps at{0};
};

/// Requests a cut 1 ps before it happens.
class LateCut : public hw::AgendaModule {
  public:
    LateCut(const sc_core::sc_module_name& name, PowerCycler& cycler)
        : AgendaModule(name, &cycler.agenda()), cycler_(cycler) {}
    void plan(Ps when) { at<&LateCut::ask>(when - Ps{1}); }

  private:
    void ask() { cycler_.cut_at(hw::now() + Ps{1}); }
    PowerCycler& cycler_;
};

/// The cut is requested long before the end of the boot, or so late that the firmware's work comes first.
class PowerCutAtReady : public ::testing::TestWithParam<bool> {};

// Power is lost at the instant at which a boot ends. At that end the next cut is planned, for a time before
// the drive gets its power back.
TEST_P(PowerCutAtReady, ThePowerComesBackInTime) {
    const std::string workload = "random,read=0.3,size=4k,rate=10k,count=60";
    const platform::Configuration configuration = preset("tiny", {});
    PowerCuts cuts;
    cuts.at = {500 * kMicrosecond};
    cuts.off = 2'000 * kMicrosecond;
    const PointJob once{"one cut", [&] {
                            RunSpec settings = run_of(configuration);
                            settings.power_cuts = cuts;
                            const auto source = make_workload(
                                parse_workload(workload, configuration.firmware.exported_sectors));
                            return simulate(settings, *source, OpenLoop());
                        }};
    const PointOutcome first = run_points(std::span(&once, 1), PointPool{1, true}).front();
    const double boot_us = first.outcome.result.at("power").at("boot_us").at("max");
    const Ps ready = cuts.at[0] + cuts.off + Ps{std::llround(boot_us * 1e6)};

    FirstFrame signature;
    signature.after = ready;
    if (GetParam()) {
        cuts.at.push_back(ready);
    }
    cuts.every = 1'000 * kMicrosecond;
    PoweredDrive drive(configuration, workload, cuts, signature);
    LateCut late("late", drive.cycler);
    if (!GetParam()) {
        late.plan(ready);
    }
    drive.run();
    EXPECT_EQ(signature.at, ready + cuts.off);
}

INSTANTIATE_TEST_SUITE_P(Orders, PowerCutAtReady, ::testing::Bool());

// Requests in bursts with pauses, during which alarms go off.
constexpr const char* kBursts =
    "random,read=0.3,trim=0.02,flush=20,size=4k:2/16k:1,rate=10k,idle=6ms,burst=64,count=40000";
constexpr const char* kDuplicates =
    "random,read=0.2,trim=0.02,flush=20,duplicates=0.5,size=4k:2/16k:1,rate=10k,idle=6ms,burst=64,"
    "count=40000";

INSTANTIATE_TEST_SUITE_P(
    Variants, PowerCutAtAnEvent,
    ::testing::Values(
        Variant{"round_robin",
                {"dram.arbitration=round_robin", "firmware.write_buffer.idle_flush=1ms",
                 "nand.controller.suspend_erase=true", "nand.controller.suspend_program=true"},
                kBursts,
                {Kind::alarm, Kind::suspension}},
        Variant{"fcfs_map_cache",
                {"dram.arbitration=fcfs", "firmware.map_cache.policy=dftl", "firmware.map_cache.size=8KiB",
                 "firmware.recovery.checkpoint_interval=1MiB", "firmware.gc.copy_back=false"},
                kBursts,
                {}},
        Variant{"fixed_priority_bytes",
                {"dram.arbitration=fixed_priority", "content=bytes", "firmware.write_buffer.idle_flush=2ms"},
                kBursts,
                {Kind::alarm}},
        Variant{"online",
                {"dram.arbitration=round_robin", "firmware.dedup.system=online",
                 "firmware.dedup.protection=journal", "firmware.dedup.shared_size=16KiB",
                 "firmware.dedup.table_size=64KiB"},
                kDuplicates,
                {Kind::hash_job}},
        Variant{"offline_crc32",
                {"dram.arbitration=fcfs", "firmware.dedup.system=offline_crc32",
                 "firmware.dedup.shared_size=16KiB", "firmware.dedup.table_size=64KiB",
                 "firmware.idle_threshold=100us"},
                kDuplicates,
                {Kind::hash_job, Kind::alarm}}));

}  // namespace
}  // namespace solidtlm::testbench
