// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/section_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

using testing::kMicrosecond;

/// One command after another. Each writes or reads 4 KiB; flash programs twice what is written.
struct Commands {
    HostMetrics metrics;
    FlashWork flash;
    Ps now{0};
    std::uint64_t sequence = 0;

    void run(Operation operation, std::uint64_t count, std::int64_t us) {
        constexpr std::uint32_t kSectors = 8;
        for (std::uint64_t i = 0; i < count; ++i) {
            testing::observe(
                metrics, testing::finished_command(sequence++, operation, now, us * kMicrosecond, kSectors));
            now += us * kMicrosecond;
            flash.programmed_bytes += operation == Operation::write ? 2 * 4096 : 0;
        }
    }
    [[nodiscard]] Mark mark() const { return mark_of(metrics, flash, now); }
};

/// Sections of `count` reads each, with one latency in each section.
SectionLog sections_of(std::uint64_t count, const std::vector<std::int64_t>& latencies_us) {
    Commands commands;
    SectionLog log(count);
    log.begin(commands.mark());
    std::uint64_t progress = 0;
    for (const std::int64_t us : latencies_us) {
        commands.run(Operation::read, count, us);
        progress += count;
        EXPECT_TRUE(log.due(progress));
        log.add(commands.mark(), progress);
    }
    return log;
}

double near(double value) {
    return LatencyHistogram::kRelativeError * value;
}

// 12 us on average, (4 + 0 + 4) / 2 = 4 us^2 of variance, and t of two degrees of freedom.
TEST(SectionLog, ComputesAnIntervalByHand) {
    const SectionLog log = sections_of(20, {10, 12, 14});
    const auto mean = log.interval(*find_quantity("mean"));
    ASSERT_TRUE(mean.has_value());
    EXPECT_DOUBLE_EQ(mean->value, 12.0);
    EXPECT_NEAR(mean->half_width, 4.303 * std::sqrt(4.0 / 3), 1e-9);
    EXPECT_EQ(mean->sections, 3U);
    EXPECT_NEAR(mean->share(), mean->half_width / 12, 1e-12);
    // 60 commands in 720 us; 1 / 10, 1 / 12, 1 / 14 of them a microsecond
    const auto iops = log.interval(*find_quantity("iops"));
    ASSERT_TRUE(iops.has_value());
    EXPECT_NEAR(iops->value, 1e6 / 12, 1e-6);
    const double squares = std::pow(1e6 / 10 - 1e6 / 12, 2) + std::pow(1e6 / 14 - 1e6 / 12, 2);
    EXPECT_NEAR(iops->half_width, 4.303 * std::sqrt(squares / 2 / 3), 1e-6);
    EXPECT_FALSE(log.interval(*find_quantity("write_mean"))) << "no command is one";
    EXPECT_FALSE(log.interval(*find_quantity("wa")));
}

TEST(SectionLog, TwoSectionsAreTooFew) {
    EXPECT_FALSE(sections_of(20, {10, 12}).interval(*find_quantity("mean")));
}

// p99 takes 1,000 commands a section: three of 400. Eight such give two, which are too few; ten give three of
// the last nine.
TEST(SectionLog, APercentileTakesTenCommandsBeyondIt) {
    EXPECT_EQ(find_quantity("p99")->least_commands(), 1000U);
    EXPECT_EQ(find_quantity("p999")->least_commands(), 10'000U);
    EXPECT_FALSE(sections_of(400, std::vector<std::int64_t>(8, 10)).interval(*find_quantity("p99")));
    std::vector<std::int64_t> latencies(10, 10);
    latencies[0] = 50;
    const auto p99 = sections_of(400, latencies).interval(*find_quantity("p99"));
    ASSERT_TRUE(p99.has_value());
    EXPECT_EQ(p99->sections, 3U);
    EXPECT_NEAR(p99->value, 10.0, near(10));
    EXPECT_EQ(p99->half_width, 0.0);
}

// One of a hundred takes longer in the middle section of three: p99 is the usual time in the others. Over
// all, the rank 2,970 of 3,000 is a usual one, too.
TEST(SectionLog, TakesPercentilesOfSections) {
    Commands commands;
    SectionLog log(1000);
    log.begin(commands.mark());
    for (std::uint64_t section = 1; section <= 3; ++section) {
        const std::uint64_t slow = section == 2 ? 20 : 0;
        commands.run(Operation::read, 1000 - slow, 10);
        commands.run(Operation::read, slow, 100);
        log.add(commands.mark(), section * 1000);
    }
    const auto p99 = log.interval(*find_quantity("p99"));
    ASSERT_TRUE(p99.has_value());
    EXPECT_NEAR(p99->value, 10.0, near(10));
    EXPECT_NEAR(p99->half_width, 4.303 * std::sqrt(90.0 * 90.0 / 2 / 3), 1.0);
}

TEST(SectionLog, TellsReadsFromWrites) {
    Commands commands;
    const Mark begin = commands.mark();
    commands.run(Operation::read, 30, 10);
    commands.run(Operation::write, 10, 50);
    const Mark end = commands.mark();
    EXPECT_DOUBLE_EQ(*value_between(*find_quantity("mean"), begin, end), 20.0);
    EXPECT_DOUBLE_EQ(*value_between(*find_quantity("read_mean"), begin, end), 10.0);
    EXPECT_DOUBLE_EQ(*value_between(*find_quantity("write_mean"), begin, end), 50.0);
    EXPECT_DOUBLE_EQ(*value_between(*find_quantity("wa"), begin, end), 2.0);
    EXPECT_DOUBLE_EQ(*value_between(*find_quantity("throughput"), begin, end), 40 * 4096 / 800.0);
}

TEST(SectionLog, MemoryDoesNotGrow) {
    Commands commands;
    SectionLog log(1);
    log.begin(commands.mark());
    for (std::uint64_t i = 1; i < SectionLog::kMostMarks; ++i) {
        commands.run(Operation::write, 1, 10);
        ASSERT_TRUE(log.due(i));
        log.add(commands.mark(), i);
    }
    ASSERT_EQ(log.sections(), SectionLog::kMostMarks / 2);
    for (const RoundWork& section : log.work()) {
        EXPECT_EQ(section.commands, 2U);
        EXPECT_EQ(section.written_bytes, 2 * 4096U);
        EXPECT_EQ(section.programmed_bytes, 4 * 4096U);
    }
    EXPECT_FALSE(log.due(SectionLog::kMostMarks)) << "the following sections are as long";
    EXPECT_TRUE(log.due(SectionLog::kMostMarks + 1));
}

TEST(SectionLog, KnowsStudentsT) {
    EXPECT_EQ(student_t(1), 12.706);
    EXPECT_EQ(student_t(2), 4.303);
    EXPECT_EQ(student_t(30), 2.042);
}

}  // namespace
}  // namespace solidtlm::testbench
