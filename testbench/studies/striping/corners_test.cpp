// SPDX-License-Identifier: Apache-2.0
//
// Throughput in every corner of the sweep (1 and 16 channels, 1 and 8 dies per channel, all other values)
// against min(link, channels x bus rate, dies x die rate), from the data-sheet numbers of preset default. The
// expected values do not use the model's own timing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "testbench/sim/test_support.h"
#include "testbench/studies/kit/testing.h"
#include "testbench/studies/striping/striping.h"

namespace solidtlm::testbench::striping {
namespace {

constexpr double kTolerance = 0.05;

/// SATA 6 Gb/s, 8b/10b: a dword in 40 bits. Two ALIGN in 256 dwords, three dwords of framing, and 95 dwords
/// of turnaround per FIS.
double frame_us(double dwords) {
    return ((dwords + 3.0) * 256.0 / 254.0 + 95.0) * 40.0 / 6e3;
}

/// Register H2D, D2H, DMA Setup, Data of at most 8 KiB, Set Device Bits. For writes, the device activates
/// each Data FIS except the first, for which DMA Setup has auto-activate.
double link_rate(double bytes, bool read) {
    const double frames = std::ceil(bytes / 8192.0);
    const double data = frames * frame_us(1.0 + bytes / frames / 4.0);
    const double activations = read ? 0.0 : (frames - 1.0) * frame_us(1.0);
    return bytes / (2.0 * frame_us(5.0) + frame_us(7.0) + frame_us(2.0) + data + activations);
}

/// ONFI NV-DDR2 mode 7: 400 MT/s on 8 bits; commands and addresses at tWC 25 ns.
constexpr double kByteUs = 0.0025;
constexpr double kCycleUs = 0.025;
constexpr double kWbUs = 0.1;
constexpr double kAdlUs = 0.4;
constexpr double kCcsUs = 0.5;
constexpr double kRrUs = 0.02;
constexpr double kRhwUs = 0.1;
constexpr double kWhrUs = 0.08;
constexpr double kStrobeInUs = 0.015 + 0.0065 + 0.015;           // tWPRE, tWPST, tWPSTH
constexpr double kStrobeOutUs = 0.015 + 0.025 + 0.0025 + 0.015;  // tRPRE, tDQSRE + half a period, tRPSTH
constexpr double kReadUs = 50.0;
constexpr double kProgramUs = 500.0;
constexpr double kPlaneBusyUs = 1.0;
constexpr double kPage = 16384.0;
constexpr double kMetadata = 24.0;  // 8 bytes per page and 4 per mapping unit in it
constexpr double kBlockPages = 256.0;
constexpr double kBuffer = 16.0 * 1048576.0;

double with_parity(double bytes) {
    return bytes / 1024.0 * (1024.0 + 112.0);
}

/// Cost of one flash operation.
struct Cost {
    double bytes;     ///< data of requests
    double bus_us;    ///< time of the channel
    double die_us;    ///< time of the die, including its bus phases
    double delay_us;  ///< data of another die between the planes' commands
};

Cost read_cost(double planes, double bytes_a_plane) {
    const double command = 7.0 * kCycleUs + kWbUs;                       // 00h 5A 30h
    const double select = planes > 1.0 ? 7.0 * kCycleUs + kCcsUs : 0.0;  // 06h 5A E0h
    const double out = kRrUs + (planes - 1.0) * kRhwUs +
                       planes * (select + kStrobeOutUs + with_parity(bytes_a_plane) * kByteUs);
    const double bus = planes * command + out;
    return {planes * bytes_a_plane, bus, bus + (planes - 1.0) * kPlaneBusyUs + kReadUs, (planes - 1.0) * out};
}

Cost program_cost(double planes) {
    const double plane = 6.0 * kCycleUs + kAdlUs + kStrobeInUs + (with_parity(kPage) + kMetadata) * kByteUs +
                         kCycleUs + kWbUs;                                   // 80h 5A, data, 10h or 11h
    const double status = kCycleUs + kWhrUs + kStrobeOutUs + 2.0 * kByteUs;  // 70h, a byte (DDR moves two)
    const double bus = planes * plane + status;
    return {planes * kPage, bus, bus + (planes - 1.0) * kPlaneBusyUs + kProgramUs, (planes - 1.0) * plane};
}

struct Place {
    std::uint32_t channel = 0;
    std::uint32_t way = 0;
};

/// The place of the parallel unit at a position of the stripe; with `planes`, each plane of a die is a
/// parallel unit.
Place place(const std::string& order, std::uint32_t position, const hw::NandGeometry& geometry,
            std::uint32_t planes) {
    Place at;
    for (const char letter : order) {
        const std::uint32_t radix = letter == 'C'   ? geometry.channels
                                    : letter == 'W' ? geometry.dies
                                    : letter == 'P' ? planes
                                                    : 1;
        (letter == 'C' ? at.channel : at.way) += letter == 'C' || letter == 'W' ? position % radix : 0;
        position /= radix;
    }
    return at;
}

/// MB/s of flash, at most `limit`, if `count` neighbours of the stripe work at a time. Places of the stripe
/// follow one another, so their times add up; a fractional count alternates between its two neighbouring
/// whole numbers.
double neighbours_rate(const SweepPoint& point, const Cost& cost, double planes, double count, double limit) {
    const auto own_planes = static_cast<std::uint32_t>(2.0 / planes);
    const hw::NandGeometry& geometry = point.configuration.nand.geometry;
    const std::string order = point.parameters["order"];
    const std::uint32_t units = geometry.channels * geometry.dies * own_planes;
    const auto rate = [&](std::uint32_t first, std::uint32_t window) {
        std::set<std::uint32_t> channels;
        std::set<std::pair<std::uint32_t, std::uint32_t>> dies;
        for (std::uint32_t i = 0; i < std::min(window, units); ++i) {
            const Place at = place(order, (first + i) % units, geometry, own_planes);
            channels.insert(at.channel);
            dies.emplace(at.channel, at.way);
        }
        const auto busy_channels = static_cast<double>(channels.size());
        const auto busy_dies = static_cast<double>(dies.size());
        const double others = std::min(1.0, busy_dies / busy_channels - 1.0);
        return std::min({limit, busy_channels * cost.bytes / cost.bus_us,
                         busy_dies * cost.bytes / (cost.die_us + others * cost.delay_us)});
    };
    const auto whole = static_cast<std::uint32_t>(count);
    double time = 0.0;
    for (std::uint32_t first = 0; first < units; ++first) {
        time += 1.0 / std::lerp(rate(first, whole), rate(first, whole + 1), count - whole);
    }
    return units / time;
}

/// min(link, channels x bus rate, dies x die rate), MB/s.
double expected(const SweepPoint& point) {
    const Json& panel = point.parameters;
    const bool read = panel["operation"] == "read";
    const bool sequential = panel["pattern"] == "sequential";
    const bool striped = panel["striping"] == "full";
    const double channels = panel["channels"];
    const double planes = panel["order"].get<std::string>().front() == 'P' ? 2.0 : 1.0;
    const double size = sequential ? 131072.0 : 4096.0;
    const double link = link_rate(size, read);
    const double superblock = planes * kPage * kBlockPages;
    const Cost cost = !read        ? program_cost(planes)
                      : sequential ? read_cost(planes, kPage)
                                   : read_cost(1.0, 4096.0);
    const double dies = channels * panel["dies_per_channel"].get<double>();
    if (read && !sequential) {
        // 32 requests on random dies: mean number of busy dies (Baskett and Smith 1976).
        const double sum = 32.0 + dies - 0.5;
        const double busy = sum - std::sqrt(sum * sum - 2.0 * 32.0 * dies);
        return std::min({link, channels * cost.bytes / cost.bus_us, busy * cost.bytes / cost.die_us});
    }
    if (striped || (!read && !sequential && panel["allocation"] == "static")) {
        return neighbours_rate(point, cost, planes, 256.0, link);  // all units
    }
    if (!read && panel["allocation"] == "dynamic") {
        return std::min(link, cost.bytes / cost.die_us);  // one superblock after another
    }
    // A window of W slides over superblocks of N: see superblocks_in() in bound.cpp. Reads: 32 requests less
    // those on the link; writes: the superpages of the write buffer.
    const double on_link = read ? size / link / (size / cost.bytes * cost.die_us) : 0.0;
    const double part = read ? size : cost.bytes;
    const double window = read ? 32.0 : kBuffer / part;
    const double count = (superblock / part + 2.0 * window - 1.0) / (superblock / part + 1.0 + 2.0 * on_link);
    return neighbours_rate(point, cost, planes, count, link);
}

/// The orders, and the data-sheet formula for some points worked by hand, so that the formula itself is
/// tested.
TEST(Expected, ByHand) {
    EXPECT_NEAR(link_rate(131072.0, true), 561.4, 0.1);
    EXPECT_NEAR(link_rate(131072.0, false), 538.5, 0.1);  // published drives: 560 and 530 MB/s
    EXPECT_NEAR(link_rate(4096.0, true) / 4096.0 * 1e6, 97'257.0, 10.0);
    // 2 planes: 2 (7 x 25 ns + 100 ns + 700 ns - 25 ns + 57.5 ns + 18,176 x 2.5 ns) and so on: 93.0 us bus.
    EXPECT_NEAR(read_cost(2.0, kPage).bus_us, 93.0, 0.1);
    EXPECT_NEAR(read_cost(2.0, kPage).die_us, 144.0, 0.1);
    EXPECT_NEAR(program_cost(2.0).die_us, 593.6, 0.1);
    EXPECT_NEAR(program_cost(1.0).die_us, 546.4, 0.1);
}

class Corners : public ::testing::TestWithParam<std::string> {};

TEST_P(Corners, ThroughputIsWhatTheSlowestPartAllows) {
    Sweep sweep;
    sweep.orders = {GetParam()};
    sweep.channels = {1, 16};
    sweep.dies = {1, 8};
    const std::vector<SweepPoint> points = points_of(sweep, preset("default", {"content=none"}));
    ASSERT_EQ(points.size(), 64U);
    std::vector<StudyJob> jobs;
    for (const SweepPoint& point : points) {
        jobs.push_back(point.job());
    }
    const std::vector<Measured> measured = testing::measured_of(jobs);
    ASSERT_EQ(measured.size(), points.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::string& name = jobs[i].name;
        const double mb_per_s = measured[i].value("mb_per_s");
        const double bound = expected(points[i]);
        EXPECT_NEAR(mb_per_s, bound, kTolerance * bound) << name;
        EXPECT_NEAR(points[i].bounds.least, bound, 0.001 * bound)
            << name << ": what the study shows as the bound";
        worst = std::max(worst, std::abs(mb_per_s / bound - 1.0));
    }
    std::cout << "largest difference: " << 100.0 * worst << " %\n";
}

INSTANTIATE_TEST_SUITE_P(Order, Corners, ::testing::Values("PCWD", "PWCD", "CWDP", "WCDP"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace solidtlm::testbench::striping
