// SPDX-License-Identifier: Apache-2.0
//
// Temporal decoupling changes neither results and recordings, nor what other modules see that use the
// kernel's time and no agenda: a host, and modules between the flash controllers and their dies.
#include "testbench/sim/run_ahead_test_support.h"

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "hw/nand/test_tap.h"
#include "hw/sata/ata.h"
#include "hw/sata/fis.h"
#include "testbench/show/host_metrics.h"
#include "testbench/show/observer_chain.h"
#include "testbench/sim/age/ageing.h"
#include "testbench/sim/host/ata_host.h"
#include "testbench/sim/host/port/link_port.h"
#include "testbench/sim/verify/verifier.h"

namespace solidtlm::testbench {
namespace {

TEST(RunAhead, ChangesNoResultWaveformOrTimeline) {
    compare_rows(1, 2);
}

/// A SystemC module as a user might write it: an SC_THREAD that sends READ FPDMA QUEUED (ACS-3 7.22) at times
/// of its own, and computes instants from sc_time_stamp() and annotated delays.
class StrangeHost : public sc_core::sc_module {
  public:
    tlm_utils::passthrough_target_socket<StrangeHost> link_target{"link_target"};
    tlm_utils::simple_initiator_socket<StrangeHost> link_init{"link_init"};

    StrangeHost(const sc_core::sc_module_name& name, std::uint64_t sectors)
        : sc_module(name), sectors_(sectors) {
        link_target.register_nb_transport_fw(this, &StrangeHost::nb_transport_fw);
        link_init.register_nb_transport_bw(this, &StrangeHost::nb_transport_bw);
        SC_HAS_PROCESS(StrangeHost);
        SC_THREAD(talk_thread);
    }
    /// [instant in ps, type of FIS, first sector of a command or the tags that ended], in order.
    Json seen = Json::array();
    std::uint32_t ended = 0;
    static constexpr std::uint32_t kCommands = 400;

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& delay) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        const auto& header = payload.get_extension<hw::FisExtension>()->header;
        std::uint64_t tags = 0;
        if (header[0] == static_cast<std::uint8_t>(hw::FisType::set_device_bits)) {
            tags = hw::decode<hw::SetDeviceBits>(header.data()).sactive;
            freed_ |= static_cast<std::uint32_t>(tags);
            free_event_.notify(delay);
        } else if (header[0] == static_cast<std::uint8_t>(hw::FisType::register_d2h)) {
            accepted_ = true;
            free_event_.notify(delay);
        }
        note(delay, header[0], tags);
        return tlm::TLM_COMPLETED;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& /*payload*/, tlm::tlm_phase& /*phase*/,
                                       sc_core::sc_time& delay) {
        note(delay, 0, 0);
        return tlm::TLM_COMPLETED;
    }
    void note(const sc_core::sc_time& delay, std::uint8_t type, std::uint64_t what) {
        seen.push_back({(sc_core::sc_time_stamp() + delay).value(), type, what});
    }
    void talk_thread() {
        std::mt19937_64 random(5);
        while (!accepted_) {  // the signature, at the start
            wait(free_event_);
        }
        for (std::uint32_t i = 0; i < kCommands; ++i) {
            wait(sc_core::sc_time::from_value(random() % 40'000'000));
            while (!accepted_ || (busy_ & ~freed_) == ~0U) {
                wait(free_event_);
            }
            busy_ &= ~freed_;
            ended += static_cast<std::uint32_t>(std::popcount(std::exchange(freed_, 0)));
            const auto tag = static_cast<std::uint8_t>(std::countr_one(busy_));
            busy_ |= 1U << tag;
            hw::RegisterH2d fis;
            fis.command = static_cast<std::uint8_t>(hw::ata::Opcode::read_fpdma_queued);
            fis.features = static_cast<std::uint16_t>(8 * (1 + random() % 16));
            fis.lba = hal::Lba{random() % (sectors_ - 128) / 8 * 8};
            fis.device = hw::ata::kDeviceLba;
            fis.count = static_cast<std::uint16_t>(tag << 3U);
            const sc_core::sc_time ahead = sc_core::sc_time::from_value(random() % 3 * 1'000'000);
            accepted_ = false;
            send(encode(fis), ahead);
            note(ahead, fis.command, fis.lba.value);
        }
        while ((busy_ & ~freed_) != 0) {
            wait(free_event_);
        }
        ended += static_cast<std::uint32_t>(std::popcount(freed_));
    }
    void send(const hw::FisHeader& header, sc_core::sc_time delay) {
        tlm::tlm_generic_payload& payload = take_frame(pool_, hw::SataFrame{header});
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(link_init->nb_transport_fw(payload, phase, delay), tlm::TLM_UPDATED);
        payload.release();
    }

