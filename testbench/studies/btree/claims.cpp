// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "fw/hal/check.h"
#include "testbench/studies/btree/btree.h"
#include "testbench/studies/kit/claims.h"

namespace solidtlm::testbench::btree {
namespace {

constexpr std::array<std::string_view, 3> kSizeNames{"512 B", "4 KB", "16 KB"};

using Quantity = std::function<double(const Counts&)>;

double writes(const Counts& counts) {
    return static_cast<double>(counts.writes);
}
double erases(const Counts& counts) {
    return static_cast<double>(counts.erases);
}
double negative_cost(const Counts& counts) {
    return -counts.cost();
}

struct Best {
    std::size_t size = 0;  ///< index into kPublishedPageBytes
    bool shared = false;   ///< another size has the same value
};

/// The page size with the smallest value.
Best best_of(const Table& table, Layer layer, const Quantity& value) {
    std::array<double, kPublishedPageBytes.size()> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = value(table.at({layer, kPublishedPageBytes[i]}));
    }
    const auto least = std::ranges::min_element(values);
    return {static_cast<std::size_t>(least - values.begin()), std::ranges::count(values, *least) > 1};
}

struct Expectation {
    Layer layer;
    std::uint32_t page_bytes;
};

/// Judges a claim that names a page size for each layer.
Claim judge(const Table& table, Claim claim, const Quantity& value,
            const std::vector<Expectation>& expected) {
    std::size_t right = 0;
    std::string measured;
    std::string wrong;
    for (const Expectation& each : expected) {
        const Best best = best_of(table, each.layer, value);
        const bool holds = kPublishedPageBytes[best.size] == each.page_bytes && !best.shared;
        right += holds ? 1 : 0;
        const std::string text = fmt::format("{} {}{}", layer_name(each.layer), kSizeNames[best.size],
                                             best.shared ? " and others" : "");
        measured += (measured.empty() ? "" : ", ") + text;
        wrong += holds ? "" : (wrong.empty() ? "" : ", ") + std::string(layer_name(each.layer));
    }
    claim.measured = measured;
    claim.verdict = verdict_of(right == expected.size(), right > 0);
    if (!wrong.empty()) {
        claim.reason =
            fmt::format("does not hold for {}; depends on buffer and log blocks, see docs/btree.md", wrong);
    }
    return claim;
}

std::vector<Expectation> everywhere(std::uint32_t page_bytes) {
    std::vector<Expectation> expected;
    expected.reserve(kLayers.size());
    for (const Layer layer : kLayers) {
        expected.push_back({layer, page_bytes});
    }
    return expected;
}

Claim best_cell(const Table& table) {
    Claim claim{"E4", "best single cell, cost 1 : 8 : 65", "fast at 16 KB", "", Verdict::not_reproduced, ""};
    const auto least =
        std::ranges::min_element(table, {}, [](const auto& cell) { return cell.second.cost(); });
    const double best = least->second.cost();
    std::string cells;
    std::size_t equal = 0;
    for (const auto& [key, counts] : table) {
        const auto size = std::ranges::find(kPublishedPageBytes, key.second);
        if (size != kPublishedPageBytes.end() && counts.cost() == best) {
            ++equal;
            cells += fmt::format("{}{} at {}", cells.empty() ? "" : ", ", layer_name(key.first),
                                 kSizeNames[static_cast<std::size_t>(size - kPublishedPageBytes.begin())]);
        }
    }
    const bool among = table.at({Layer::fast, 16384}).cost() == best;
    claim.measured = cells;
    claim.verdict = verdict_of(among && equal == 1, among);
    if (among && equal > 1) {
        claim.reason = "a page that fills a block is switched by every layer with log blocks: same counts";
    } else if (!among) {
        claim.reason = "depends on the buffer, see docs/btree.md";
    }
    return claim;
}

}  // namespace

bool complete(const Table& table) {
    return std::ranges::all_of(kLayers, [&table](Layer layer) {
        return std::ranges::all_of(kPublishedPageBytes, [&](std::uint32_t size) {
            return table.contains({layer, size});
        });
    });
}

std::vector<Claim> claims_of(const Table& table, bool as_published) {
    SOLIDTLM_CHECK(complete(table), "every cell of the table is there");
    std::vector<Claim> claims{
        judge(table, {"E1", "every layer is worst at 4 KB (cost 1 : 8 : 65)", "worst: all 4 KB", "", {}, ""},
              negative_cost, everywhere(4096)),
        judge(table, {"E2", "writes: every layer is best at 16 KB", "best: all 16 KB", "", {}, ""}, writes,
              everywhere(16384)),
        judge(table,
              {"E3",
               "erases: fmax and mtbs are best at 512 B, bast and fast at 16 KB",
               "fmax 512 B, bast 16 KB, fast 16 KB, mtbs 512 B",
               "",
               {},
               ""},
              erases, {{Layer::fmax, 512}, {Layer::bast, 16384}, {Layer::fast, 16384}, {Layer::mtbs, 512}}),
        best_cell(table),
    };
    for (Claim& claim : claims) {
        if (!as_published) {
            claim.reason +=
                (claim.reason.empty() ? "" : "; ") + std::string("the study made 100,000 inserts");
        }
    }
    return claims;
}

}  // namespace solidtlm::testbench::btree
