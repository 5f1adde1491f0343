// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/dram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "hw/dram/dram_test_bench.h"
#include "hw/tlm/report_guard.h"
#include "hw/tlm/test_printing.h"

namespace solidtlm::hw {
namespace {

using hal::ContentMode;
using hal::DramAddress;
using namespace std::chrono_literals;

constexpr auto kWrite = tlm::TLM_WRITE_COMMAND;

constexpr Ps bus(std::int64_t bytes) {
    return Ps{bytes * 1000 * 10 / 32};
}
constexpr Ps closed(std::int64_t bytes) {
    return 2 * kLatency + bus(bytes);
}
constexpr Ps hit(std::int64_t bytes) {
    return kLatency + bus(bytes);
}

TEST(Dram, IdleDramAnswersAtOnceWithoutAnEvent) {
    DramBench bench("bench", DramConfig{});
    bench.at(1us, [&] { bench.host.send(kWrite, 0, 4096); });
    bench.at(10us, [&] { bench.flash1.send(kRead, 0, 2048); });
    run(20us);
    ASSERT_EQ(bench.host.results.size(), 1U);
    EXPECT_TRUE(bench.host.results[0].at_once);
    EXPECT_EQ(bench.host.results[0].done, 1us + closed(4096));
    EXPECT_EQ(bench.host.results[0].wait, 0ns);
    EXPECT_EQ(bench.host.results[0].transfer, closed(4096));
    ASSERT_EQ(bench.flash1.results.size(), 1U);
    EXPECT_EQ(bench.flash1.results[0].done, 10us + hit(2048));
    const DramStatistics statistics = bench.dram.statistics();
    EXPECT_EQ(statistics.activations, 0U);
    EXPECT_EQ(statistics.host.bytes, 4096U);
    EXPECT_EQ(statistics.flash[1].accesses, 1U);
    EXPECT_EQ(statistics.flash[0].accesses, 0U);
    EXPECT_EQ(statistics.rows.closed, 2U);
    EXPECT_EQ(statistics.rows.hits, 1U);
    EXPECT_EQ(statistics.busy(), closed(4096) + hit(2048));
}

TEST(Dram, ABusyDramQueuesAndReportsTheRemainingTime) {
    DramBench bench("bench", DramConfig{});
    bench.at(0ns, [&] { bench.host.send(kWrite, 0, 2048); });
    bench.at(100ns, [&] { bench.flash0.send(kRead, 0, 2048); });
    bench.at(200ns, [&] { bench.flash1.send(kRead, 0, 512); });
    run(10us);
    const Ps first_end = closed(2048);
    ASSERT_EQ(bench.flash0.results.size(), 1U);
    const auto& second = bench.flash0.results[0];
    EXPECT_FALSE(second.at_once);
    EXPECT_EQ(second.answered, first_end) << "granted when the first one ended";
    EXPECT_EQ(second.done, first_end + hit(2048));
    EXPECT_EQ(second.wait, first_end - 100ns);
    EXPECT_EQ(second.transfer, hit(2048));
    ASSERT_EQ(bench.flash1.results.size(), 1U);
    const auto& third = bench.flash1.results[0];
    EXPECT_EQ(third.done, first_end + hit(2048) + hit(512));
    EXPECT_EQ(third.wait, first_end + hit(2048) - 200ns);
    const DramStatistics statistics = bench.dram.statistics();
    EXPECT_EQ(statistics.activations, 2U) << "one a waiter";
    EXPECT_EQ(statistics.flash[1].max_wait, third.wait);
    EXPECT_EQ(statistics.flash[1].delayed, 1U);
    EXPECT_EQ(bench.flash0.pool.in_use() + bench.flash1.pool.in_use() + bench.host.pool.in_use(), 0U);
}

TEST(Dram, RequestAtTheInstantTheDramGetsFree) {
    DramBench bench("bench", DramConfig{});
    bench.at(0ns, [&] { bench.host.send(kWrite, 0, 2048); });
    bench.at(closed(2048) - Ps{1}, [&] { bench.flash0.send(kRead, 0, 512); });
    bench.at(closed(2048) + hit(512), [&] { bench.flash1.send(kRead, 0, 512); });
    run(10us);
    EXPECT_EQ(bench.flash0.results.at(0).wait, Ps{1});
    EXPECT_TRUE(bench.flash1.results.at(0).at_once);
    EXPECT_EQ(bench.flash1.results.at(0).wait, Ps{0});
}

/// The order in which waiting requests are served: h host, 0 and 1 flash, x hash.
std::string grant_order(const std::string& policy) {
    DramConfig config;
    config.arbitration = policy;
    DramBench bench("bench", config);
    std::string order;
    bench.at(0ns, [&] { bench.flash0.send(kRead, 0, 2048); });
    bench.at(1ns, [&] {
        bench.flash0.on_result = [&] { order += '0'; };
        bench.flash1.on_result = [&] { order += '1'; };
        bench.host.on_result = [&] { order += 'h'; };
        bench.hash.on_result = [&] { order += 'x'; };
        bench.hash.send(kRead, 0, 512);
        bench.flash1.send(kRead, 0, 512);
        bench.flash0.send(kRead, 0, 512);
        bench.host.send(kRead, 0, 512);
        bench.flash0.send(kRead, 0, 512);
        bench.host.send(kRead, 0, 512);
    });
    run(100us);
    return order;
}

TEST(Dram, FirstComeFirstServed) {
    EXPECT_EQ(grant_order("fcfs"), "x10h0h");
}
TEST(Dram, RoundRobinTakesTurnsBetweenClasses) {
    EXPECT_EQ(grant_order("round_robin"), "xh1h00") << "flash had the DRAM before";
}

// An access that finds the DRAM idle uses up its class's turn, too.
TEST(Dram, RoundRobinServesTheOthersAfterAnAccessThatDidNotWait) {
    DramBench bench("bench", DramConfig{});
    std::string order;
    bench.at(0ns, [&] {
        bench.flash0.on_result = [&] { order += 'f'; };
        bench.host.on_result = [&] { order += 'h'; };
    });
    for (const Ps begin : {Ps{0ns}, Ps{10us}, Ps{20us}, Ps{30us}}) {
        const bool host_first = begin == 20us;
        bench.at(begin, [&, host_first] { (host_first ? bench.host : bench.flash0).send(kRead, 0, 2048); });
        bench.at(begin + 1ns, [&] {
            bench.flash0.send(kRead, 0, 512);
            bench.host.send(kRead, 0, 512);
        });
        bench.at(begin + 5us, [&] { order += ' '; });
    }
    run(100us);
    EXPECT_EQ(order, "fhf fhf hfh fhf ");
}
TEST(Dram, FixedPriorityServesTheHostFirst) {
    EXPECT_EQ(grant_order("fixed_priority"), "hh100x");
}

TEST(Dram, SaturatedByLongTransfersItReachesTheBusBandwidth) {
    DramBench bench("bench", DramConfig{});
    constexpr int kRequests = 200;
    constexpr std::int64_t kBytes = 65536;
    bench.at(0ns, [&] {
        for (int i = 0; i < kRequests; ++i) {
            bench.host.send(kWrite, static_cast<std::uint64_t>(i) * kBytes, kBytes);
        }
    });
    run(10ms);
    ASSERT_EQ(bench.host.results.size(), static_cast<std::size_t>(kRequests));
    // Every transfer begins in bank 0: closed for the first, a conflict for the others.
    const Ps expected = closed(kBytes) + (kRequests - 1) * (3 * kLatency + bus(kBytes));
    EXPECT_EQ(bench.host.results.back().done, expected);
    EXPECT_EQ(bench.dram.statistics().busy(), expected) << "never idle, never two at a time";
    const double bandwidth = static_cast<double>(kRequests) * kBytes / static_cast<double>(expected.count());
    EXPECT_GT(bandwidth * 1e12, 0.99 * 3.2e9);
    EXPECT_LE(bandwidth * 1e12, 3.2e9);
}

TEST(Dram, AnInitiatorMaySendItsNextRequestFromItsCallback) {
    DramBench bench("bench", DramConfig{});
    bench.at(0ns, [&] { bench.host.send(kRead, 0, 2048); });
    bench.at(1ns, [&] {
        bench.flash0.on_result = [&] {
            if (bench.flash0.issued_at.size() < 5) {
                bench.flash0.send(kRead, 0, 512);
            }
        };
        bench.flash0.send(kRead, 0, 512);
    });
    run(100us);
    ASSERT_EQ(bench.flash0.results.size(), 5U);
    EXPECT_EQ(bench.flash0.results.back().done, closed(2048) + 5 * hit(512));
}

class DramContent : public testing::TestWithParam<ContentMode> {};

TEST_P(DramContent, RandomWritesReadBackOverEveryPath) {
    const ContentMode mode = GetParam();
    DramConfig config;
    config.content = mode;
    config.size_bytes = 1 << 20;
    DramBench bench("bench", config);
    const std::size_t stride = hal::content_stride(mode);
    const std::uint64_t sectors = config.size_bytes / hal::kSectorBytes;
    std::vector<unsigned char> shadow(sectors * stride, 0);
    std::mt19937_64 random(3);
    for (int round = 0; round < 2000; ++round) {
        const std::uint64_t first = random() % sectors;
        const std::uint64_t count = 1 + random() % std::min<std::uint64_t>(32, sectors - first);
        const auto bytes = static_cast<std::uint32_t>(count * hal::kSectorBytes);
        std::vector<unsigned char> data(count * stride);
        if (random() % 2 == 0) {
            std::generate(data.begin(), data.end(), [&] { return static_cast<unsigned char>(random()); });
            std::copy(data.begin(), data.end(), shadow.begin() + static_cast<std::ptrdiff_t>(first * stride));
            (random() % 2 == 0 ? bench.host : bench.flash1).send(kWrite, first * 512, bytes, data.data());
        } else if (random() % 3 == 0) {
            bench.core_access(first * 512, bytes, 0ns, kRead, data.data());
        } else {
            bench.flash0.send(kRead, first * 512, bytes, data.data());
        }
        run(100us);
        ASSERT_EQ(std::memcmp(data.data(), shadow.data() + first * stride, data.size()), 0);
    }
    tlm::tlm_generic_payload dbg;
    std::vector<unsigned char> all(sectors * stride);
    dbg.set_command(kRead);
    dbg.set_address(0);
    dbg.set_data_ptr(all.data());
    dbg.set_data_length(static_cast<unsigned>(config.size_bytes));
    EXPECT_EQ(bench.flash0.dram_init->transport_dbg(dbg), config.size_bytes);
    EXPECT_EQ(all, shadow);
    tlm::tlm_dmi dmi;
    ASSERT_TRUE(bench.core.dram_init->get_direct_mem_ptr(dbg, dmi));
    EXPECT_EQ(std::memcmp(dmi.get_dmi_ptr(), shadow.data(), shadow.size()), 0);
    EXPECT_EQ(dmi.get_end_address() + 1, hal::content_bytes(mode, config.size_bytes));

    bench.power_cut();
    bench.host.dram_init->transport_dbg(dbg);
    EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](unsigned char c) { return c == 0; }));
    EXPECT_EQ(dmi.get_dmi_ptr()[0], 0) << "the pointer stays valid";
}
INSTANTIATE_TEST_SUITE_P(Modes, DramContent, testing::Values(ContentMode::tags, ContentMode::bytes));

