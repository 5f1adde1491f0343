// SPDX-License-Identifier: Apache-2.0
//
// Data phases in closed form, and calls in place of payloads, change no result. Random loads run on random
// drives in each way; every instant of every command and every stage of its ledger are compared to the
// picosecond.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "platform/ssd.h"
#include "testbench/host/ata_host.h"
#include "testbench/host/pacing/closed_loop.h"
#include "testbench/host/port/link_port.h"
#include "testbench/simulation/option_pairs_test_support.h"
#include "testbench/verify/verifier.h"
#include "testbench/workload/random_mix.h"

namespace solidtlm::testbench {
namespace {

/// The case of a seed. A slow DRAM or link makes neighbouring accesses collide; large commands make long data
/// phases.
struct Drawn {
    explicit Drawn(std::uint64_t seed) {
        std::mt19937_64 random(seed);
        const auto pick = [&random](std::initializer_list<const char*> values) {
            return std::string(values.begin()[random() % values.size()]);
        };
        settings = {"dram.size=64MiB",
                    "content=" + pick({"none", "tags", "bytes"}),
                    "sata.generation=" + pick({"gen1", "gen2", "gen3", "gen3", "ideal"}),
                    "sata.auto_activate=" + pick({"true", "false"}),
                    "dram.data_rate_mt_per_s=" + pick({"150", "300", "600", "1600"}),
                    "dram.arbitration=" + pick({"round_robin", "fcfs", "fixed_priority"}),
                    "nand.geometry.channels=" + pick({"1", "2", "4"}),
                    "firmware.unit=" + pick({"4KiB", "8KiB"}),
                    "firmware.read_segment=" + pick({"64KiB", "128KiB", "256KiB"})};
        depth = 1 + static_cast<std::uint32_t>(random() % 32);
        shares.requests = 400;
        shares.max_sectors = static_cast<std::uint32_t>(std::stoul(pick({"100", "300", "1200"})));
        shares.reads = 10 + static_cast<unsigned>(random() % 80);
        shares.writes = 90 - shares.reads;
        shares.fill = false;
    }
    std::vector<std::string> settings;
    std::uint32_t depth = 1;
    RandomMix::Shares shares;
};

/// A verifier that also records when each command ended and where its time went.
class Noted : public Verifier {
  public:
    using Verifier::Verifier;
    void completed(Command& command) override {
        std::vector<std::int64_t> row{static_cast<std::int64_t>(command.sequence), command.issued_at.count(),
                                      command.completed_at.count(), command.residual.count()};
        for (std::size_t stage = 0; stage < hal::kStages; ++stage) {
            row.push_back(command.ledger[static_cast<hal::Stage>(stage)].count());
        }
        rows.push_back(row);
        Verifier::completed(command);
    }
    Json rows = Json::array();
};

/// How data phases are computed: in closed form, frame by frame, or frame by frame with payloads everywhere.
enum class Way : std::uint8_t { closed_form, frames, payloads };
constexpr std::array kWays{Way::closed_form, Way::frames, Way::payloads};

SimulationOutcome run(std::uint64_t seed, Way way) {
    const Drawn drawn(seed);
    platform::Configuration configuration = preset("tiny", drawn.settings);
    configuration.closed_forms = way == Way::closed_form;
    platform::Ssd ssd("ssd", configuration,
                      way == Way::payloads ? platform::ProtocolChecks::on : platform::ProtocolChecks::off);
    const std::uint64_t sectors = configuration.firmware.exported_sectors;
    RandomMix source(seed, sectors, drawn.shares);
    VerifierConfig verifier_config;
    verifier_config.content = configuration.content;
    verifier_config.sectors = sectors;
    Noted noted(verifier_config);
    HostConfig host_config;
    host_config.content = configuration.content;
    const ClosedLoop pacing(drawn.depth);
    LinkPort port("port", &ssd.agenda());
    AtaHost host("host", host_config, port, source, pacing, noted, port.agenda());
    ssd.sata().bind_host(port.link);

    sc_core::sc_start();

    SimulationOutcome outcome;
    outcome.result = {{"commands", noted.rows},
                      {"mismatches", noted.counts().mismatches},
                      {"link_busy_ps", ssd.front_end().link_busy().count()},
                      {"dram_busy_ps", ssd.dram.statistics().busy().count()},
                      {"dram_rows", ssd.dram.statistics().rows.hits},
                      {"entries", ssd.agenda().runs()}};
    return outcome;
}

TEST(ClosedForms, ChangeNoInstantOfAnyCommand) {
    constexpr std::uint64_t kSeeds = 60;
    std::vector<PointJob> jobs;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        for (const Way way : kWays) {
            jobs.push_back({"seed " + std::to_string(seed), [seed, way] { return run(seed, way); }});
        }
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    std::uint64_t entries = 0;
    std::uint64_t entries_saved = 0;
    for (std::size_t i = 0; i < outcomes.size(); i += kWays.size()) {
        std::array<Json, kWays.size()> results;
        std::array<std::uint64_t, kWays.size()> its_entries{};
        for (std::size_t way = 0; way < kWays.size(); ++way) {
            results[way] = outcomes[i + way].outcome.result;
            ASSERT_TRUE(results[way].contains("entries")) << jobs[i].name << outcomes[i + way].messages;
            its_entries[way] = results[way]["entries"].get<std::uint64_t>();
            results[way].erase("entries");
            const Json differences = Json::diff(results[0], results[way]);
            EXPECT_TRUE(differences.empty()) << jobs[i].name << ": " << differences[0];
        }
        entries += its_entries[1];
        entries_saved += its_entries[1] - its_entries[0];
        EXPECT_LT(its_entries[1], its_entries[2]) << jobs[i].name << ": a called end handles a frame at once";
        EXPECT_EQ(results[0]["mismatches"], 0) << jobs[i].name;
        EXPECT_GE(results[0]["commands"].size(), 400U) << jobs[i].name;
    }
    EXPECT_GT(entries_saved, entries / 40) << "steps were made late";
}

/// Cuts power at drawn instants: in the middle of frames, of DRAM accesses, and between them.
SimulationOutcome run_with_cuts(const std::string& drive, std::uint64_t seed, bool closed_forms) {
    const Drawn drawn(seed);
    const bool tiny = drive == "tiny";
    RunSpec settings = run_of(preset(drive, tiny ? drawn.settings : std::vector<std::string>{}));
    settings.configuration.closed_forms = closed_forms;
    RunHooks hooks;
    hooks.check_protocol = !closed_forms;  // the check makes everything use payloads
    settings.power_cuts.at = random_instants(seed, 30);
    settings.power_cuts.off = Ps{1'000'000};
    RandomMix::Shares shares = drawn.shares;
    shares.requests = 1'500;
    if (!tiny) {
        shares.max_sectors = 2048;  // data phases that are long enough for a closed form
    }
    RandomMix source(seed, settings.configuration.firmware.exported_sectors, shares);
    SimulationOutcome outcome =
        simulate(settings, source, ClosedLoop(tiny ? drawn.depth : 1 + seed % 4), hooks);
    outcome.result = without_wall_times(std::move(outcome.result));
    outcome.result["config"].erase("closed_forms");
    return outcome;
}

TEST(ClosedForms, ChangeNothingAtPowerCuts) {
    constexpr std::uint64_t kSeeds = 12;
    std::vector<PointJob> jobs;
    for (const std::string drive : {"tiny", "default"}) {
        for (std::uint64_t seed = 1; seed <= (drive == "tiny" ? kSeeds : kSeeds / 2); ++seed) {
            for (const bool closed : {true, false}) {
                jobs.push_back({drive + ", seed " + std::to_string(seed),
                                [drive, seed, closed] { return run_with_cuts(drive, seed, closed); }});
            }
        }
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (std::size_t i = 0; i < outcomes.size(); i += 2) {
        EXPECT_EQ(outcomes[i].outcome.faults, std::vector<std::string>()) << jobs[i].name;
        const Json& open = outcomes[i + 1].outcome.result;
        ASSERT_TRUE(open.contains("power")) << jobs[i].name << outcomes[i + 1].messages;
        ASSERT_TRUE(outcomes[i].outcome.result.contains("power")) << jobs[i].name << outcomes[i].messages;
        const Json differences = Json::diff(open, outcomes[i].outcome.result);
        EXPECT_TRUE(differences.empty()) << jobs[i].name << ": " << differences[0];
    }
}

}  // namespace
}  // namespace solidtlm::testbench
