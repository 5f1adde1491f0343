// SPDX-License-Identifier: Apache-2.0
//
// Calls in place of payloads change no result. Random loads run on random drives both ways; every instant of
// every command and every stage of its ledger are compared to the picosecond.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "platform/ssd.h"
#include "testbench/sim/host/ata_host.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/host/port/link_port.h"
#include "testbench/sim/load/random_mix.h"
#include "testbench/sim/option_pairs_test_support.h"
#include "testbench/sim/verify/verifier.h"

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

SimulationOutcome run(std::uint64_t seed, platform::ProtocolChecks checks) {
    const Drawn drawn(seed);
    const platform::Configuration configuration = preset("tiny", drawn.settings);
    platform::Ssd ssd("ssd", configuration, checks);
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

TEST(Calls, ChangeNoInstantOfAnyCommand) {
    constexpr std::uint64_t kSeeds = 60;
    std::vector<PointJob> jobs;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        for (const auto checks : {platform::ProtocolChecks::off, platform::ProtocolChecks::on}) {
            jobs.push_back({"seed " + std::to_string(seed), [seed, checks] { return run(seed, checks); }});
        }
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (std::size_t i = 0; i < outcomes.size(); i += 2) {
        Json calls = outcomes[i].outcome.result;
        Json payloads = outcomes[i + 1].outcome.result;
        ASSERT_TRUE(calls.contains("entries")) << jobs[i].name << outcomes[i].messages;
        ASSERT_TRUE(payloads.contains("entries")) << jobs[i].name << outcomes[i + 1].messages;
        EXPECT_LT(calls["entries"], payloads["entries"]) << jobs[i].name << ": a called end acts at once";
        calls.erase("entries");
        payloads.erase("entries");
        const Json differences = Json::diff(calls, payloads);
        EXPECT_TRUE(differences.empty()) << jobs[i].name << ": " << differences[0];
        EXPECT_EQ(calls["mismatches"], 0) << jobs[i].name;
        EXPECT_GE(calls["commands"].size(), 400U) << jobs[i].name;
    }
}

/// Cuts power at drawn instants: in the middle of frames, of DRAM accesses, and between them.
SimulationOutcome run_with_cuts(const std::string& drive, std::uint64_t seed, bool check_protocol) {
    const Drawn drawn(seed);
    const bool tiny = drive == "tiny";
    RunSpec settings = run_of(preset(drive, tiny ? drawn.settings : std::vector<std::string>{}));
    RunHooks hooks;
    hooks.check_protocol = check_protocol;
    settings.power_cuts.at = random_instants(seed, 30);
    settings.power_cuts.off = Ps{1'000'000};
    RandomMix::Shares shares = drawn.shares;
    shares.requests = 1'500;
    if (!tiny) {
        shares.max_sectors = 2048;  // long data phases
    }
    RandomMix source(seed, settings.configuration.firmware.exported_sectors, shares);
    SimulationOutcome outcome =
        simulate(settings, source, ClosedLoop(tiny ? drawn.depth : 1 + seed % 4), hooks);
    outcome.result = without_wall_times(std::move(outcome.result));
    return outcome;
}

TEST(Calls, ChangeNothingAtPowerCuts) {
    constexpr std::uint64_t kSeeds = 12;
    std::vector<PointJob> jobs;
    for (const std::string drive : {"tiny", "default"}) {
        for (std::uint64_t seed = 1; seed <= (drive == "tiny" ? kSeeds : kSeeds / 2); ++seed) {
            for (const bool checks : {false, true}) {
                jobs.push_back({drive + ", seed " + std::to_string(seed),
                                [drive, seed, checks] { return run_with_cuts(drive, seed, checks); }});
            }
        }
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (std::size_t i = 0; i < outcomes.size(); i += 2) {
        EXPECT_EQ(outcomes[i].outcome.faults, std::vector<std::string>()) << jobs[i].name;
        const Json& calls = outcomes[i].outcome.result;
        const Json& payloads = outcomes[i + 1].outcome.result;
        ASSERT_TRUE(calls.contains("power")) << jobs[i].name << outcomes[i].messages;
        ASSERT_TRUE(payloads.contains("power")) << jobs[i].name << outcomes[i + 1].messages;
        const Json differences = Json::diff(payloads, calls);
        EXPECT_TRUE(differences.empty()) << jobs[i].name << ": " << differences[0];
    }
}

}  // namespace
}  // namespace solidtlm::testbench
