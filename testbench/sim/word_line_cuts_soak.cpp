// SPDX-License-Identifier: Apache-2.0
//
// 20,000 power cuts of the whole drive for each kind of word line, and each way of keeping its earlier pages.
#include <functional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/sim/power_cut_test_support.h"
#include "testbench/sim/word_line_variants.h"

namespace solidtlm::testbench {
namespace {

struct Kind {
    std::string name;
    std::function<platform::Configuration(std::uint64_t seed)> variant;
};

void PrintTo(const Kind& kind, std::ostream* out) {
    *out << kind.name;
}

std::vector<Kind> kinds() {
    std::vector<Kind> all{{"behind_a_cache", word_lines_behind_a_cache},
                          {"copies_behind_a_cache", copies_behind_a_cache},
                          {"at_once", word_lines_at_once}};
    for (const std::string protect : {"backup", "pad", "capacitor"}) {
        all.push_back(
            {protect, [protect](std::uint64_t seed) { return protected_word_lines(protect, seed); }});
    }
    return all;
}

class WordLineCutsSoak : public testing::TestWithParam<std::tuple<Kind, int>> {};

TEST_P(WordLineCutsSoak, LoseNothingDurable) {
    const auto& [kind, number] = GetParam();
    const auto seed = static_cast<std::uint64_t>(number);
    (void)survive_power_cuts(kind.variant(seed), seed, 200);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WordLineCutsSoak,
                         testing::Combine(testing::ValuesIn(kinds()), testing::Range(101, 201)),
                         [](const auto& param) {
                             return fmt::format("{}_{}", std::get<0>(param.param).name,
                                                std::get<1>(param.param));
                         });

}  // namespace
}  // namespace solidtlm::testbench
