// SPDX-License-Identifier: Apache-2.0
//
// For tests of combinations: a small number of rows in which every legal pair of values of any two options
// occurs. Greedy (Cohen et al. 1997, "The AETG System"): a row begins with a pair that no row has yet, and
// every other option takes the value that adds most new pairs while the row stays legal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace solidtlm::testbench {

/// A value is given by its settings ("key=value"); the first value of an option is its default.
struct Option {
    std::string name;
    std::vector<std::vector<std::string>> values;
};

/// The index of the value of each option.
using Row = std::vector<std::size_t>;

/// A value of one option together with a value of another.
struct Pair {
    std::size_t option;
    std::size_t value;
    std::size_t other;  ///< larger than `option`
    std::size_t other_value;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the defaulted operator
    auto operator<=>(const Pair&) const = default;
};

class CoveringArray {
  public:
    /// `legal` says whether a row is allowed; the row of all defaults must be. The seed breaks ties.
    CoveringArray(const std::vector<Option>& options, const std::function<bool(const Row&)>& legal,
                  std::uint64_t seed)
        : options_(options), legal_(legal), random_(seed) {
        find_pairs();
        while (!missing_.empty()) {
            auto at = missing_.begin();
            std::advance(at, static_cast<std::ptrdiff_t>(random_() % missing_.size()));
            add_row(*at);
        }
    }

    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    /// Pairs that are illegal with all other options at their defaults.
    [[nodiscard]] const std::set<Pair>& refused() const { return refused_; }
    [[nodiscard]] const std::set<Pair>& legal_pairs() const { return legal_pairs_; }

    [[nodiscard]] static bool holds(const Row& row, const Pair& pair) {
        return row[pair.option] == pair.value && row[pair.other] == pair.other_value;
    }

  private:
    void find_pairs() {
        for (std::size_t a = 0; a < options_.size(); ++a) {
            for (std::size_t b = a + 1; b < options_.size(); ++b) {
                for (std::size_t i = 0; i < options_[a].values.size(); ++i) {
                    for (std::size_t j = 0; j < options_[b].values.size(); ++j) {
                        Row row(options_.size());
                        row[a] = i;
                        row[b] = j;
                        (legal_(row) ? legal_pairs_ : refused_).insert(Pair{a, i, b, j});
                    }
                }
            }
        }
        missing_ = legal_pairs_;
    }

    void add_row(const Pair& first) {
        Row row(options_.size());
        std::vector<bool> decided(options_.size());
        const auto decide = [&](std::size_t option, std::size_t value) {
            row[option] = value;
            decided[option] = true;
        };
        decide(first.option, first.value);
        decide(first.other, first.other_value);
        std::vector<std::size_t> order(options_.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random_);
        for (const std::size_t option : order) {
            if (!decided[option]) {
                decide(option, best_value(row, decided, option));
            }
        }
        rows_.push_back(row);
        std::erase_if(missing_, [&row](const Pair& pair) { return holds(row, pair); });
    }

    /// The value with the largest gain among those that keep the row legal. The default always keeps it
    /// legal.
    std::size_t best_value(Row& row, const std::vector<bool>& decided, std::size_t option) {
        std::vector<std::tuple<std::size_t, std::uint64_t, std::size_t>> ranked;  // gain, tie-breaker, value
        for (std::size_t value = 0; value < options_[option].values.size(); ++value) {
            ranked.emplace_back(gain(row, decided, option, value), random_(), value);
        }
        std::sort(ranked.rbegin(), ranked.rend());
        for (const auto& [gained, tie, value] : ranked) {
            row[option] = value;
            if (value == 0 || legal_(row)) {
                return value;
            }
        }
        return 0;
    }

    /// Number of pairs of decided values that no earlier row has.
    [[nodiscard]] std::size_t gain(const Row& row, const std::vector<bool>& decided, std::size_t option,
                                   std::size_t value) const {
        std::size_t gained = 0;
        for (std::size_t other = 0; other < options_.size(); ++other) {
            if (decided[other]) {
                gained += missing_.count(option < other ? Pair{option, value, other, row[other]}
                                                        : Pair{other, row[other], option, value});
            }
        }
        return gained;
    }

    const std::vector<Option>& options_;
    const std::function<bool(const Row&)>& legal_;
    std::mt19937_64 random_;
    std::set<Pair> legal_pairs_;
    std::set<Pair> refused_;
    std::set<Pair> missing_;
    std::vector<Row> rows_;
};

}  // namespace solidtlm::testbench
