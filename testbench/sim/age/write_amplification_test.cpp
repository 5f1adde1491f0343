// SPDX-License-Identifier: Apache-2.0
//
// Write amplification of garbage collection under uniform random writes against its closed forms. The
// firmware runs on hardware that takes no simulated time: the figures depend on its decisions alone.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "fw/firmware.h"
#include "hw/untimed/untimed_hardware.h"
#include "platform/configuration.h"

namespace solidtlm::testbench {
namespace {

constexpr double kPages = 64.0;     // Np: mapping units per block
constexpr double kBlocks = 2048.0;  // blocks of the one parallel unit

/// Principal branch of Lambert's W, for x in [-1/e, 0).
double lambert_w0(double x) {
    double w = x < -0.25 ? -1.0 + std::sqrt(2.0 * (1.0 + std::exp(1.0) * x)) : x;
    for (int i = 0; i < 100; ++i) {
        const double e = std::exp(w);
        const double f = w * e - x;
        w -= f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));  // Halley
    }
    return w;
}

/// Greedy, block of Np pages (Desnoyers, "Analytic Modeling of SSD Write Performance", SYSTOR 2012): the
/// least filled block holds X0 - 1 valid pages. `spare` is S_f = (T - U) / T.
double greedy(double spare) {
    const double a = 1.0 / (1.0 - spare);
    const double b = (1.0 + 1.0 / (2.0 * kPages)) * a;
    const double x0 = 0.5 - kPages / a * lambert_w0(-b * std::exp(-b));
    return kPages / (kPages - (x0 - 1.0));
}

/// First in, first out: called "LRU" cleaning in the same paper.
double fifo(double spare) {
    const double a = 1.0 / (1.0 - spare);
    return a / (a + lambert_w0(-a * std::exp(-a)));
}

TEST(ClosedForm, ReproducesThePublishedColumn) {
    EXPECT_NEAR(greedy(0.07), 6.600, 0.001);
    EXPECT_NEAR(greedy(0.10), 4.816, 0.001);
    EXPECT_NEAR(greedy(0.15), 3.353, 0.001);
    EXPECT_NEAR(greedy(0.20), 2.598, 0.001);
    EXPECT_NEAR(greedy(0.25), 2.140, 0.001);
    EXPECT_NEAR(fifo(0.10), 5.179, 0.001);
}

/// Fills the drive sequentially, or writes single units at random.
class UniformWrites : public hw::UntimedFeed {
  public:
    UniformWrites(std::uint64_t units, std::uint64_t writes, bool fill)
        : units_(units), left_(writes), fill_(fill) {}
    bool next(hal::HostCommand& command, const hw::UntimedStatistics& /*so_far*/) override {
        if (left_ == 0) {
            return false;
        }
        --left_;
        command.opcode = hal::HostOpcode::write;
        command.lba = hal::Lba{(fill_ ? left_ : random_() % units_) * 8};
        command.sectors = 8;
        return true;
    }
    void content(const hal::HostCommand& /*command*/, std::uint32_t /*first*/,
                 std::span<std::byte> /*sectors*/) override {}

  private:
    std::uint64_t units_;
    std::uint64_t left_;
    bool fill_;
    std::mt19937_64 random_{20120604};
};

struct Measured {
    double write_amplification = 0.0;  ///< programs over host writes, in steady state
    double kept_free = 0.0;            ///< average number of empty blocks when a victim was chosen
};

