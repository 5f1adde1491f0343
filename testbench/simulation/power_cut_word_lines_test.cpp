// SPDX-License-Identifier: Apache-2.0
//
// The whole drive loses power, on flash that programs word lines at once, in one to three passes: nothing
// durable is lost, and a word line is torn as a whole. With an SLC cache, blocks of both modes are torn, and
// their mode is found again.
#include <fmt/format.h>

#include "hw/nand/word_lines.h"
#include "testbench/simulation/power_cut_test_support.h"
#include "testbench/simulation/power_cycler.h"

namespace solidtlm::testbench::word_lines {
namespace {

/// Checks all torn pages before each cut; earlier cuts have left them.
class TornWordLines : public PowerSwitch {
  public:
    void attach(platform::Ssd& ssd, PowerCycler& cycler) override {
        ssd_ = &ssd;
        cycler.tell(*this);
    }
    void power_cut(CutInstant /*instant*/) override {
        const hw::NandGeometry& nand = ssd_->configuration().nand.geometry;
        for (std::uint16_t channel = 0; channel < nand.channels; ++channel) {
            for (std::uint16_t die = 0; die < nand.dies; ++die) {
                for (std::uint32_t block = 0; block < nand.planes * nand.blocks; ++block) {
                    look_at({hal::Channel{channel}, hal::Die{die},
                             hal::Plane{static_cast<std::uint8_t>(block / nand.blocks)},
                             hal::Block{block % nand.blocks}, hal::Page{0}});
                }
            }
        }
    }
    std::uint64_t whole = 0;
    std::uint64_t in_part = 0;
    std::uint64_t in_slc = 0;                              ///< pages
    std::array<std::uint64_t, hw::kMostPasses> between{};  ///< at the cuts, by how many passes they have had

  private:
    void look_at(hal::FlashAddress page) {
        const hw::NandArray& array = ssd_->channel(page.channel.value).array(page.die);
        const bool slc = array.in_slc_mode(page);  // word lines have one page each
        const std::uint32_t word_line = slc ? 1 : hw::pages_per_word_line(ssd_->configuration().nand);
        while (slc && page.page.value < hw::word_lines(ssd_->configuration().nand)) {
            in_slc += array.torn(page) ? 1 : 0;
            ++page.page;
        }
        while (!slc && page.page.value < array.geometry().pages) {
            ++between[array.passes_had(page)];
            std::uint32_t torn = 0;
            for (std::uint32_t i = 0; i < word_line; ++i, ++page.page) {
                torn += array.torn(page) ? 1 : 0;
            }
            whole += torn == word_line ? 1 : 0;
            in_part += torn > 0 && torn < word_line ? 1 : 0;
        }
    }
    const platform::Ssd* ssd_ = nullptr;
};

class PowerCutWordLines : public ::testing::TestWithParam<int> {};

TEST_P(PowerCutWordLines, TearsThemAsAWhole) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    constexpr std::array<const char*, 3> kCells{"mlc", "tlc", "qlc"};
    constexpr std::array<const char*, 3> kTrims{"lazy", "journal", "immediate"};
    constexpr std::array<const char*, 2> kMaps{"full_table", "dftl"};
    constexpr std::array<const char*, 2> kOrders{"PCWD", "CWDP"};
    const std::uint64_t pages = 2 + seed % kCells.size();
    constexpr std::array<const char*, 3> kProgramming{"one_shot", "two_pass", "three_pass"};
    constexpr std::array<const char*, 3> kTimes{"900us", "500us,600us", "300us,400us,500us"};
    const std::size_t passes = 1 + seed / 6 % kProgramming.size();
    const platform::Configuration configuration = preset(
        "tiny",
        {fmt::format("nand.programming={}", kProgramming[passes - 1]),
         fmt::format("nand.timing.program={}", kTimes[passes - 1]),
         fmt::format("firmware.allocation.programs_per_die={}", passes + 1),
         fmt::format("firmware.gc.pipeline_depth={}", passes + 1),
         fmt::format("nand.cell={}", kCells[pages - 2]), fmt::format("nand.geometry.pages={}", 6 * pages),
         "nand.geometry.blocks=24", "nand.slc.read=20us", "nand.slc.program=150us",
         fmt::format("firmware.trim.persist={}", kTrims[seed / 2 % kTrims.size()]),
         fmt::format("firmware.map_cache.policy={}", kMaps[seed / 3 % kMaps.size()]),
         "firmware.map_cache.size=8KiB", "firmware.map_cache.translation_page=512",
         fmt::format("firmware.allocation.order={}", kOrders[seed % kOrders.size()]),
         "firmware.write_buffer.size=512KiB", "ssd.over_provisioning=0.7", fmt::format("seed={}", seed)});
    TornWordLines torn;
    (void)survive_power_cuts(configuration, seed, 60, &torn);
    EXPECT_GT(torn.whole, 20U);
    EXPECT_EQ(torn.in_part, 0U);
    for (std::size_t had = 1; had < hw::kMostPasses; ++had) {
        EXPECT_EQ(torn.between[had] > 0, had < passes) << had;
        RecordProperty(fmt::format("cut_after_pass_{}", had), std::to_string(torn.between[had]));
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutWordLines, ::testing::Range(1, 37));

class PowerCutCachedWordLines : public ::testing::TestWithParam<int> {};

TEST_P(PowerCutCachedWordLines, TearsPagesOfTheCacheAndWordLinesPastIt) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    constexpr std::array<const char*, 3> kCells{"mlc", "tlc", "qlc"};
    constexpr std::array<const char*, 3> kModes{"static", "dynamic", "hybrid"};
    constexpr std::array<const char*, 3> kTrims{"lazy", "journal", "immediate"};
    const std::uint64_t bits = 2 + seed / 3 % kCells.size();
    std::vector<std::string> settings{
        "nand.programming=one_shot",
        "nand.timing.program=900us",
        "nand.slc.read=20us",
        "nand.slc.program=150us",
        fmt::format("nand.cell={}", kCells[bits - 2]),
        fmt::format("nand.geometry.pages={}", 6 * bits),
        "nand.geometry.blocks=28",
        fmt::format("firmware.slc_cache.mode={}", kModes[seed % kModes.size()]),
        fmt::format("firmware.slc_cache.full={}", seed / 2 % 2 == 0 ? "bypass" : "fold"),
        fmt::format("firmware.slc_cache.fold_below={}", seed % 2),
        fmt::format("firmware.trim.persist={}", kTrims[seed / 4 % kTrims.size()]),
        fmt::format("firmware.recovery.checkpoint_interval={}", seed % 2 == 0 ? "0" : "256KiB"),
        "firmware.write_buffer.size=512KiB",
        "ssd.over_provisioning=0.7",
        fmt::format("seed={}", seed)};
    settings.emplace_back(seed % kModes.size() == 0 ? "firmware.slc_cache.size=512KiB"
                                                    : "firmware.slc_cache.size=2MiB");
    if (seed % kModes.size() == 2) {
        settings.emplace_back("firmware.slc_cache.static_size=256KiB");
    }
    TornWordLines torn;
    const Json result = survive_power_cuts(preset("tiny", settings), seed, 60, &torn);
    EXPECT_GT(torn.in_slc, 5U);
    EXPECT_GT(torn.whole, 5U);
    EXPECT_EQ(torn.in_part, 0U);
    EXPECT_GT(result["firmware"]["slc_cache.written_units"], 0.0);
    EXPECT_GT(result["firmware"]["slc_cache.folded_units"], 0.0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutCachedWordLines, ::testing::Range(1, 19));

}  // namespace
}  // namespace solidtlm::testbench::word_lines
