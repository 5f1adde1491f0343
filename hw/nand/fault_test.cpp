// SPDX-License-Identifier: Apache-2.0
//
// Faults of the flash array: closed forms, scripted faults, and the cost of read retries.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "hw/nand/array.h"
#include "hw/nand/bit_errors.h"
#include "hw/nand/test_bench.h"

namespace solidtlm::hw {
namespace {

using namespace test;

/// P(X > t), X binomial, by the regularised incomplete beta function I_p(t + 1, n - t): its continued
/// fraction (Numerical Recipes 6.4).
double more_than(std::uint32_t t, double n, double p) {
    const double a = t + 1.0;
    const double b = n - t;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(p) + b * std::log1p(-p));
    const auto fraction = [](double x, double y, double z) {
        double c = 1.0;
        double d = 1.0 / (1.0 - (x + y) * z / (x + 1.0));
        double h = d;
        for (int m = 1; m < 500; ++m) {
            const double even = m * (y - m) * z / ((x + 2 * m - 1) * (x + 2 * m));
            d = 1.0 / (1.0 + even * d);
            c = 1.0 + even / c;
            h *= c * d;
            const double odd = -(x + m) * (x + y + m) * z / ((x + 2 * m) * (x + 2 * m + 1));
            d = 1.0 / (1.0 + odd * d);
            c = 1.0 + odd / c;
            h *= c * d;
        }
        return h;
    };
    return p < (a + 1.0) / (a + b + 2.0) ? front * fraction(a, b, p) / a
                                         : 1.0 - front * fraction(b, a, 1.0 - p) / b;
}

// Probabilities that a codeword of 1 KiB with 1,008 bits of parity has more than 72 errors.
TEST(BitErrors, CodewordsFailAsOftenAsComputed) {
    constexpr std::uint32_t kBits = 8192 + 1008;
    EXPECT_NEAR(more_than(72, kBits, 4e-3), 9e-8, 0.5e-8);
    EXPECT_NEAR(more_than(72, kBits, 5e-3), 1.4e-4, 0.05e-4);
    EXPECT_NEAR(more_than(72, kBits, 6e-3), 1.2e-2, 0.05e-2);
}

TEST(BitErrors, TheQuantileIsTheInverseOfTheDistribution) {
    for (const double p : {1e-6, 1.5e-3, 6e-3, 0.05, 0.3, 0.5}) {
        for (const std::uint32_t n : {1U, 100U, 9088U}) {
            for (const std::uint32_t t : {0U, 1U, 10U, 64U, 500U, 3000U}) {
                const double failing = t < n ? more_than(t, n, p) : 0.0;
                if (failing < 1e-9 || failing > 1.0 - 1e-9) {
                    continue;
                }
                const double margin = 1e-7 * std::min(failing, 1.0 - failing) + 1e-12;
                EXPECT_LE(binomial_quantile(1.0 - failing - margin, n, p), t) << n << " " << p;
                EXPECT_GT(binomial_quantile(1.0 - failing + margin, n, p), t) << n << " " << p;
            }
        }
    }
    EXPECT_EQ(binomial_quantile(0.999, 9088, 0.0), 0U);
    EXPECT_EQ(binomial_quantile(0.0, 100, 0.5), 0U);
    EXPECT_LE(binomial_quantile(std::nextafter(1.0, 0.0), 100, 0.5), 100U);
}

// By hand: 1.48e-3 + 3.90e-10 * 1000^2.05 + 6.28e-5 * 1000^0.14 * 365^0.54 + 3.73e-9 * 1000^0.33 * 1000^1.71
//          1.48e-3 + 5.5088e-4           + 6.28e-5 * 2.63027 * 24.1886    + 3.73e-9 * 9.77237 * 134896.3
TEST(BitErrors, TheRateIsThatOfTheModel) {
    const RberModel model;
    EXPECT_DOUBLE_EQ(raw_bit_error_rate(model, 0, 0, 0), 1.48e-3);
    EXPECT_NEAR(raw_bit_error_rate(model, 1000, 0, 0), 1.48e-3 + 5.5088e-4, 1e-7);
    EXPECT_NEAR(raw_bit_error_rate(model, 1000, 365, 0), 1.48e-3 + 5.5088e-4 + 3.99553e-3, 1e-6);
    EXPECT_NEAR(raw_bit_error_rate(model, 1000, 0, 1000), 1.48e-3 + 5.5088e-4 + 4.9171e-3, 1e-6);
    EXPECT_DOUBLE_EQ(raw_bit_error_rate(model, 1e9, 1e6, 1e9), 0.5);
}

/// 2 planes x 200 blocks x 16 pages of four codewords of 1 KiB with 112 bytes of parity.
NandConfig noisy(double rate) {
    NandConfig config = small_config();
    config.geometry.blocks = 200;
    config.geometry.spare_bytes = 4 * 112 + 16;
    config.ecc.codeword_bytes = 1024;
    config.ecc.correctable_bits = 64;
    config.ecc.retry_factor = 0.9;
    config.faults.bit_errors = true;
    config.faults.rber = RberModel{.eps = rate, .alpha = 0, .beta = 0, .gamma = 0};
    return config;
}

// Each retry lowers the error rate of the same cells: a codeword is lost after j steps if it has more than 64
// errors at the rate of step j, regardless of the steps before.
TEST(Faults, CodewordsFailByTheClosedFormAtEveryRetryLevel) {
    const NandConfig config = noisy(6e-3);
    NandArray array(config, hal::Channel{0}, hal::Die{0});
    const ReadSlice whole{0, kPage, nullptr};
    for (std::uint32_t level = 0; level < 3; ++level) {
        const FaultStatistics before = array.faults()->statistics();
        for (std::uint32_t block = 0; block < 200; ++block) {
            for (std::uint32_t page = 0; page < 16; ++page) {
                for (std::uint32_t plane = 0; plane < 2; ++plane) {
                    const FlashAddress at = test::at(0, plane, block, page);
                    if (level == 0) {
                        ASSERT_EQ(array.program_page(at, {}, {}), FlashStatus::ok);
                    }
                    static_cast<void>(array.read(at, {&whole, 1}, {}, {level}));
                }
            }
        }
        const FaultStatistics after = array.faults()->statistics();
        const double codewords = 200 * 16 * 2 * 4;
        ASSERT_EQ(after.codewords - before.codewords, codewords);
        const double rate = 6e-3 * std::pow(0.9, level);
        const double bits = (1024 + 112) * 8;
        const double expected = codewords * more_than(64, bits, rate);
        EXPECT_NEAR(static_cast<double>(after.failed_codewords - before.failed_codewords), expected,
                    4.0 * std::sqrt(expected) + 1.0)
            << "level " << level;
        EXPECT_NEAR(static_cast<double>(after.raw_errors - before.raw_errors), codewords * bits * rate,
                    4.0 * std::sqrt(codewords * bits * rate));
    }
}

// One array is read in order, another in reverse and each page twice: the same pages fail.
TEST(Faults, DrawsDoNotDependOnTheOrderOfEvents) {
    const NandConfig config = noisy(6.5e-3);
    NandArray forth(config, hal::Channel{0}, hal::Die{0});
    NandArray back(config, hal::Channel{0}, hal::Die{0});
    const ReadSlice whole{0, kPage, nullptr};
    std::vector<FlashStatus> found;
    for (std::uint32_t i = 0; i < 800; ++i) {
        ASSERT_EQ(forth.program_page(at(0, 0, i / 16, i % 16), {}, {}), FlashStatus::ok);
        found.push_back(forth.read(at(0, 0, i / 16, i % 16), {&whole, 1}, {}));
    }
    for (std::uint32_t block = 50; block-- > 0;) {
        for (std::uint32_t page = 0; page < 16; ++page) {
            ASSERT_EQ(back.program_page(at(0, 0, block, page), {}, {}), FlashStatus::ok);
        }
    }
    std::size_t failed = 0;
    for (std::uint32_t i = 800; i-- > 0;) {
        for (int twice = 0; twice < 2; ++twice) {
            EXPECT_EQ(back.read(at(0, 0, i / 16, i % 16), {&whole, 1}, {}), found[i]) << i;
        }
        failed += found[i] == FlashStatus::ok ? 0 : 1;
    }
    EXPECT_GT(failed, 10U);
    EXPECT_LT(failed, 790U);
}

TEST(Faults, OnlyTheCodewordsThatAreReadCanFail) {
    NandConfig config = noisy(6.5e-3);
    NandArray array(config, hal::Channel{0}, hal::Die{0});
    std::uint32_t single = 0;
    for (std::uint32_t i = 0; i < 800; ++i) {
        const FlashAddress page = at(0, 0, i / 16, i % 16);
        ASSERT_EQ(array.program_page(page, {}, {}), FlashStatus::ok);
        const ReadSlice whole{0, kPage, nullptr};
        bool all = true;
        for (std::uint32_t column = 0; column < kPage; column += 1024) {
            const ReadSlice sector{column + 512, 512, nullptr};
            const bool ok = array.read(page, {&sector, 1}, {}) == FlashStatus::ok;
            all = all && ok;
            single += ok ? 0 : 1;
        }
        EXPECT_EQ(array.read(page, {&whole, 1}, {}) == FlashStatus::ok, all);
        EXPECT_EQ(array.read(page, {}, {}), FlashStatus::ok) << "metadata has a code of its own";
    }
    EXPECT_GT(single, 10U);
}

TEST(Faults, AgeAndWearCountFromBeforeTheStart) {
    NandConfig config = noisy(0);
    config.faults.rber = RberModel{};
    config.faults.cycles = 1000;
    config.faults.age_seconds = 365 * 86'400;
    NandArray array(config, hal::Channel{0}, hal::Die{0});
    const ReadSlice whole{0, kPage, nullptr};
    const auto rate_of = [&](std::uint32_t first_block) {
        const FaultStatistics before = array.faults()->statistics();
        for (std::uint32_t i = 0; i < 1600; ++i) {
            static_cast<void>(array.read(at(0, 0, first_block + i / 16, i % 16), {&whole, 1}, {}));
        }
        const FaultStatistics after = array.faults()->statistics();
        return static_cast<double>(after.raw_errors - before.raw_errors) / (1600 * 4 * 9088.0);
    };
    for (std::uint32_t i = 0; i < 1600; ++i) {
        ASSERT_EQ(array.program_page(at(0, 0, i / 16, i % 16), {}, {}), FlashStatus::ok);
    }
    array.faults()->set_time(Ps{0});
    for (std::uint32_t i = 1600; i < 3200; ++i) {
        ASSERT_EQ(array.program_page(at(0, 0, i / 16, i % 16), {}, {}), FlashStatus::ok);
    }
    const double errors = std::sqrt(6400 * 9088.0 * 6e-3) / (6400 * 9088.0);  // one standard deviation
    EXPECT_NEAR(rate_of(0), raw_bit_error_rate({}, 1000, 365, 0.5), 4 * errors);
    EXPECT_NEAR(rate_of(100), raw_bit_error_rate({}, 1000, 0, 0.5), 4 * errors);
}

// A share of exp(-(n / c)^k) of the blocks survives n cycles; of the early failures, exp(-n / m).
TEST(Faults, BlocksLastAsLongAsTheirDistributionSays) {
    NandConfig config = small_config();
    config.geometry.blocks = 5000;
    config.faults.lifetime = {.cycles = 100, .shape = 4.0, .infant_share = 0.2, .infant_cycles = 20};
    FaultModel model(config, hal::Channel{0}, hal::Die{0});
    std::array<double, 130> failed_at{};
    for (std::uint32_t block = 0; block < 5000; ++block) {
        for (std::uint32_t plane = 0; plane < 2; ++plane) {
            std::uint32_t erases = 0;
            while (erases < 129 && !model.erase_fails(at(0, plane, block, 0), erases)) {
                ++erases;
            }
            ++failed_at[erases];
        }
    }
    double failed = 0.0;
    for (std::uint32_t n = 1; n < 129; ++n) {
        failed +=
            failed_at[n];  // a block that lasts between n - 1 and n cycles refuses its erase number n + 1
        const double alive = std::exp(-std::pow(n / 100.0, 4.0)) * (0.8 + 0.2 * std::exp(n / -20.0));
        EXPECT_NEAR(failed, 10'000 * (1.0 - alive), 4.0 * std::sqrt(10'000 * alive * (1.0 - alive)) + 1.0)
            << n;
    }
    EXPECT_EQ(failed_at[0], 0) << "a block that lasts no time still has its first cycle";
}