Measured measure(const std::string& spare, const std::string& policy) {
    platform::ConfigurationSources sources;
    sources.settings = {
        "nand.geometry.channels=1",          "nand.geometry.dies=1",   "nand.geometry.planes=1",
        "nand.geometry.blocks=2048",         "nand.geometry.pages=64", "nand.geometry.page_size=4KiB",
        "firmware.write_buffer.size=256KiB", "content=none",           "ssd.over_provisioning=" + spare};
    sources.settings.push_back(policy.starts_with("d=") ? "firmware.gc.policy=d_choices"
                                                        : "firmware.gc.policy=" + policy);
    if (policy.starts_with("d=")) {
        sources.settings.push_back("firmware.gc." + policy);
    }
    const platform::Configuration configuration = platform::load_configuration(sources);
    hw::NandArray array(configuration.nand, hal::Channel{0}, hal::Die{0});
    const std::array<hw::NandArray*, 1> arrays{&array};
    hw::UntimedHardware hardware(configuration.nand, arrays, nullptr, configuration.dram.size_bytes);
    const fw::Hardware timeless{
        .clock = hardware, .flash = hardware, .dram = hardware, .host = hardware, .timeless = true};
    fw::Firmware firmware(configuration.firmware, timeless);
    const std::uint64_t units = configuration.firmware.exported_sectors / 8;
    UniformWrites fill(units, units, true);
    hardware.run(firmware, fill);
    // several times more than the blocks need to become statistically alike
    UniformWrites settle(units, 4 * units, false);
    hardware.run(firmware, settle);
    firmware.reset_counters();
    const hw::UntimedStatistics before = hardware.statistics();
    UniformWrites measured(units, 4 * units, false);
    hardware.run(firmware, measured);
    EXPECT_EQ(firmware.check(), "");
    const hw::UntimedStatistics after = hardware.statistics();
    const hal::Metrics counters = firmware.metrics();
    return {static_cast<double>(after.total_programs() - before.total_programs()) * 4096.0 /
                static_cast<double>(after.written_bytes - before.written_bytes),
            counters.at("gc.empty_superpages") / (counters.at("gc.victims") * kPages)};
}

/// Blocks that are kept free do not hold data: of B blocks, only B - R can.
double effective(double spare, double kept_free) {
    return 1.0 - (1.0 - spare) * kBlocks / (kBlocks - kept_free);
}

void report(const Measured& measured, double expected) {
    ::testing::Test::RecordProperty("measured", std::to_string(measured.write_amplification));
    ::testing::Test::RecordProperty("expected", std::to_string(expected));
    ::testing::Test::RecordProperty("kept_free", std::to_string(measured.kept_free));
}

class Greedy : public ::testing::TestWithParam<const char*> {};

TEST_P(Greedy, FollowsDesnoyers) {
    const Measured measured = measure(GetParam(), "greedy");
    const double expected = greedy(effective(std::stod(GetParam()), measured.kept_free));
    report(measured, expected);
    EXPECT_NEAR(measured.write_amplification, expected, 0.03 * expected);
}
INSTANTIATE_TEST_SUITE_P(WriteAmplification, Greedy,
                         ::testing::Values("0.07", "0.10", "0.15", "0.20", "0.25"));

/// At S_f = 0.10. The d-choices figures are Van Houdt's (2013) mean-field values for Np = 64; blocks kept
/// free shift them as they shift greedy's.
struct PolicyCase {
    const char* policy;
    double published;
};
void PrintTo(const PolicyCase& policy_case, std::ostream* stream) {
    *stream << policy_case.policy;
}
class Policy : public ::testing::TestWithParam<PolicyCase> {};

TEST_P(Policy, FollowsItsClosedForm) {
    const Measured measured = measure("0.10", GetParam().policy);
    const double spare = effective(0.10, measured.kept_free);
    const double expected = GetParam().published * greedy(spare) / greedy(0.10);
    report(measured, expected);
    EXPECT_NEAR(measured.write_amplification, expected, 0.05 * expected);
}
INSTANTIATE_TEST_SUITE_P(WriteAmplification, Policy,
                         ::testing::Values(PolicyCase{"fifo", 5.179}, PolicyCase{"random", 10.01},
                                           PolicyCase{"d=2", 6.87}, PolicyCase{"d=3", 5.95},
                                           PolicyCase{"d=5", 5.35}, PolicyCase{"d=10", 5.00}));

}  // namespace
}  // namespace solidtlm::testbench
