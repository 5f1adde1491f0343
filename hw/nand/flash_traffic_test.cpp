// SPDX-License-Identifier: Apache-2.0
//
// Many operations at once: throughput against closed forms, random streams against a shadow model, ledgers
// that add up, power cuts.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "hw/nand/flash_controller.h"
#include "hw/nand/test_bench.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using namespace test;
using hal::ContentMode;

double mb_per_s(std::uint64_t bytes, Ps time) {
    return static_cast<double>(bytes) / static_cast<double>(time.count()) * 1e6;
}

/// Keeps `depth` operations per die outstanding until `total` are done; returns the time that this took.
Ps stream(Bench& bench, std::uint32_t dies, bool write, unsigned depth, unsigned total) {
    std::deque<TestOp> ops;
    std::vector<unsigned> next(dies);
    unsigned finished = 0;
    const auto submit = [&](unsigned die) {
        const unsigned n = next[die]++;
        const FlashAddress address = at(die, n / 128 % 2, n / 16 % 8, n % 16);
        ops.emplace_back(write ? FlashOpcode::program : FlashOpcode::read, address).piece(0, kPage, 0);
        bench.core.submit(ops.back().op);
    };
    bench.core.on_done = [&](FlashOp& op) {
        EXPECT_EQ(op.status, FlashStatus::ok);
        if (++finished + depth * dies <= total) {
            submit(op.address[0].die.value);
        }
        if (finished == total) {
            sc_core::sc_stop();
        }
    };
    for (unsigned die = 0; die < dies; ++die) {
        for (unsigned i = 0; i < depth; ++i) {
            submit(die);
        }
    }
    const Ps begin = now();
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
    EXPECT_EQ(finished, total);
    return now() - begin;
}

