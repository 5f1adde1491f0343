// SPDX-License-Identifier: Apache-2.0
//
// What the runs of a campaign met, to show holes: values of keys, pairs of values of keys that are choices
// (names and switches), power cuts and faults of flash that happened, commands. Keys, pairs and cuts at
// events are counted for the small family; for the real one presets, sizes of requests and cuts at times.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/results/result.h"
#include "testbench/torture/draw.h"

namespace solidtlm::testbench {

class Coverage {
  public:
    /// `result` of run_case(); null counts the draw alone.
    void add(const DrawnCase& drawn, const Json& result);

    /// Everything. Pairs that no run met count as possible if `preset` takes them, all else at its default or
    /// with whole pages as mapping units.
    [[nodiscard]] Json to_json(const std::string& preset) const;
    /// The same in some lines, for a person.
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
    std::uint64_t not_compared_ = 0;                            // cases
    std::vector<std::map<std::string, std::uint64_t>> values_;  // a key each
    std::map<Pair, std::uint64_t> pairs_;
    Counts cuts_;                             // by what ended, or `time`
    Counts instants_;                         // by what the drive was at
    std::array<std::uint64_t, 3> offsets_{};  // 1 ps before an event, at it, 1 ps after it
    Counts endings_;
    Counts faults_;
    Counts commands_;
    Counts workloads_;
    std::uint64_t real_cases_ = 0;
    std::map<std::string, Counts> real_;  // what they were like
};

/// Keys that are names or switches, with their values. Pairs of these are counted.
struct ChoiceKey {
    std::size_t index;  ///< among platform::keys()
    std::vector<std::string> values;
};
[[nodiscard]] const std::vector<ChoiceKey>& choice_keys();

}  // namespace solidtlm::testbench
