// SPDX-License-Identifier: Apache-2.0
//
// Decisions of a case. Each is a function of the case's seed and of the decision's name, and of nothing else:
// what is added to the cases, such as a key or a preset, changes only the cases that have it. Decisions form
// parts ("load", "cuts", a key), whose names need to differ only within their part.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <random>
#include <string_view>

#include "fw/hal/check.h"

namespace solidtlm::testbench {

class Draws {
  public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}

    /// The decisions of a part.
    [[nodiscard]] Draws in(std::string_view part) const { return Draws(word(part)); }
    /// The decisions of the nth of several equal parts.
    [[nodiscard]] Draws nth(std::uint64_t n) const;

    /// A number from 0 to `limit` - 1. REQUIRES: limit > 0.
    [[nodiscard]] std::uint64_t below(std::string_view name, std::uint64_t limit) const;
    /// True with the probability `share`.
    [[nodiscard]] bool chance(std::string_view name, double share) const;
    /// A number of at least 0, distributed exponentially with mean 1.
    [[nodiscard]] double waiting_time(std::string_view name) const;
    /// An element. A longer list changes most picks.
    template <class List>
    [[nodiscard]] const auto& pick(std::string_view name, const List& list) const {
        return list[below(name, std::size(list))];
    }
    /// An element with a name of its own. A further element changes a pick only to that element (Thaler and
    /// Ravishankar 1998, highest random weight). REQUIRES: the list is not empty.
    template <class List, class Projection = std::identity>
    [[nodiscard]] const auto& pick_by_name(std::string_view name, const List& list,
                                           Projection name_of = {}) const {
        SOLIDTLM_CHECK(!std::empty(list), "there is an element to pick");
        const Draws elements = in(name);
        auto best = std::begin(list);
        for (auto each = best; each != std::end(list); ++each) {
            best = elements.word(std::invoke(name_of, *best)) < elements.word(std::invoke(name_of, *each))
                       ? each
                       : best;
        }
        return *best;
    }
    /// For a decision that takes many numbers.
    [[nodiscard]] std::mt19937_64 generator(std::string_view name) const {
        return std::mt19937_64(word(name));
    }

  private:
    /// 64 random bits.
    [[nodiscard]] std::uint64_t word(std::string_view name) const;

    std::uint64_t state_;
};

}  // namespace solidtlm::testbench