    const std::uint64_t sectors_;
    std::uint32_t busy_ = 0;   ///< tags in use
    std::uint32_t freed_ = 0;  ///< tags in use whose commands the device has ended
    bool accepted_ = false;
    sc_core::sc_event free_event_;
    hw::PayloadPool<hw::FisExtension> pool_{64};
};

/// A full drive. Its configuration has no contents, so the device moves none.
struct FullDrive {
    FullDrive(const char* name, const platform::Configuration& configuration, platform::ProtocolChecks checks,
              bool tapped)
        : ssd(name, configuration, checks, tapped ? tap() : hw::DieBinding()),
          verifier(config(configuration)) {
        Preconditioning full;
        full.random = 0;
        static_cast<void>(age(ssd, full, verifier, progress_mode(true)));
    }
    static VerifierConfig config(const platform::Configuration& configuration) {
        VerifierConfig config;
        config.content = configuration.content;
        config.sectors = configuration.firmware.exported_sectors;
        return config;
    }
    hw::DieBinding tap() {
        return [this](hw::NandInitiatorSocket& controller, hw::NandTargetSocket<hw::Die>& die) {
            taps.push_back(std::make_unique<hw::test::Tap>(sc_core::sc_gen_unique_name("tap"), seen));
            controller.bind(taps.back()->controller_target);
            taps.back()->die_init.bind(die);
        };
    }
    std::vector<hw::test::Tap::Seen> seen;  ///< commands on the way to the dies
    std::vector<std::unique_ptr<hw::test::Tap>> taps;
    platform::Ssd ssd;
    Verifier verifier;
};

/// What foreign modules see of a drive, while another drive with a host of this project is busy.
SimulationOutcome strangers(const std::string& link, Ps quantum, bool shares_agenda,
                            platform::ProtocolChecks checks = platform::ProtocolChecks::on) {
    platform::Configuration configuration = preset("tiny", {"content=none", "sata.generation=" + link});
    configuration.run_ahead = quantum;
    FullDrive drive("drive", configuration, checks, true);
    FullDrive other("other", configuration, checks, true);
    const std::uint64_t sectors = configuration.firmware.exported_sectors;
    StrangeHost stranger("stranger", sectors);
    drive.ssd.sata().bind_host(stranger.link_init, stranger.link_target);

    RandomMix::Shares shares;
    shares.requests = 2'000;
    shares.fill = false;
    RandomMix source(3, sectors, shares);
    HostMetrics metrics;
    ObserverChain observers;
    observers.add(metrics);
    HostConfig host_config;
    host_config.content = configuration.content;
    const ClosedLoop pacing(4);
    LinkPort port("port", shares_agenda ? &other.ssd.agenda() : nullptr);
    AtaHost host("host", host_config, port, source, pacing, observers, port.agenda());
    other.ssd.sata().bind_host(port.link);

    sc_core::sc_start();

    SimulationOutcome outcome;
    outcome.result = {{"seen", stranger.seen},
                      {"flash", drive.seen},
                      {"other_flash", other.seen},
                      {"ended", stranger.ended},
                      {"completed", metrics.completed()},
                      {"residual_ps", metrics.largest_residual().count()},
                      {"busy_ps", drive.ssd.core.statistics().total_busy().count()},
                      {"other_busy_ps", other.ssd.core.statistics().total_busy().count()},
                      {"other_frames_ps", other.ssd.front_end().link_busy().count()},
                      {"end_ps", sc_core::sc_time_stamp().value()}};
    return outcome;
}

