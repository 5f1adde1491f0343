// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/victim_policy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "fw/needs.h"
#include "fw/testing/collector_bench.h"
#include "fw/testing/places.h"

namespace solidtlm::fw {
namespace {

/// Superblocks 0, 1, 2, ... of one parallel unit, filled in this order, each with the given number of valid
/// units.
class Filled {
  public:
    explicit Filled(const std::vector<std::uint32_t>& valid) {
        for (const std::uint32_t units : valid) {
            testing::fill_superblock(layout_, table_, kPu, units);
        }
    }
    std::unique_ptr<VictimPolicy> make(std::string_view policy, std::uint32_t d = 10) {
        config_.gc.d = d;
        return make_victim_policy(policy, config_, layout_);
    }
    std::optional<Superblock> first_of(std::string_view policy) { return make(policy)->select(table_, kPu); }
    /// The set of superblocks that the policy takes in 200 draws.
    std::set<std::uint32_t> drawn(std::string_view policy, std::uint32_t d) {
        std::set<std::uint32_t> taken;
        const auto chosen = make(policy, d);
        for (int i = 0; i < 200; ++i) {
            taken.insert(chosen->select(table_, kPu)->value);
        }
        return taken;
    }
    [[nodiscard]] std::uint32_t units() const { return layout_.units_per_superblock(); }

  private:
    static constexpr Pu kPu{0};
    FirmwareConfig config_ = testing::tiny_config();
    MediaLayout layout_ = media_layout(config_);
    SuperblockTable table_{layout_, false};
};

TEST(VictimPolicy, EachTakesWhatItsLineSays) {
    Filled filled({3, 1, 2});
    EXPECT_EQ(filled.first_of("greedy"), Superblock{1});
    EXPECT_EQ(filled.first_of("fifo"), Superblock{0});
    EXPECT_EQ(filled.drawn("random", 10), (std::set<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(filled.drawn("d_choices", 1), (std::set<std::uint32_t>{0, 1, 2}));
    // All of 100 draws miss one of three with probability (2/3)^100, in any of 200 rounds below 10^-15.
    EXPECT_EQ(filled.drawn("d_choices", 100), (std::set<std::uint32_t>{1}));
}

/// age * (1 - u) / 2u: three superblocks, 1/8, 5/8 and 1/2 of them valid, with ages 3, 2, 1.
TEST(VictimPolicy, CostBenefitWeighsAgeAgainstWhatIsValid) {
    const std::uint32_t units = Filled({}).units();
    ASSERT_EQ(units % 8, 0U);
    Filled old_and_empty({units / 8, units * 5 / 8, units / 2});
    EXPECT_EQ(old_and_empty.first_of("cost_benefit"), Superblock{0});
    // 3/4 and 1/2 valid, ages 3 and 1, and a full one: 3 * 1/6 against 1 * 1/2 is a tie. One valid unit less
    // in the older one makes the policy choose it, one more makes it choose the other.
    Filled older({units * 3 / 4 - 1, units, units / 2});
    EXPECT_EQ(older.first_of("cost_benefit"), Superblock{0});
    Filled emptier({units * 3 / 4 + 1, units, units / 2});
    EXPECT_EQ(emptier.first_of("cost_benefit"), Superblock{2});
}

TEST(VictimPolicy, NoneTakesAVictimThatGainsNothing) {
    const std::uint32_t units = Filled({}).units();
    for (const GcPolicy* policy : gc_policies()) {
        Filled filled({units, units});
        EXPECT_EQ(filled.first_of(policy->name), std::nullopt) << policy->name;
    }
}

TEST(VictimPolicy, NamesAreThoseOfTheFiles) {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("fw/gc/policies"))) {
        const std::string name = entry.path().stem();
        if (entry.path().extension() == ".cpp" && !name.ends_with("_test")) {
            files.insert(name);
        }
    }
    std::set<std::string> names;
    for (const GcPolicy* policy : gc_policies()) {
        names.emplace(policy->name);
    }
    EXPECT_EQ(names, files);
    EXPECT_THROW((void)hal::named(gc_policies(), "gredy"), std::logic_error);
}

}  // namespace
}  // namespace solidtlm::fw
