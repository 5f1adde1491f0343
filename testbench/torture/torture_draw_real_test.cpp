// SPDX-License-Identifier: Apache-2.0
//
// The real family draws every preset unchanged, and every class of requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "platform/presets.h"
#include "testbench/torture/coverage.h"
#include "testbench/torture/draw.h"
#include "testbench/torture/load.h"
#include "testbench/torture/run_case.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kRealDraws = 200;

TEST(DrawReal, IsTheSameFromTheSameSeedAndReadsBack) {
    std::set<std::string> texts;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const TortureCase torture = draw_real_case(seed, "").torture;
        EXPECT_EQ(torture, draw_real_case(seed, "").torture);
        EXPECT_EQ(to_toml(parse_case(to_toml(torture, ""), "case.toml"), ""), to_toml(torture, ""));
        texts.insert(to_toml(torture, ""));
    }
    EXPECT_EQ(texts.size(), 20U);
}

// A case is legal, or prepare() throws.
TEST(DrawReal, HasEveryPresetWithItsOwnOptionsAndNoObserver) {
    std::set<std::string> presets;
    std::map<std::string_view, std::set<std::string>> cuts;
    std::set<std::string> at_once;  // presets whose flash programs word lines
    std::map<fw::WordLineProtection, std::set<std::string>> protections;  // presets with paired pages
    std::set<std::string> alone;      // presets whose planes read independently
    std::set<std::string> differing;  // presets whose dies differ
    std::set<std::string> clients;
    std::set<std::uint32_t> depths;
    for (std::uint64_t seed = 1; seed <= kRealDraws; ++seed) {
        const TortureCase torture = draw_real_case(seed, "").torture;
        const PreparedCase prepared = prepare(torture);
        EXPECT_TRUE(prepared.cuts.empty()) << seed;
        const platform::Configuration& drawn = prepared.run.configuration;
        const bool word_lines = drawn.firmware.flash.pages_per_program > 1;
        const bool paired = drawn.nand.power_cut == hw::NandPowerCut::word_line;
        EXPECT_EQ(paired, drawn.firmware.word_lines.protect != fw::WordLineProtection::none) << seed;
        for (const std::string& setting : torture.settings) {
            const bool of_flash =
                setting.starts_with("nand.programming=") || setting.starts_with("nand.cell=") ||
                setting.starts_with("nand.power_cut=") || setting.starts_with("firmware.word_lines.") ||
                setting.starts_with("nand.geometry.pages=") || setting.starts_with("nand.timing.");
            const bool of_copies =
                setting.starts_with("nand.slc.") || setting == "firmware.gc.copy_back=false";
            const bool of_length = setting.starts_with("firmware.slc_cache.largest_write=");
            EXPECT_TRUE(setting.starts_with("content=") || setting.starts_with("host.interface=") ||
                        setting == "nand.planes.read=\"independent\"" ||
                        setting.starts_with("nand.geometry.die_blocks=") ||
                        (of_length && drawn.firmware.slc_cache.by_length()) ||
                        (of_flash && (word_lines || paired)) ||
                        (of_copies && drawn.firmware.word_lines.protect == fw::WordLineProtection::backup))
                << setting;
        }
        if (paired) {
            protections[drawn.firmware.word_lines.protect].insert(torture.preset);
        } else if (word_lines) {
            at_once.insert(torture.preset);
        }
        if (prepared.run.configuration.nand.plane_reads == hw::NandPlaneReads::independent) {
            alone.insert(torture.preset);
        }
        if (drawn.nand.geometry.die_blocks.differ()) {
            differing.insert(torture.preset);
        }
        presets.insert(torture.preset);
        clients.insert(prepared.load.client);
        depths.insert(prepared.load.queue_depth);
        if (prepared.run.power_cuts.any()) {
            cuts[prepared.run.power_cuts.every > Ps{0} ? "every" : "at"].insert(torture.preset);
        }
    }
    EXPECT_EQ(presets.size(), platform::presets().size());
    EXPECT_GE(at_once.size(), 5U);
    EXPECT_GE(protections[fw::WordLineProtection::pad].size(), 5U);
    EXPECT_GE(protections[fw::WordLineProtection::capacitor].size(), 5U);
    EXPECT_GE(alone.size(), 5U);
    EXPECT_GE(differing.size(), 5U);
    EXPECT_EQ(clients.size(), 2U);
    EXPECT_EQ(*depths.begin(), 1U);
    EXPECT_EQ(*depths.rbegin(), 32U);
    EXPECT_GE(cuts["at"].size(), platform::presets().size() - 1) << "one boots for minutes";
    EXPECT_GE(cuts["every"].size(), platform::presets().size() - 1);
}