TEST(Dram, ModeNoneCarriesNothing) {
    DramConfig config;
    config.content = ContentMode::none;
    DramBench bench("bench", config);
    run(1ns);
    bench.host.send(kWrite, 0, 4096);
    tlm::tlm_generic_payload payload;
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(bench.core.dram_init->get_direct_mem_ptr(payload, dmi));
    EXPECT_EQ(bench.dram.content(DramAddress{0}), nullptr);
    EXPECT_EQ(bench.host.results.at(0).transfer, closed(4096)) << "timing does not depend on the mode";
}

TEST(Dram, PowerCutForgetsWaitersAndRows) {
    DramBench bench("bench", DramConfig{});
    bench.at(0ns, [&] { bench.host.send(kRead, 0, 2048); });
    bench.at(1ns, [&] { bench.flash0.send(kRead, 0, 2048); });
    bench.at(2ns, [&] { bench.power_cut(); });
    bench.at(10ns, [&] { bench.host.send(kRead, 0, 2048); });
    run(10us);
    EXPECT_TRUE(bench.flash0.results.empty());
    EXPECT_EQ(bench.flash0.pool.in_use(), 1U) << "the initiator's own reference";
    EXPECT_EQ(bench.host.results.at(1).done, 10ns + closed(2048)) << "free and precharged";
}

