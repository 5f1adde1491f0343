// SPDX-License-Identifier: Apache-2.0
//
// The whole drive loses power, on flash that programs word lines at once: nothing durable is lost, and a word
// line is torn as a whole. With an SLC cache, blocks of both modes are torn, and
// their mode is found again.
#include "hw/nand/word_lines.h"
#include "testbench/sim/power_cut_test_support.h"
#include "testbench/sim/power_cycler.h"
#include "testbench/sim/word_line_variants.h"

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
    std::uint64_t in_slc = 0;  ///< pages

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
    TornWordLines torn;
    (void)survive_power_cuts(word_lines_at_once(seed), seed, 60, &torn);
    EXPECT_GT(torn.whole, 20U);
    EXPECT_EQ(torn.in_part, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutWordLines, ::testing::Range(1, 13));

class PowerCutCachedWordLines : public ::testing::TestWithParam<int> {};

TEST_P(PowerCutCachedWordLines, TearsPagesOfTheCacheAndWordLinesPastIt) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    TornWordLines torn;
    const Json result = survive_power_cuts(word_lines_behind_a_cache(seed), seed, 60, &torn);
    EXPECT_GT(torn.in_slc, 5U);
    EXPECT_GT(torn.whole, 5U);
    EXPECT_EQ(torn.in_part, 0U);
    EXPECT_GT(result["firmware"]["slc_cache.written_units"], 0.0);
    EXPECT_GT(result["firmware"]["slc_cache.folded_units"], 0.0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutCachedWordLines, ::testing::Range(1, 19));

}  // namespace
}  // namespace solidtlm::testbench::word_lines