// A boot of an aged drive scans all its pages, 131,072 here; that of a new drive scans a few thousand.
TEST(DrawReal, CutsAgedDrivesSeldom) {
    std::size_t often = 0;
    for (std::uint64_t seed = 1; seed <= kRealDraws; ++seed) {
        const TortureCase torture = draw_real_case(seed, "small_block").torture;
        const PreparedCase prepared = prepare(torture);
        if (!torture.precondition.empty()) {
            EXPECT_LE(torture.cuts.size(), 1U) << seed;
            EXPECT_EQ(prepared.run.power_cuts.every, Ps{0}) << seed;
        } else if (prepared.run.power_cuts.every > Ps{0}) {
            ++often;
        }
    }
    EXPECT_GT(often, 10U);
}

TEST(DrawReal, TakesThePresetThatIsGiven) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EXPECT_EQ(draw_real_case(seed, "study_c").torture.preset, "study_c");
    }
}

/// Number of sectors that the case's requests move, or a number above `most`.
std::uint64_t sectors_moved(const TortureCase& torture, std::uint64_t most) {
    const PreparedCase prepared = prepare(torture);
    SentRequests sent;
    const std::unique_ptr<RequestSource> source = make_source(prepared, sent);
    std::uint64_t moved = 0;
    for (Request request; moved <= most && source->next(request);) {
        moved += request.sectors;
    }
    return moved;
}

// A left-out item has its default, and no default may write or read a large drive as a whole.
TEST(RealCase, StaysShortWithAnyItemLeftOut) {
    constexpr std::uint64_t kMost = (48U << 20U) / hal::kSectorBytes;
    for (const platform::Preset& preset : platform::presets()) {
        TortureCase torture;
        torture.preset = preset.name;
        torture.load = {"requests=10"};
        const std::uint64_t sectors = configuration_of(torture.preset, {}).firmware.exported_sectors;
        const std::uint64_t moved = sectors_moved(torture, 2 * kMost);
        if (sectors <= kMost) {
            EXPECT_GE(moved, 2 * sectors) << preset.name << ": written first and read back as a whole";
        } else {
            EXPECT_LE(moved, kMost) << preset.name;
        }
    }
}

// A client of tb_disk sends ten requests of 1 MiB, with a cut in the middle of them.
TEST(RealCase, CountsSizesAndCutsInDataPhases) {
    TortureCase torture;
    torture.preset = "default";
    torture.settings = {"content=\"bytes\""};
    torture.load = {"requests=10", "queue_depth=2", "client=disk"};
    torture.workload = {"sequential", "read=0", "size=1m"};
    torture.cuts = {"at 6ms"};
    const CaseOutcome outcome = run_in_children({{"case", [&] { return run_case(torture); }}}, 1).front();
    EXPECT_EQ(outcome.faults, std::vector<std::string>());
    const Json& shape = outcome.result.at("shape");
    EXPECT_EQ(shape.at("presets"), Json({{"default", 1}}));
    EXPECT_EQ(shape.at("clients"), Json({{"tb_disk", 1}}));
    EXPECT_EQ(shape.at("sizes").at("more"), 10);
    // At 600 MB/s less overhead, a request takes about 2 ms, so the third one is under way.
    EXPECT_EQ(shape.at("cuts"), Json({{"total", 1}, {"in data phases", 1}}));
    EXPECT_EQ(shape.at("instants"), Json({{"running", 1}}));
    Coverage coverage;
    DrawnCase drawn;
    drawn.family = Family::real;
    Json result = outcome.result;
    coverage.add(drawn, result);
    coverage.add(drawn, result);
    const Json sum = coverage.to_json("tiny");
    EXPECT_EQ(sum.at("real").at("cases"), 2);
    EXPECT_EQ(sum.at("real").at("met").at("cuts"), Json({{"in data phases", 2}, {"total", 2}}));
    const std::string text = Coverage::text(sum);
    EXPECT_NE(text.find("real      2 cases\n"), std::string::npos) << text;
    EXPECT_NE(text.find("presets   2 default\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("pairs"), std::string::npos) << "of the small family alone";
}

TEST(RealCase, RefusesExclusiveOptions) {
    TortureCase both;
    both.cuts = {"every 3ms", "erase 1"};
    EXPECT_THROW((void)prepare(both), InputError);
    TortureCase twice;
    twice.cuts = {"every 3ms", "every 4ms"};
    EXPECT_THROW((void)prepare(twice), InputError);
    TortureCase tags;
    tags.settings = {"content=\"tags\""};
    tags.load = {"client=disk"};
    EXPECT_THROW((void)prepare(tags), InputError);
}

}  // namespace
}  // namespace solidtlm::testbench