TEST(Faults, CyclesBeforeTheStartCountForTheLifetime) {
    NandConfig config = small_config();
    config.faults.lifetime = {.cycles = 1000, .shape = 1000.0};
    config.faults.cycles = 900;
    FaultModel model(config, hal::Channel{0}, hal::Die{0});
    EXPECT_FALSE(model.erase_fails(at(0, 0, 0, 0), 80)) << "1,000 * (-ln(1 - u))^(1 / 1000) is 1,000 +- 1 %";
    EXPECT_TRUE(model.erase_fails(at(0, 0, 0, 0), 120));
}

ScriptedFault scripted(ScriptedFault::Kind kind, const FlashAddress& at, std::uint64_t nth, Ps when = Ps{0}) {
    return ScriptedFault{kind, at, nth, when};
}

TEST(Faults, TheScriptedOperationFailsAndItsBlockStaysBad) {
    NandConfig config = small_config();
    config.faults.script.faults = {scripted(ScriptedFault::Kind::program, at(0, 1, 3, 0), 3),
                                   scripted(ScriptedFault::Kind::erase, at(0, 0, 5, 0), 2)};
    NandArray array(config, hal::Channel{0}, hal::Die{0});
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
        for (std::uint32_t page = 0; page < 16; ++page) {
            const bool fails = plane == 1 && page >= 2;
            EXPECT_EQ(array.program_page(at(0, plane, 3, page), {}, {}),
                      fails ? FlashStatus::program_failed : FlashStatus::ok);
            EXPECT_EQ(array.read_page(at(0, plane, 3, page), {}, {}),
                      fails ? FlashStatus::uncorrectable : FlashStatus::ok);
        }
    }
    EXPECT_EQ(array.erase(at(0, 1, 3, 0)), FlashStatus::erase_failed);
    EXPECT_EQ(array.read_page(at(0, 1, 3, 0), {}, {}), FlashStatus::ok) << "what it held stays";
    EXPECT_EQ(array.erase(at(0, 0, 5, 0)), FlashStatus::ok);
    EXPECT_EQ(array.erase(at(0, 0, 5, 0)), FlashStatus::erase_failed);
    EXPECT_EQ(array.erase(at(0, 0, 6, 0)), FlashStatus::ok);
    EXPECT_EQ(array.faults()->statistics().program_failures, 14U);
    EXPECT_EQ(array.faults()->statistics().erase_failures, 2U);
}

