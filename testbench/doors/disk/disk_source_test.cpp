// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/disk/disk_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <string>

#include "fw/testing/files.h"
#include "testbench/doors/disk/recording_log.h"

namespace solidtlm::testbench::disk {
namespace {

using namespace std::chrono_literals;
using Wall = Clients::Wall;

/// Clients whose wall time the test controls: it passes only in wait() and sleep().
struct ScriptedClients : Clients {
    struct Coming {
        Wall at{0};
        std::uint32_t slot = 0;
    };
    std::optional<std::uint32_t> take() override {
        if (coming.empty() || coming.front().at > now) {
            return std::nullopt;
        }
        const std::uint32_t index = coming.front().slot;
        coming.pop_front();
        return index;
    }
    Slot& slot(std::uint32_t index) override { return slots[index]; }
    std::byte* data(std::uint32_t index) override { return bytes[index].data(); }
    void answer(std::uint32_t index, int error) override { answers[index] = error; }
    void wait(std::optional<Wall> at_most) override {
        const Wall next = coming.empty() ? Wall::max() : coming.front().at;
        if (!at_most && coming.empty()) {
            over = true;
        } else {
            now = std::max(now, at_most ? std::min(next, now + *at_most) : next);
        }
    }
    void sleep(Wall time) override { now += time; }
    [[nodiscard]] bool ended() const override { return over; }
    [[nodiscard]] std::optional<Order> order() override { return std::exchange(ordered, std::nullopt); }
    void cut_off(bool come_back) override {
        coming.clear();
        over = !come_back;
    }
    [[nodiscard]] Wall wall() const override { return now; }

    /// Hands a request over at wall time `at`.
    void come(Wall at, std::uint32_t index, Ask ask, std::uint64_t sector = 0, std::uint32_t sectors = 0) {
        slots[index].ask = ask;
        slots[index].offset = sector * hal::kSectorBytes;
        slots[index].bytes = sectors * static_cast<std::uint32_t>(hal::kSectorBytes);
        coming.push_back({at, index});
    }

    std::array<Slot, kSlots> slots{};
    std::array<std::array<std::byte, 64>, kSlots> bytes{};  // only as many bytes as the tests use
    std::deque<Coming> coming;
    std::map<std::uint32_t, int> answers;
    Wall now{0};
    bool over = false;
    std::optional<Order> ordered;
};

struct Bench {
    explicit Bench(const Timing& timing = {}, bool zeros_by_trim = false)
        : source(clients, timing, {1000, zeros_by_trim}, nullptr) {}

    /// The next request; the test fails if there is none.
    Request next(Ps now) {
        Request request;
        source.advance(now);
        EXPECT_TRUE(source.next(request));
        return request;
    }
    [[nodiscard]] bool has_next(Ps now) {
        Request request;
        source.advance(now);
        return source.next(request);
    }