// The event of the grant has fired, and its process will run in this very delta cycle. The cut is requested
// before the event in one case and after it in the other, so that it comes first in one of them.
class DramCutAtAGrant : public testing::TestWithParam<std::tuple<const char*, bool>> {
  protected:
    DramCutAtAGrant() { config.arbitration = std::get<0>(GetParam()); }
    /// Begins a transfer at 1 ns and another one that waits for its end, and runs `action` at that end.
    void run_to_grant(DramBench& bench, const std::function<void()>& action) const {
        const auto send = [&bench] {
            bench.host.send(kRead, 0, 2048);
            bench.flash0.send(kRead, 0, 2048);
        };
        if (std::get<1>(GetParam())) {
            bench.at(kGrant, action);
            run(1ns);
            send();
        } else {
            bench.at(1ns, send);
            bench.at(kGrant, action);
        }
        run(10us);
    }
    static constexpr Ps kGrant = 1ns + closed(2048);
    DramConfig config;
};

TEST_P(DramCutAtAGrant, NothingIsLeftToBeGranted) {
    DramBench bench("bench", config);
    bool waited = false;
    run_to_grant(bench, [&] {
        waited = bench.dram.waiting() > 0;
        bench.power_cut();
    });
    EXPECT_EQ(bench.flash0.results.size(), waited ? 0U : 1U);
    EXPECT_EQ(bench.dram.waiting(), 0U);
    bench.host.send(kRead, 0, 2048);
    EXPECT_EQ(bench.host.results.at(1).transfer, closed(2048)) << "free and precharged";
}