TEST(Faults, AScriptedPageKeepsItsMetadataAndItsCopyIsAsBad) {
    NandConfig config = small_config();
    config.faults.script.faults = {scripted(ScriptedFault::Kind::page, at(0, 0, 2, 0), 1)};
    NandArray array(config, hal::Channel{0}, hal::Die{0});
    std::array<std::byte, 16> spare{};
    spare[3] = std::byte{7};
    ASSERT_EQ(array.program_page(at(0, 0, 2, 0), {}, spare), FlashStatus::ok);
    ASSERT_EQ(array.program_page(at(0, 0, 2, 1), {}, spare), FlashStatus::ok);
    std::array<std::byte, 16> found{};
    const ReadSlice sector{0, 512, nullptr};
    EXPECT_EQ(array.read(at(0, 0, 2, 0), {&sector, 1}, found), FlashStatus::uncorrectable);
    EXPECT_EQ(array.read(at(0, 0, 2, 0), {}, found), FlashStatus::ok);
    EXPECT_EQ(found[3], std::byte{7});
    EXPECT_EQ(array.read(at(0, 0, 2, 1), {&sector, 1}, found), FlashStatus::ok);
    ASSERT_EQ(array.copy_back(at(0, 0, 2, 0), at(0, 0, 4, 0), {}), FlashStatus::ok);
    EXPECT_EQ(array.read(at(0, 0, 4, 0), {&sector, 1}, found), FlashStatus::uncorrectable);
}

