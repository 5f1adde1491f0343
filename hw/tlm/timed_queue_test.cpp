// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/timed_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "hw/tlm/extensions.h"
#include "hw/tlm/payload_pool.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;

struct Drain : sc_core::sc_module {
    SC_HAS_PROCESS(Drain);
    explicit Drain(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_METHOD(drain_method);
        sensitive << queue.due_event();
        dont_initialize();
    }
    void drain_method() {
        ++activations;
        int item = 0;
        while (queue.pop_due(item)) {
            seen.emplace_back(now(), item);
        }
    }
    TimedQueue<int> queue{"due_event", 1000};
    std::vector<std::pair<Ps, int>> seen;
    int activations = 0;
};

TEST(TimedQueue, DeliversInTimeOrderAndFirstInFirstOutAtOneInstant) {
    Drain drain("drain");
    drain.queue.push(30ns, 1);
    drain.queue.push(10ns, 2);
    drain.queue.push(30ns, 3);
    drain.queue.push(20ns, 4);
    sc_core::sc_start(100, sc_core::SC_NS);
    const std::vector<std::pair<Ps, int>> expected{{10ns, 2}, {20ns, 4}, {30ns, 1}, {30ns, 3}};
    EXPECT_EQ(drain.seen, expected);
    EXPECT_EQ(drain.activations, 3) << "one activation an instant";
}

TEST(TimedQueue, RandomPushesWhileRunningMatchAStableSort) {
    Drain drain("drain");
    std::mt19937_64 random(7);
    std::vector<std::pair<Ps, int>> expected;
    int id = 0;
    for (int round = 0; round < 200; ++round) {
        for (int i = 0; i < 5; ++i) {
            const Ps at = now() + Ps{static_cast<std::int64_t>(random() % 5000)};
            drain.queue.push(at, id);
            expected.emplace_back(at, id++);
        }
        sc_core::sc_start(sc_core::sc_time(static_cast<double>(random() % 900), sc_core::SC_PS));
    }
    sc_core::sc_start(10, sc_core::SC_NS);
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    EXPECT_EQ(drain.seen, expected);
}

TEST(TimedQueueDeathTest, HasALimitAndNoPast) {
    Drain drain("drain");
    sc_core::sc_start(100, sc_core::SC_NS);
    EXPECT_DEATH(drain.queue.push(99ns, 0), "durations are not negative[^$]*at simulated time 100000 ps");
    for (int i = 0; i < 1000; ++i) {
        drain.queue.push(1us, i);
    }
    EXPECT_DEATH(drain.queue.push(1us, 1000), "the agenda has room");
}

TEST(PayloadPoolDeathTest, HasALimit) {
    PayloadPool<DramExtension> pool{1};
    tlm::tlm_generic_payload& payload = pool.take();
    EXPECT_DEATH(pool.take(), "no more payloads are out");
    payload.release();
}

TEST(PayloadPool, ReusesPayloadsAndKeepsTheExtension) {
    PayloadPool<DramExtension> pool{2};
    tlm::tlm_generic_payload& first = pool.take();
    first.get_extension<DramExtension>()->id = 42;
    EXPECT_EQ(pool.in_use(), 1U);
    first.release();
    EXPECT_EQ(pool.in_use(), 0U);
    tlm::tlm_generic_payload& second = pool.take();
    EXPECT_EQ(&first, &second);
    EXPECT_EQ(second.get_extension<DramExtension>()->id, 42U)
        << "free() documents that the extension survives";
    EXPECT_EQ(second.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    second.release();
}

}  // namespace
}  // namespace solidtlm::hw