TEST_P(DramCutAtAGrant, ARequestInThatInstantIsGrantedInItsTime) {
    DramBench bench("bench", config);
    run_to_grant(bench, [&] {
        bench.power_cut();
        bench.host.send(kRead, 0, 2048);
        bench.flash1.send(kRead, 0, 2048);
        bench.hash.send(kRead, 0, 2048);
    });
    const Ps first = kGrant + closed(2048);
    EXPECT_EQ(bench.host.results.at(1).done, first);
    std::vector<Ps> answered;
    std::vector<Ps> done;
    for (const DramInitiator* port : {&bench.flash1, &bench.hash}) {
        ASSERT_EQ(port->results.size(), 1U);
        answered.push_back(port->results[0].answered);
        done.push_back(port->results[0].done);
    }
    std::sort(answered.begin(), answered.end());
    std::sort(done.begin(), done.end());
    EXPECT_EQ(answered, (std::vector<Ps>{first, first + hit(2048)}));
    EXPECT_EQ(done, (std::vector<Ps>{first + hit(2048), first + 2 * hit(2048)}));
}

INSTANTIATE_TEST_SUITE_P(Arbiters, DramCutAtAGrant,
                         testing::Combine(testing::Values("fcfs", "round_robin", "fixed_priority"),
                                          testing::Bool()));

TEST(Dram, BadAddressIsAnAddressError) {
    DramConfig config;
    config.size_bytes = 1 << 20;
    DramBench bench("bench", config);
    run(1ns);
    std::array<unsigned char, 8> data{};
    tlm::tlm_generic_payload dbg;
    dbg.set_command(kRead);
    dbg.set_data_ptr(data.data());
    dbg.set_address((1 << 20) - 511);
    dbg.set_data_length(512);
    EXPECT_EQ(bench.host.dram_init->transport_dbg(dbg), 0U);
    EXPECT_EQ(dbg.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    dbg.set_address(256);
    EXPECT_EQ(bench.host.dram_init->transport_dbg(dbg), 0U) << "half a sector has no identity";

    bench.checkers.stop();
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    const ExpectReport expected("/ssd/dram");
    EXPECT_THROW(bench.host.send(kRead, 1 << 20, 512), sc_core::sc_report);
    EXPECT_THROW(bench.core_access((1 << 20) - 1, 2), sc_core::sc_report);
}

TEST(Dram, UnknownPhaseIsFatal) {
    DramBench bench("bench", DramConfig{});
    run(1ns);
    bench.checkers.stop();
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    const ExpectReport expected("/ssd/dram");
    tlm::tlm_generic_payload payload;
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    EXPECT_THROW(bench.host.dram_init->nb_transport_fw(payload, phase, delay), sc_core::sc_report);
}

}  // namespace
}  // namespace solidtlm::hw