TEST(Faults, ADeadPlaneFailsEveryOperationFromItsInstantOn) {
    NandConfig config = small_config();
    config.faults.script.faults = {
        scripted(ScriptedFault::Kind::plane, at(0, 1, 0, 0), 1, Ps{1'000'000'000})};
    Bench bench(config);
    bench.preset(at(0, 0, 0, 0));
    bench.preset(at(0, 1, 0, 0));
    TestOp early(FlashOpcode::read, at(0, 1, 0, 0));
    early.piece(0, 512, 0);
    bench.run(early.op);
    EXPECT_EQ(early.op.status, FlashStatus::ok);
    Bench::run_for(Ps{1'000'000'000});
    TestOp both(FlashOpcode::read, at(0, 0, 0, 0));
    both.plane(at(0, 1, 0, 0)).piece(0, 512, 0, 0).piece(0, 512, 512, 1);
    bench.run(both.op);
    EXPECT_EQ(both.op.status, FlashStatus::uncorrectable);
    EXPECT_EQ(both.op.plane_status[0], FlashStatus::ok);
    EXPECT_EQ(both.op.plane_status[1], FlashStatus::uncorrectable);
    TestOp program(FlashOpcode::program, at(0, 1, 1, 0));
    bench.run(program.op);
    EXPECT_EQ(program.op.status, FlashStatus::program_failed);
    EXPECT_NE(bench.channel.die(hal::Die{0}).status_register(now()) & kStatusFail, 0);
    TestOp erase(FlashOpcode::erase, at(0, 1, 2, 0));
    bench.run(erase.op);
    EXPECT_EQ(erase.op.status, FlashStatus::erase_failed);
    TestOp other(FlashOpcode::program, at(0, 0, 1, 0));
    bench.run(other.op);
    EXPECT_EQ(other.op.status, FlashStatus::ok);
    EXPECT_EQ(bench.channel.die(hal::Die{0}).status_register(now()) & kStatusFail, 0);
}

/// One plane, ECC with four codewords; the rate decides how many retries the first page takes.
NandConfig retrying(double rate, std::uint32_t retries, double factor) {
    NandConfig config = noisy(rate);
    config.ecc.retries = retries;
    config.ecc.retry_factor = factor;
    return config;
}

// SDR mode 5, from the data sheet: tWC 20 ns, tRC 20 ns, tADL 400 ns, tWB 100 ns, tRR 20 ns; decoding 1,024
// bytes at 1,600 MB/s takes 640 ns, then 1 us of latency. Two codewords of 1,136 bytes leave at 20 ns per
// byte: the last one arrives after 45.44 us and is decoded 1.64 us later.
constexpr Ps kReadCommand = 7 * Ps{20'000} + Ps{100'000};                              // 00h-5A-30h, tWB
constexpr Ps kSense{25'000'000};                                                       // tR
constexpr Ps kTwoCodewords = Ps{20'000} + 2 * 1136 * Ps{20'000};                       // tRR, two codewords
constexpr Ps kDecode = Ps{640'000} + Ps{1'000'000};                                    // the last of them
constexpr Ps kSetLevel = 2 * Ps{20'000} + Ps{400'000} + 4 * Ps{20'000} + Ps{100'000};  // EFh-1A-tADL-4, tWB
constexpr Ps kFeature{1'000'000};                                                      // tFEAT

class Retries : public ::testing::TestWithParam<std::uint32_t> {};

// The last step brings the rate down to 0.0025, at which a codeword of 9,088 bits has 23 +- 5 errors; one
// step before it is 0.0147, with 134 +- 11.
TEST_P(Retries, AReadTakesItsFormulaToThePicosecond) {
    const std::uint32_t steps = GetParam();
    const NandConfig config = retrying(std::min(0.5, 0.0025 / std::pow(0.17, steps)), 4, 0.17);
    Bench bench(config);
    bench.preset(at(0, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, 2048, 0).with_ledger();
    const Ps once = kReadCommand + kSense + kTwoCodewords + kDecode;
    const Ps again = steps * (kSetLevel + kFeature + once) + (steps > 0 ? kSetLevel + kFeature : Ps{0});
    const Ps begin = now();
    bench.expect_takes(read.op, once + again);
    EXPECT_EQ(read.op.status, FlashStatus::ok);
    EXPECT_EQ(read.op.retries, steps);
    EXPECT_GT(read.op.corrected_bits, 0U);
    EXPECT_LE(read.op.corrected_bits, 64U);
    const FlashControllerStatistics statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.read_retries, steps);
    EXPECT_EQ(statistics.recovered_reads, steps > 0 ? 1U : 0U);
    EXPECT_EQ(statistics.retrying, again);
    EXPECT_EQ(statistics.decoder_busy, (steps + 1) * 2 * Ps{640'000});
    EXPECT_EQ(read.ledger[Stage::array], (steps + 1) * kSense + (steps > 0 ? steps + 1 : 0) * kFeature);
    EXPECT_EQ(read.ledger[Stage::ecc], (steps + 1) * kDecode);
    EXPECT_EQ(read.ledger[Stage::channel_transfer],
              (steps + 1) * (kReadCommand + kTwoCodewords) + (steps > 0 ? steps + 1 : 0) * kSetLevel);
    Ps sum{0};
    for (std::size_t stage = 0; stage < hal::kStages; ++stage) {
        sum += read.ledger[static_cast<Stage>(stage)];
    }
    EXPECT_EQ(sum, once + again) << "nothing is in no stage";
    EXPECT_EQ(begin + once + again + Ps{1}, now());
}

INSTANTIATE_TEST_SUITE_P(Steps, Retries, ::testing::Range(0U, 4U));

TEST(Faults, AReadThatNoStepHelpsFailsAfterAllOfThem) {
    Bench bench(retrying(0.4, 3, 1.0));
    bench.preset(at(0, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, 2048, 0);
    const Ps once = kReadCommand + kSense + kTwoCodewords + kDecode;
    bench.expect_takes(read.op, once + 3 * (kSetLevel + kFeature + once) + kSetLevel + kFeature);
    EXPECT_EQ(read.op.status, FlashStatus::uncorrectable);
    EXPECT_EQ(read.op.retries, 3U);
    EXPECT_EQ(bench.channel.controller.statistics().recovered_reads, 0U);
}

// The erase of the page's block waits in the queue: it must not run before the last retry.
TEST(Faults, AnEraseWaitsForTheRetriesOfItsBlock) {
    Bench bench(retrying(0.02, 4, 0.17));
    bench.preset(at(0, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, 2048, 0);
    TestOp erase(FlashOpcode::erase, at(0, 0, 0, 0), Cause::gc);
    erase.with_ledger();
    const Ps begin = now();
    bench.core.submit(read.op);
    bench.core.submit(erase.op);
    Bench::run_for(Ps{10'000'000'000});
    ASSERT_TRUE(bench.core.done(read.op) && bench.core.done(erase.op));
    EXPECT_EQ(read.op.status, FlashStatus::ok);
    EXPECT_EQ(read.op.retries, 1U);
    EXPECT_EQ(erase.op.status, FlashStatus::ok);
    Ps sum{0};
    for (std::size_t stage = 0; stage < hal::kStages; ++stage) {
        sum += erase.ledger[static_cast<Stage>(stage)];
    }
    EXPECT_EQ(begin + sum, bench.core.finished_at(erase.op)) << "nothing is in no stage";
    EXPECT_EQ(bench.channel.violations(), 0U);
}

TEST(Faults, APowerCutAmongRetriesLeavesTheDieAtTheUsualLevel) {
    const Ps once = kReadCommand + kSense + kTwoCodewords + kDecode;
    Bench bench(retrying(0.02, 4, 0.17));
    bench.preset(at(0, 0, 0, 0));
    for (const Ps when :
         {once - Ps{1}, once, once + kSetLevel, once + kSetLevel + kFeature + kSense, 2 * once}) {
        TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
        read.piece(0, 2048, 0);
        bench.core.submit(read.op);
        Bench::run_for(when);
        ASSERT_FALSE(bench.core.done(read.op));
        bench.power_cut();
        TestOp next(FlashOpcode::read, at(0, 0, 0, 0));
        next.piece(0, 2048, 0);
        bench.expect_takes(next.op, 2 * once + 2 * (kSetLevel + kFeature));
        EXPECT_EQ(next.op.status, FlashStatus::ok);
        EXPECT_EQ(next.op.retries, 1U);
    }
    EXPECT_EQ(bench.channel.violations(), 0U);
}

}  // namespace
}  // namespace solidtlm::hw