    ScriptedClients clients;
    DiskSource source;
};

TEST(DiskSource, HandsRequestsOver) {
    Bench bench;
    bench.clients.come(0ns, 3, Ask::read, 8, 16);
    bench.clients.come(0ns, 4, Ask::write, 24, 1);
    bench.clients.come(0ns, 5, Ask::flush);
    bench.clients.come(0ns, 6, Ask::trim, 100, 50);
    bench.clients.slots[4].fua = true;
    const Request read = bench.next(0ns);
    EXPECT_EQ(read.operation, Operation::read);
    EXPECT_EQ(read.lba, Lba{8});
    EXPECT_EQ(read.sectors, 16U);
    EXPECT_EQ(read.data.data(), bench.clients.bytes[3].data());
    EXPECT_EQ(read.data.size(), 8192U);
    const Request write = bench.next(0ns);
    EXPECT_EQ(write.operation, Operation::write);
    EXPECT_TRUE(write.fua);
    EXPECT_EQ(write.data.data(), bench.clients.bytes[4].data());
    EXPECT_EQ(bench.next(0ns).operation, Operation::flush);
    const Request trim = bench.next(0ns);
    EXPECT_EQ(trim.operation, Operation::trim);
    ASSERT_EQ(trim.ranges.size(), 1U);
    EXPECT_EQ(trim.ranges[0].lba, Lba{100});
    EXPECT_EQ(trim.ranges[0].sectors, 50U);
}

TEST(DiskSource, AnswersWhenARequestHasEnded) {
    Bench bench;
    bench.clients.come(0ns, 3, Ask::read, 0, 1);
    bench.clients.come(0ns, 4, Ask::read, 0, 1);
    const Request first = bench.next(0ns);
    const Request second = bench.next(0ns);
    EXPECT_TRUE(bench.clients.answers.empty());
    bench.source.completed(second.token, true, 10us);
    bench.source.completed(first.token, false, 11us);
    EXPECT_EQ(bench.clients.answers, (std::map<std::uint32_t, int>{{3, EIO}, {4, 0}}));
}

/// NBD: FUA also applies to TRIM, and ATA's TRIM has no FUA bit.
TEST(DiskSource, FlushesAfterATrimWithFua) {
    Bench bench;
    bench.clients.come(0ns, 7, Ask::trim, 0, 8);
    bench.clients.slots[7].fua = true;
    const Request trim = bench.next(0ns);
    const Request flush = bench.next(0ns);
    EXPECT_EQ(flush.operation, Operation::flush);
    bench.source.completed(trim.token, true, 1us);
    EXPECT_TRUE(bench.clients.answers.empty());
    bench.source.completed(flush.token, true, 2us);
    EXPECT_EQ(bench.clients.answers.at(7), 0);
}

TEST(DiskSource, WritesZerosByTrimOnlyIfSafeAndAllowed) {
    for (const bool by_trim : {false, true}) {
        for (const bool may_trim : {false, true}) {
            Bench bench({}, by_trim);
            bench.clients.come(0ns, 0, Ask::zero, 8, 24);
            bench.clients.slots[0].may_trim = may_trim;
            const Request request = bench.next(0ns);
            if (by_trim && may_trim) {
                EXPECT_EQ(request.operation, Operation::trim);
                continue;
            }
            EXPECT_EQ(request.operation, Operation::write);
            EXPECT_EQ(request.content, std::vector<std::uint64_t>(3, 0)) << "24 sectors of zeros";
            EXPECT_TRUE(request.data.empty());
        }
    }
}

TEST(DiskSource, ThinksAfterEachRequestButTheFirst) {
    Bench bench;
    bench.clients.come(0ns, 0, Ask::read, 0, 1);
    bench.clients.come(50ms, 1, Ask::read, 0, 1);
    const Request first = bench.next(0ns);
    EXPECT_EQ(first.arrival, Ps{0});
    EXPECT_FALSE(bench.has_next(1us)) << "a request is outstanding: time continues";
    EXPECT_EQ(bench.source.wakes_at(), Ps{11us});
    bench.source.completed(first.token, true, Ps{20'000'001});
    EXPECT_EQ(bench.next(Ps{20'000'001}).arrival, Ps{25'001'000}) << "20.000001 + 5 us, in whole ns";
    EXPECT_EQ(bench.clients.now, 50ms) << "it slept until the client came";
}

TEST(DiskSource, LetsTimePassWhileIdle) {
    struct Case {
        IdleMode mode;
        Ps expected;
    };
    for (const Case& each : {Case{IdleMode::none, 25us}, Case{IdleMode::fixed, 125us},
                             Case{IdleMode::wall, Ps{20us} + Ps{50ms}}}) {
        Timing timing;
        timing.idle_mode = each.mode;
        timing.idle = 100us;
        Bench bench(timing);
        bench.clients.come(0ns, 0, Ask::read, 0, 1);
        bench.clients.come(50ms, 1, Ask::read, 0, 1);
        bench.clients.come(50ms, 2, Ask::read, 0, 1);
        const Request first = bench.next(0ns);
        bench.source.completed(first.token, true, 20us);
        EXPECT_EQ(bench.next(20us).arrival, each.expected);
        EXPECT_EQ(bench.next(20us).arrival, each.expected) << "arrivals do not decrease";
    }
}

TEST(DiskSource, PacedArrivalsAreThoseOfWallTime) {
    Timing timing;
    timing.mode = TimeMode::paced;
    timing.factor = 2;
    Bench bench(timing);
    bench.clients.come(10ms, 0, Ask::read, 0, 1);
    bench.clients.come(15ms, 1, Ask::read, 0, 1);
    EXPECT_EQ(bench.next(0ns).arrival, Ps{0});
    EXPECT_FALSE(bench.has_next(0ns));
    while (!bench.source.wakes_at() || *bench.source.wakes_at() < Ps{9'900us}) {
        ASSERT_FALSE(bench.has_next(*bench.source.wakes_at())) << "no request comes before 15 ms";
    }
    EXPECT_EQ(bench.next(*bench.source.wakes_at()).arrival, Ps{10ms}) << "5 ms later, twice as fast";
}

TEST(DiskSource, PacedAnswersWaitForWallTimeAndLateOnesAreCounted) {
    Timing timing;
    timing.mode = TimeMode::paced;
    Bench bench(timing);
    bench.clients.come(0ns, 0, Ask::read, 0, 1);
    bench.clients.come(0ns, 1, Ask::read, 0, 1);
    const Request first = bench.next(0ns);
    const Request second = bench.next(0ns);
    bench.source.completed(first.token, true, 300us);
    EXPECT_EQ(bench.clients.now, 300us);
    EXPECT_EQ(bench.source.late_answers(), 0U);
    bench.clients.now = 5ms;
    bench.source.completed(second.token, true, 400us);
    EXPECT_EQ(bench.source.late_answers(), 1U);
    EXPECT_EQ(bench.source.latest(), 4600us);
}

TEST(DiskSource, EndsWithItsClients) {
    Bench bench;
    EXPECT_FALSE(bench.has_next(0ns));
    EXPECT_TRUE(bench.source.ended());
}

TEST(DiskSource, AnswersBlockStatusAtOnce) {
    Bench bench;
    bench.clients.come(0ns, 9, Ask::block_status, 10, 20);
    bench.source.set_block_status([](std::uint64_t first, std::uint64_t count) {
        return std::vector<Extent>{{first * 512, true, true}, {count * 512, false, true}};
    });
    EXPECT_FALSE(bench.has_next(0ns)) << "no command of the drive";
    EXPECT_EQ(bench.clients.answers.at(9), 0);
    ASSERT_EQ(bench.clients.slots[9].extents, 2U);
    std::array<Extent, 2> told;
    std::memcpy(told.data(), bench.clients.bytes[9].data(), sizeof told);
    EXPECT_EQ(told[0].bytes, 5120U);
    EXPECT_TRUE(told[0].hole);
    EXPECT_EQ(told[1].bytes, 10240U);
    EXPECT_FALSE(told[1].hole);
    EXPECT_TRUE(told[1].zero);
}

/// The lines of two reads and a trim; the second read ends before the first.
TEST(RecordingLog, WritesATraceInTheOrderOfArrival) {
    const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "recording.cmds";
    RecordingLog log(path);
    Request request;
    request.arrival = Ps{1'500'000};
    request.lba = Lba{8};
    request.sectors = 16;
    log.begun(0, request);
    request.operation = Operation::write;
    request.fua = true;
    log.begun(1, request);
    request.operation = Operation::trim;
    request.ranges.push_back({Lba{40}, 100});
    log.begun(2, request);
    log.ended(1, Ps{3'000'000});
    log.ended(0, Ps{2'000'001});
    log.ended(2, Ps{9'000'000});
    log.finish();
    EXPECT_EQ(read_file(path),
              "1.500\tR\t8\t16\t0\t\t0.501\n"
              "1.500\tW\t8\t16\t0\tFUA\t1.500\n"
              "1.500\tT\t0\t0\t-1\tn=1:40+100\t\n");
    std::filesystem::remove(path);
}

/// After an order to cut power, no further request is sent, and waiting requests fail.
TEST(DiskSource, StopsUntilPowerIsCut) {
    Bench bench;
    int orders = 0;
    bench.source.set_orders([&orders](Order order) {
        ++orders;
        return order.kind == Order::Kind::cut_power && order.after == 0ns;
    });
    bench.clients.come(0ns, 1, Ask::write, 0, 8);
    bench.clients.come(0ns, 2, Ask::write, 8, 8);
    const Request first = bench.next(0ns);
    bench.clients.ordered = Order{Order::Kind::report};
    const Request second = bench.next(0ns);
    EXPECT_EQ(orders, 1) << "a report delays no request";
    bench.clients.come(0ns, 3, Ask::write, 16, 8);
    bench.clients.come(0ns, 4, Ask::flush);
    bench.clients.ordered = Order{Order::Kind::cut_power};
    EXPECT_FALSE(bench.has_next(10us));
    EXPECT_GT(bench.source.wakes_at(), 10us) << "the simulation goes on, to the cut";
    EXPECT_FALSE(bench.source.ended());
    bench.source.power_lost(true);
    EXPECT_EQ(bench.clients.answers, (std::map<std::uint32_t, int>{{3, EIO}, {4, EIO}}));
    bench.source.completed(first.token, false, 10us);
    bench.source.completed(second.token, false, 10us);
    EXPECT_EQ(bench.clients.answers.at(1), EIO);
    EXPECT_EQ(bench.clients.answers.at(2), EIO);
    bench.clients.come(0ns, 5, Ask::read, 0, 8);
    EXPECT_EQ(bench.next(5ms).operation, Operation::read) << "a client has connected again";
}

TEST(DiskSource, EndsAtAPowerCutWithoutReturn) {
    Bench bench;
    bench.source.set_orders([](Order) { return true; });
    bench.clients.ordered = Order{Order::Kind::cut_power};
    EXPECT_FALSE(bench.has_next(0ns));
    EXPECT_FALSE(bench.clients.over) << "the host waits for no client";
    bench.source.power_lost(false);
    EXPECT_FALSE(bench.has_next(1ms));
    EXPECT_TRUE(bench.source.ended());
}

TEST(DiskSource, CutsPowerAfterTheGivenNumberOfWrites) {
    ScriptedClients clients;
    DiskSource source(clients, {}, {1000, false, 2}, nullptr);
    int cuts = 0;
    source.set_orders([&cuts](Order order) {
        EXPECT_EQ(order.kind, Order::Kind::cut_power);
        ++cuts;
        return true;
    });
    for (int boot = 0; boot < 2; ++boot) {
        clients.come(0ns, 1, Ask::write, 0, 8);
        clients.come(0ns, 2, Ask::read, 0, 8);
        clients.come(0ns, 3, Ask::write, 0, 8);
        clients.come(0ns, 4, Ask::write, 0, 8);
        std::vector<std::uint64_t> tokens;
        Request request;
        for (int i = 0; i < 4; ++i) {
            ASSERT_TRUE(source.next(request));
            tokens.push_back(request.token);
        }
        source.completed(tokens[0], true, 1us);
        source.completed(tokens[1], true, 1us);
        source.completed(tokens[2], false, 1us);
        EXPECT_EQ(cuts, boot) << "one write has succeeded";
        source.completed(tokens[3], true, 2us);
        EXPECT_EQ(cuts, boot + 1);
        EXPECT_FALSE(source.next(request));
        source.power_lost(true);
    }
}

}  // namespace
}  // namespace solidtlm::testbench::disk