// The protocol checkers also check the socket of the foreign host.
class RunAheadBesideStrangers : public ::testing::TestWithParam<const char*> {};

TEST_P(RunAheadBesideStrangers, HostAndFlashBusSeeTheSameInstants) {
    static constexpr std::array<Ps, 3> kQuanta{Ps{0}, Ps{1'000'000'000}, Ps{3'333}};
    std::vector<PointJob> jobs;
    for (const bool shares_agenda : {true, false}) {
        for (const Ps quantum : kQuanta) {
            jobs.push_back({"quantum " + std::to_string(quantum.count()) + " ps", [quantum, shares_agenda] {
                                return strangers(GetParam(), quantum, shares_agenda);
                            }});
        }
    }
    jobs.push_back({"calls", [] {
                        return strangers(GetParam(), Ps{1'000'000'000}, true, platform::ProtocolChecks::off);
                    }});
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    const Json& first = outcomes.front().outcome.result;
    ASSERT_TRUE(first.contains("ended")) << outcomes.front().outcome.faults.front();
    EXPECT_EQ(first["ended"], StrangeHost::kCommands);
    EXPECT_EQ(first["completed"], 2'000);
    EXPECT_EQ(first["residual_ps"], 0);
    EXPECT_GT(first["seen"].size(), 5U * StrangeHost::kCommands) << "command, sent, accepted, data, status";
    EXPECT_GT(first["flash"].size(), StrangeHost::kCommands);
    EXPECT_GT(first["other_flash"].size(), 2'000U);
    for (std::size_t i = 1; i < outcomes.size(); ++i) {
        EXPECT_EQ(outcomes[i].outcome.faults, std::vector<std::string>()) << jobs[i].name;
        const Json& result = outcomes[i].outcome.result;
        EXPECT_EQ(result["seen"], first["seen"]) << jobs[i].name;
        EXPECT_EQ(result["flash"], first["flash"]) << jobs[i].name;
        // A host with its own agenda handles things due at one instant in another order than one that shares
        // the drive's.
        const std::size_t like = i / kQuanta.size() == 1 ? kQuanta.size() : 0;
        const Json differences = Json::diff(outcomes[like].outcome.result, result);
        EXPECT_TRUE(differences.empty()) << jobs[i].name << ": " << differences[0];
    }
}

INSTANTIATE_TEST_SUITE_P(Links, RunAheadBesideStrangers, ::testing::Values("gen3", "ideal"));

// With a shared agenda, the kernel has hardly any events; a host with its own agenda adds an event per frame.
TEST(RunAhead, CostsTheKernelNothing) {
    const PointJob job{"run", [] {
                           platform::Configuration configuration = preset("tiny", {"content=none"});
                           FullDrive drive("drive", configuration, platform::ProtocolChecks::on, false);
                           RandomMix::Shares shares;
                           shares.requests = 2'000;
                           shares.fill = false;
                           RandomMix source(3, configuration.firmware.exported_sectors, shares);
                           ObserverChain observers;
                           HostConfig config;
                           config.content = configuration.content;
                           const ClosedLoop pacing(4);
                           LinkPort port("port", &drive.ssd.agenda());
                           AtaHost host("host", config, port, source, pacing, observers, port.agenda());
                           drive.ssd.sata().bind_host(port.link);
                           sc_core::sc_start();
                           SimulationOutcome outcome;
                           outcome.result = {{"entries", drive.ssd.agenda().runs()},
                                             {"events", drive.ssd.agenda().wake_ups()},
                                             {"ms", sc_core::sc_time_stamp().to_seconds() * 1e3}};
                           return outcome;
                       }};
    const Json run = run_points(std::span(&job, 1), PointPool{1, true}).front().outcome.result;
    EXPECT_GT(run["entries"], 20'000);
    EXPECT_LE(run["events"].get<double>(), run["ms"].get<double>() + 3) << "one a quantum of 1 ms";
}

}  // namespace
}  // namespace solidtlm::testbench