NandConfig agrawal(std::uint32_t dies) {
    NandConfig config = small_config(dies);
    config.bus = {NandInterface::byte_time, 0, Ps{25'000}};
    return config;
}

void preset_all(Bench& bench, std::uint32_t dies) {
    for (unsigned die = 0; die < dies; ++die) {
        for (unsigned i = 0; i < 256; ++i) {
            bench.preset(at(die, i / 128, i / 16 % 8, i % 16));
        }
    }
}

TEST(Agrawal, OneDieReads) {  // 25 + 100 us per page
    Bench bench(agrawal(1));
    preset_all(bench, 1);
    EXPECT_NEAR(mb_per_s(200ULL * kPage, stream(bench, 1, false, 1, 200)), 32.8, 0.03 * 32.8);
}

TEST(Agrawal, OneDieWrites) {  // 100 + 200 us per page
    Bench bench(agrawal(1));
    EXPECT_NEAR(mb_per_s(200ULL * kPage, stream(bench, 1, true, 1, 200)), 13.7, 0.03 * 13.7);
}

TEST(Agrawal, TwoDiesWriteTwiceAsFast) {
    Bench bench(agrawal(2));
    const double rate = mb_per_s(400ULL * kPage, stream(bench, 2, true, 2, 400));
    EXPECT_LE(rate, 27.31);
    EXPECT_GE(rate, 0.97 * 27.3);
}

TEST(Agrawal, TwoDiesReadAtTheBusRate) {
    Bench bench(agrawal(2));
    preset_all(bench, 2);
    EXPECT_NEAR(mb_per_s(400ULL * kPage, stream(bench, 2, false, 2, 400)), 41.0, 0.03 * 41.0);
    const auto statistics = bench.channel.controller.statistics();
    const Ps busy = statistics.bus_busy[0];
    EXPECT_GT(busy, 0.98 * now());
    EXPECT_LE(busy, now());
}

// An unloaded page read: arrival, R/B#, end of data, DRAM. No polling.
TEST(Cost, APageReadWakesTheControllerFourTimes) {
    Bench bench(small_config());
    bench.dram.byte_time = 1ns;
    preset_all(bench, 1);
    const auto before = bench.channel.controller.statistics().activations;
    stream(bench, 1, false, 1, 200);
    EXPECT_LE(bench.channel.controller.statistics().activations - before, 4U * 200U);
}

/// Random operations on four dies, with a shadow model of the array.
class Traffic {
  public:
    Traffic(const NandConfig& config, std::uint64_t seed)
        : config_(config), bench(config), random_(seed), blocks_(std::size_t{config.geometry.dies} * 2 * 8) {
        bench.dram.byte_time = Ps{700};
        bench.core.on_done = [this](FlashOp& op) { finished(op); };
    }

    void run(unsigned count) {
        remaining_ = count;
        for (unsigned i = 0; i < 24; ++i) {
            submit();
        }
        while (outstanding_ != 0) {
            sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
            ASSERT_LT(now(), Ps{60'000'000'000'000}) << "stuck";
        }
    }

  private:
    struct Content {
        std::vector<std::byte> data, spare;
    };
    struct BlockShadow {
        unsigned next = 0;  ///< next page to program
        std::array<Content, 16> pages;
    };
    struct Job {
        explicit Job(FlashOpcode opcode, const FlashAddress& address, Cause cause)
            : test(opcode, address, cause) {}
        TestOp test;
        Ps submitted{0};
        std::uint64_t dram = 0;
        bool busy = true;
        std::array<Content, 2> expected;
        FlashStatus status = FlashStatus::ok;
    };

    unsigned draw(std::uint64_t below) { return static_cast<unsigned>(random_() % below); }
    BlockShadow& block(const FlashAddress& address) {
        return blocks_[(address.die.value * 2U + address.plane.value) * 8U + address.block.value];
    }

    // The queue keeps the order of operations on a block, so the shadow may be updated at submission.
    void submit() {
        if (remaining_ == 0) {
            return;
        }
        --remaining_;
        const unsigned die = draw(config_.geometry.dies);
        FlashAddress first = at(die, draw(2), draw(8), 0);
        const auto cause = static_cast<Cause>(draw(hal::kCauses));
        const unsigned kind = draw(16);
        BlockShadow& shadow = block(first);
        FlashOpcode opcode = kind < 7    ? FlashOpcode::read
                             : kind < 13 ? FlashOpcode::program
                             : kind < 15 ? FlashOpcode::copy_back
                                         : FlashOpcode::erase;
        const bool writes = opcode != FlashOpcode::read;
        if (writes && shadow.next == 16) {
            opcode = FlashOpcode::erase;
        }
        if (!writes) {
            first.page = Page{draw(16)};
        } else if (opcode != FlashOpcode::erase) {
            first.page = Page{shadow.next};
        }
        Job& job = *jobs_.emplace_back(std::make_unique<Job>(opcode, first, cause));
        job.dram = free_dram();
        if (opcode == FlashOpcode::erase) {
            shadow = BlockShadow{};
        } else if (opcode == FlashOpcode::copy_back) {
            fill_copy_back(job, shadow);
        } else {
            second_plane(job, writes);
            pieces(job, writes);
        }
        job.test.with_ledger();
        job.submitted = now();
        ++outstanding_;
        bench.core.submit(job.test.op);
    }

    void fill_copy_back(Job& job, BlockShadow& shadow) {
        FlashOp& op = job.test.op;
        op.source[0] = op.address[0];
        op.source[0].block = Block{draw(8)};
        BlockShadow& from = block(op.source[0]);
        const unsigned page = draw(16);
        op.source[0].page = Page{page};
        job.status = page < from.next ? FlashStatus::ok : FlashStatus::erased;
        if (job.status == FlashStatus::ok) {
            shadow.pages[shadow.next] = Content(from.pages[page]);
            ++shadow.next;
        }
    }

    /// Sometimes adds the other plane, if it is at the same page.
    void second_plane(Job& job, bool writes) {
        FlashOp& op = job.test.op;
        FlashAddress other = op.address[0];
        other.plane = Plane{static_cast<std::uint8_t>(1 - other.plane.value)};
        other.block = Block{draw(8)};
        if (draw(2) == 0 && (!writes || block(other).next == other.page.value)) {
            job.test.plane(other);
        }
    }

    void pieces(Job& job, bool writes) {
        FlashOp& op = job.test.op;
        const std::size_t stride = hal::content_stride(config_.content);
        job.test.with_spare(op.planes * std::size_t{config_.metadata_bytes});
        std::uint64_t dram = job.dram;
        for (std::uint8_t slot = 0; slot < op.planes; ++slot) {
            const std::uint32_t column = 512 * draw(4);
            const std::uint32_t length = 512 * (1 + draw(4));
            const bool padding = writes && draw(8) == 0;
            job.test.piece(column, length, padding ? FlashPiece::kPadding : dram, slot);
            if (draw(2) == 0 && column + length + 512 <= kPage - 512) {
                job.test.piece(kPage - 512, 512, dram + length, slot);
            }
            BlockShadow& shadow = block(op.address[slot]);
            const unsigned page = op.address[slot].page.value;
            if (!writes) {
                const bool there = page < shadow.next;
                op.plane_status[slot] = FlashStatus::ok;
                if (there) {
                    job.expected[slot] = shadow.pages[page];
                } else {
                    job.status = FlashStatus::erased;
                }
            } else {
                Content& content = shadow.pages[page];
                content = Content{std::vector<std::byte>(stride * 8), std::vector<std::byte>()};
                for (std::size_t i = 0; i < config_.metadata_bytes; ++i) {
                    job.test.spare[std::size_t{slot} * config_.metadata_bytes + i] =
                        static_cast<std::byte>(random_());
                    content.spare.push_back(job.test.spare[std::size_t{slot} * config_.metadata_bytes + i]);
                }
                ++shadow.next;
            }
            dram += kPage;
        }
        if (writes) {
            write_contents(job, stride);
        }
    }

    void write_contents(Job& job, std::size_t stride) {
        for (const FlashPiece& piece : job.test.pieces) {
            if (piece.dram.value == FlashPiece::kPadding || stride == 0) {
                continue;
            }
            std::byte* source =
                bench.dram.memory.data() + hal::content_bytes(config_.content, piece.dram.value);
            const std::size_t bytes = hal::content_bytes(config_.content, piece.length_bytes);
            std::generate_n(source, bytes, [this] { return static_cast<std::byte>(random_()); });
            const FlashAddress& address = job.test.op.address[piece.plane_slot];
            std::copy_n(
                source, bytes,
                block(address).pages[address.page.value].data.begin() +
                    static_cast<std::ptrdiff_t>(hal::content_bytes(config_.content, piece.column_bytes)));
        }
    }

    void finished(FlashOp& op) {
        const auto found =
            std::find_if(jobs_.begin(), jobs_.end(), [&op](const auto& job) { return &job->test.op == &op; });
        ASSERT_NE(found, jobs_.end());
        Job& job = **found;
        --outstanding_;
        EXPECT_EQ(op.status, job.status);
        const Ledger& ledger = job.test.ledger;
        EXPECT_EQ(ledger.begin(), job.submitted);
        EXPECT_EQ(ledger.last(), now());
        EXPECT_EQ(ledger.total(), now() - job.submitted) << "every picosecond once";
        for (std::size_t i = 0; i < hal::kStages; ++i) {
            EXPECT_GE(ledger[static_cast<Stage>(i)], Ps{0}) << hal::kStageNames[i];
        }
        if (op.opcode == FlashOpcode::read) {
            check_content(job);
        }
        dram_in_use_[job.dram / (2ULL * kPage)] = false;
        bench.core.forget();
        jobs_.erase(found);
        submit();
        if (draw(16) == 0) {
            submit();  // lets the number of outstanding operations vary
        }
    }

    void check_content(const Job& job) {
        for (const FlashPiece& piece : job.test.pieces) {
            const Content& expected = job.expected[piece.plane_slot];
            if (expected.spare.empty()) {
                EXPECT_EQ(job.test.op.plane_status[piece.plane_slot], FlashStatus::erased);
                continue;
            }
            const std::byte* got =
                bench.dram.memory.data() + hal::content_bytes(config_.content, piece.dram.value);
            const std::size_t from = hal::content_bytes(config_.content, piece.column_bytes);
            const std::size_t bytes = hal::content_bytes(config_.content, piece.length_bytes);
            EXPECT_TRUE(std::equal(got, got + bytes, expected.data.data() + from));
            EXPECT_TRUE(std::equal(
                expected.spare.begin(), expected.spare.end(),
                job.test.spare.begin() + std::ptrdiff_t{piece.plane_slot} * config_.metadata_bytes));
        }
    }

    std::uint64_t free_dram() {
        const auto slot = std::find(dram_in_use_.begin(), dram_in_use_.end(), false) - dram_in_use_.begin();
        if (static_cast<std::size_t>(slot) == dram_in_use_.size()) {
            dram_in_use_.push_back(false);
        }
        dram_in_use_[static_cast<std::size_t>(slot)] = true;
        return static_cast<std::uint64_t>(slot) * 2 * kPage;
    }

    NandConfig config_;

  public:
    Bench bench;

  private:
    std::mt19937_64 random_;
    std::vector<BlockShadow> blocks_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<bool> dram_in_use_;
    unsigned remaining_ = 0;
    unsigned outstanding_ = 0;
};

struct TrafficCase {
    const char* name;
    ContentMode content;
    bool ecc;
    bool suspend;
    bool answers_later;
    std::string arbitration;
    bool reads_overtake;
    std::uint32_t dies_per_way;
    NandPlaneReads plane_reads = NandPlaneReads::together;
};

void PrintTo(const TrafficCase& param, std::ostream* out) {
    *out << param.name;
}

class RandomTraffic : public testing::TestWithParam<TrafficCase> {};

TEST_P(RandomTraffic, ShadowModelAndLedger) {
    const TrafficCase& param = GetParam();
    NandConfig config = small_config(4);
    config.geometry.dies_per_way = param.dies_per_way;
    config.plane_reads = param.plane_reads;
    config.bus = {NandInterface::nv_ddr2, 3, {}};
    config.content = param.content;
    config.timing.read = {20us, 35us};
    config.timing.program = {100us, 230us};
    config.timing.erase = 700us;
    config.controller = {param.arbitration, param.reads_overtake, param.suspend, param.suspend, 2};
    if (param.ecc) {
        config.ecc = EccConfig{1024, 60, 200.0, 150.0, 200ns, 1us};
    }
    Traffic traffic(config, 17);
    traffic.bench.dram.answers_later = param.answers_later;
    traffic.run(6000);
    const FlashControllerStatistics statistics = traffic.bench.channel.controller.statistics();
    EXPECT_EQ(statistics.operations, 6000U);
    EXPECT_EQ(traffic.bench.channel.violations(), 0U) << traffic.bench.channel.first_violation();
    EXPECT_EQ(traffic.bench.core.open(), 0U);
    EXPECT_EQ(statistics.suspends > 0, param.suspend);
    // Waits do not count as holding: the bus and each die were held no longer than the run lasted.
    Ps bus{0}, held{0};
    for (std::size_t cause = 0; cause < hal::kCauses; ++cause) {
        bus += statistics.bus_busy[cause];
        held += statistics.die_held[cause];
    }
    EXPECT_LE(bus, now());
    EXPECT_LE(held, 4 * now());
    EXPECT_LE(statistics.array_busy[0], statistics.die_held[0] + held);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RandomTraffic,
    testing::Values(TrafficCase{"tags", ContentMode::tags, true, false, false, "read_first", true, 1},
                    TrafficCase{"bytes", ContentMode::bytes, true, true, true, "fcfs", true, 1},
                    TrafficCase{"none", ContentMode::none, false, false, true, "round_robin", false, 1},
                    TrafficCase{"suspend", ContentMode::tags, false, true, false, "read_first", true, 2},
                    TrafficCase{"in_order", ContentMode::tags, true, false, true, "round_robin", false, 2},
                    TrafficCase{"planes", ContentMode::bytes, true, false, true, "read_first", true, 1,
                                NandPlaneReads::independent},
                    TrafficCase{"planes_suspend", ContentMode::tags, true, true, false, "fcfs", true, 2,
                                NandPlaneReads::independent},
                    TrafficCase{"planes_in_order", ContentMode::tags, false, true, false, "round_robin",
                                false, 1, NandPlaneReads::independent}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace solidtlm::hw
