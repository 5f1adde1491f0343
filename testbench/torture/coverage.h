// SPDX-License-Identifier: Apache-2.0
//
// What the runs of a campaign covered, to show gaps: values of keys, pairs of values of choice keys (names
// and switches), power cuts and flash faults that happened, and commands. Keys, pairs and cuts at events are
// counted for the small family; presets, sizes of requests and cuts at times for the real family.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/show/result.h"
#include "testbench/torture/draw.h"

namespace solidtlm::testbench {

class Coverage {
  public:
    /// `result`: that of run_case(); null: only the drawn case is counted.
    void add(const DrawnCase& drawn, const Json& result);

    /// All counts. A pair that no run covered counts as possible if `preset` accepts it with everything else
    /// at its default, or with whole pages as mapping units.
    [[nodiscard]] Json to_json(const std::string& preset) const;
    /// The counts as a few lines of text.
    [[nodiscard]] static std::string text(const Json& coverage);

  private:
    using Counts = std::map<std::string, std::uint64_t>;
    using Pair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;  // key, value, key, value

    void add_choices(const std::vector<std::string>& values);
    void add_cuts(const Json& cuts);
    [[nodiscard]] Json cuts_section() const;
    [[nodiscard]] Json keys_section() const;
    [[nodiscard]] Json pairs_section(const std::string& preset) const;

    std::uint64_t cases_ = 0;
    std::uint64_t redrawn_ = 0;
    std::uint64_t redrawn_load_ = 0;
    std::uint64_t erases_ = 0;
    std::uint64_t reads_checked_ = 0;
    std::uint64_t not_compared_ = 0;                            // cases without comparison
    std::vector<std::map<std::string, std::uint64_t>> values_;  // one entry per key
    std::map<Pair, std::uint64_t> pairs_;
    Counts cuts_;                             // by the event that was cut, or `time`
    Counts instants_;                         // by what the drive was doing
    std::array<std::uint64_t, 3> offsets_{};  // cuts 1 ps before an event, at it, and 1 ps after it
    Counts endings_;
    Counts faults_;
    Counts commands_;
    Counts workloads_;
    std::uint64_t real_cases_ = 0;
    std::map<std::string, Counts> real_;  // by property of the case
};

/// A key whose values are names or a switch. Pairs of values of such keys are counted.
struct ChoiceKey {
    std::size_t index;  ///< index in platform::keys()
    std::vector<std::string> values;
};
[[nodiscard]] const std::vector<ChoiceKey>& choice_keys();

}  // namespace solidtlm::testbench
