// SPDX-License-Identifier: Apache-2.0
//
// Power cuts that take pages of a word line that were programmed earlier: torture finds that data is lost
// without protection, and none with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "testbench/torture/draw.h"
#include "testbench/torture/run_case.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kMostSeeds = 100;

CaseOutcome outcome_of(std::uint64_t seed, const std::vector<std::string>& flash) {
    std::vector<std::string> pinned{"nand.cell=\"tlc\"", "nand.geometry.pages=12", "content=\"tags\""};
    pinned.insert(pinned.end(), flash.begin(), flash.end());
    const CaseJob job{std::to_string(seed),
                      [&] { return run_case(draw_case(seed, "tiny", pinned).torture); }};
    return run_in_children({job}, 1).front();
}

bool loses_data(const CaseOutcome& outcome) {
    return std::ranges::any_of(outcome.faults, [](const std::string& fault) {
        return fault.find("sectors did not read back what was written") != std::string::npos;
    });
}

TEST(PairedPages, TortureFindsTheLossWithoutProtection) {
    std::uint64_t seed = 1;
    while (seed <= kMostSeeds && !loses_data(outcome_of(seed, {"nand.power_cut=\"word_line\"",
                                                               "firmware.word_lines.protect=\"none\""}))) {
        ++seed;
    }
    EXPECT_LE(seed, kMostSeeds) << "no seed has lost data";
}

// With padding or copies, the recovery log is in SLC mode.
TEST(PairedPages, TortureFindsNoLossWithProtection) {
    constexpr std::uint64_t kSome = 30;
    const std::vector<std::vector<std::string>> protections{
        {"firmware.word_lines.protect=\"capacitor\"", "nand.power_cut=\"word_line\""},
        {"firmware.word_lines.protect=\"backup\"", "nand.power_cut=\"word_line\"",
         "firmware.trim.persist=\"journal\"", "nand.slc.read=\"20us\"", "nand.slc.program=\"150us\"",
         "nand.geometry.blocks=32", "ssd.over_provisioning=0.7", "firmware.gc.copy_back=false",
         "firmware.slc_cache.mode=\"none\""},
        {"firmware.word_lines.protect=\"backup\"", "nand.power_cut=\"word_line\"",
         "firmware.slc_cache.mode=\"dynamic\"", "firmware.slc_cache.size=\"2MiB\"", "nand.slc.read=\"20us\"",
         "nand.slc.program=\"150us\"", "nand.geometry.blocks=36", "ssd.over_provisioning=0.7",
         "firmware.gc.copy_back=false", "firmware.slc_cache.copy_back=false"},
        {"firmware.word_lines.protect=\"pad\"", "nand.power_cut=\"word_line\"",
         "firmware.trim.persist=\"journal\"", "nand.slc.read=\"20us\"", "nand.slc.program=\"150us\""}};
    for (const std::vector<std::string>& protection : protections) {
        for (std::uint64_t seed = 1; seed <= kSome; ++seed) {
            EXPECT_EQ(outcome_of(seed, protection).faults, std::vector<std::string>())
                << protection.front() << ", seed " << seed;
        }
    }
}

}  // namespace
}  // namespace solidtlm::testbench
