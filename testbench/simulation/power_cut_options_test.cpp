// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/power_cut_options.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

struct Parsed {
    PowerCuts cuts;
    Errors errors;
};

Parsed parse(const std::string& arguments, const platform::Configuration& drive = {}) {
    CLI::App app;
    OptionSet set(app);
    PowerCutOptions options;
    Parsed parsed;
    options.add_to(set, parsed.cuts);
    parsed.errors = set.parse(CLI::detail::split_up(arguments));
    std::ranges::move(options.check_options(parsed.cuts), std::back_inserter(parsed.errors));
    std::ranges::move(options.check(drive), std::back_inserter(parsed.errors));
    return parsed;
}

TEST(PowerCutOptions, NoneMeansNoCut) {
    const Parsed parsed = parse("");
    EXPECT_TRUE(parsed.errors.empty());
    EXPECT_FALSE(parsed.cuts.any());
}

TEST(PowerCutOptions, TakesInstantsInAnyOrder) {
    const Parsed parsed = parse("--power-cut-at 7ms,3ms --power-cut-every 20ms --power-off 250us");
    EXPECT_TRUE(parsed.errors.empty());
    EXPECT_EQ(parsed.cuts.at, (std::vector<Ps>{3ms, 7ms}));
    EXPECT_EQ(parsed.cuts.every, Ps{20ms});
    EXPECT_EQ(parsed.cuts.off, Ps{250us});
}

TEST(PowerCutOptions, RefusesWhatIsNoTimeAndSaysWhatIs) {
    for (const char* wrong : {"--power-cut-at 3", "--power-cut-at 0ms", "--power-cut-every soon",
                              "--power-cut-every -1ms", "--power-cut-at 1ms --power-off 0s"}) {
        const Parsed parsed = parse(wrong);
        ASSERT_EQ(parsed.errors.size(), 1U) << wrong;
        EXPECT_NE(parsed.errors[0].find("; allowed: duration of at least 1ps, a string with unit"),
                  std::string::npos)
            << parsed.errors[0];
    }
    EXPECT_EQ(parse("--power-off 1ms").errors.size(), 1U) << "without a cut";
}

TEST(PowerCutOptions, SayWhichDrivesKeepTheirPower) {
    const std::string cuts = "--power-cut-every 20ms --power-cut-at 3ms";
    platform::Configuration drive;
    drive.host.interface = platform::HostInterface::ahci;
    EXPECT_EQ(
        parse(cuts, drive).errors,
        (Errors{"--power-cut-at: found with host.interface = \"ahci\"; allowed: with link, because an "
                "adapter is not told of power cuts",
                "--power-cut-every: found with host.interface = \"ahci\"; allowed: with link, because an "
                "adapter is not told of power cuts"}));
    EXPECT_EQ(parse("", drive).errors, Errors{});
    const platform::Configuration blocks =
        platform::parse_configuration("preset = \"tiny\"\nfirmware.translation = \"fast\"", "blocks.toml");
    EXPECT_EQ(parse("--power-cut-at 3ms", blocks).errors,
              Errors{"--power-cut-at: found with firmware.translation = \"fast\"; allowed: with page_map, "
                     "because block-mapped layers do not find their state on flash again"});
}

}  // namespace
}  // namespace solidtlm::testbench
