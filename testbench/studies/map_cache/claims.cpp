// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/map_cache/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace solidtlm::testbench::map_cache {
namespace {

constexpr std::uint64_t kSmallest = 16 * hal::kKiB;  // of the study's table 3
constexpr std::string_view kNotAll = "not all that the claim speaks of was run";

const PublishedLoad* published(const std::string& load) {
    const auto found =
        std::ranges::find_if(published_loads(), [&load](const auto& each) { return each.name == load; });
    return found == published_loads().end() ? nullptr : &*found;
}

std::vector<std::string> loads_of(std::span<const Measured> all) {
    std::vector<std::string> loads;
    for (const Measured& each : all) {
        if (std::ranges::find(loads, each.load) == loads.end()) {
            loads.push_back(each.load);
        }
    }
    return loads;
}

/// Without a sign on nothing.
std::string whole(double value) {
    return fmt::format("{:.0f}", std::round(value) + 0.0);
}

void because(Claim& claim, std::string_view reason) {
    claim.reason += (claim.reason.empty() ? "" : "; ") + std::string(reason);
}

/// A row of table 3: `count` comparisons would be complete.
Claim table_claim(const std::string& id, std::uint64_t size_bytes, std::span<const Comparison> table) {
    constexpr std::size_t kComplete = 8;  // four workloads, two policies each
    std::string measured;
    std::size_t count = 0;
    std::size_t near = 0;
    std::size_t same = 0;
    for (const Comparison& each : table) {
        if (each.size_bytes == size_bytes) {
            measured += (count == 0                    ? each.load + " "
                         : each.against == "full_page" ? "/"
                                                       : ", " + each.load + " ") +
                        whole(each.measured);
            ++count;
            near += each.near() ? 1 : 0;
            same += each.same_direction() ? 1 : 0;
        }
    }
    std::string text;
    for (const PublishedReduction& each : published_reductions()) {
        if (each.size_bytes == size_bytes) {
            text += fmt::format("{}{} {:.0f}/{:.0f}", text.empty() ? "" : ", ", each.trace, each.against_half,
                                each.against_full);
        }
    }
    Claim claim;
    claim.id = id;
    claim.claim =
        fmt::format("{} KB: bsb reduces the mean penalty against half / full, %", size_bytes / hal::kKiB);
    claim.published = text + " %";
    claim.measured = measured + " %";
    claim.verdict = near == count      ? Verdict::reproduced
                    : same * 2 > count ? Verdict::partly
                                       : Verdict::not_reproduced;
    if (claim.verdict != Verdict::reproduced) {
        claim.reason = fmt::format("{} of {} numbers within {:.0f} points, {} on the same side", near, count,
                                   Comparison::kNear, same);
    }
    if (count < kComplete) {
        because(claim, kNotAll);
    }
    return claim;
}

/// The least and the greatest reduction of bsb against fixed policies at the smallest size.
struct Range {
    double least = 0.0;
    double greatest = 0.0;
    std::string least_where;
    std::string greatest_where;
    std::size_t count = 0;

    void add(double value, const std::string& where) {
        if (count == 0 || value < least) {
            least = value;
            least_where = where;
        }
        if (count == 0 || value > greatest) {
            greatest = value;
            greatest_where = where;
        }
        ++count;
    }
    [[nodiscard]] bool within() const { return count > 0 && least >= 7.0 && greatest <= 70.0; }
};

std::optional<Claim> claim_b4(std::span<const Measured> all) {
    Range every;
    Range published_ones;  // half and full, which the study's figure 6 has
    for (const Measured& each : all) {
        if (each.size_bytes != kSmallest || !each.policy.fixed() || published(each.load) == nullptr) {
            continue;
        }
        if (const auto value = reduction(all, each.load, kSmallest, each.policy.name)) {
            const std::string where = fmt::format("{}, {}", each.load, each.policy.name);
            every.add(*value, where);
            if (each.policy.name == "half_page" || each.policy.name == "full_page") {
                published_ones.add(*value, where);
            }
        }
    }
    if (every.count == 0) {
        return std::nullopt;
    }
    Claim claim;
    claim.id = "B4";
    claim.claim = "16 KB: bsb is better than every fixed policy, %";
    claim.published = "7 to 70 %";
    claim.measured = fmt::format("{} % ({}) to {} % ({})", whole(every.least), every.least_where,
                                 whole(every.greatest), every.greatest_where);
    claim.verdict = every.within()            ? Verdict::reproduced
                    : published_ones.within() ? Verdict::partly
                                              : Verdict::not_reproduced;
    if (claim.verdict != Verdict::reproduced && published_ones.count > 0) {
        claim.reason = fmt::format("against half and full alone, which the study prints: {} to {} %",
                                   whole(published_ones.least), whole(published_ones.greatest));
    }
    return claim;
}

/// Where a larger cache hits less often.
std::vector<std::string> shrinking(std::span<const Measured> all) {
    constexpr double kNoise = 0.001;  // a tenth of a percentage point
    std::vector<std::string> where;
    for (const Measured& each : all) {
        const Measured* larger = nullptr;
        for (const Measured& other : all) {
            const bool next = other.load == each.load && other.policy.name == each.policy.name &&
                              other.size_bytes > each.size_bytes &&
                              (larger == nullptr || other.size_bytes < larger->size_bytes);
            larger = next ? &other : larger;
        }
        if (larger != nullptr && larger->hit_ratio < each.hit_ratio - kNoise) {
            where.push_back(fmt::format("{} {} from {} to {} KB: {:.1f} to {:.1f} %", each.load,
                                        each.policy.name, each.size_bytes / hal::kKiB,
                                        larger->size_bytes / hal::kKiB, 100 * each.hit_ratio,
                                        100 * larger->hit_ratio));
        }
    }
    return where;
}

/// For each size that every load was run at, the fixed policy with the least mean penalty by load.
std::map<std::uint64_t, std::map<std::string, std::string>> best_fixed(std::span<const Measured> all) {
    std::map<std::uint64_t, std::map<std::string, const Measured*>> best;
    for (const Measured& each : all) {
        if (each.policy.fixed()) {
            const Measured*& so_far = best[each.size_bytes][each.load];
            so_far = so_far == nullptr || each.entries.total < so_far->entries.total ? &each : so_far;
        }
    }
    std::map<std::uint64_t, std::map<std::string, std::string>> names;
    for (const auto& [size, loads] : best) {
        for (const auto& [load, measured] : loads) {
            names[size][load] = measured->policy.name;
        }
    }
    return names;
}

std::optional<Claim> claim_b5(std::span<const Measured> all) {
    const auto best = best_fixed(all);
    if (best.empty() || best.begin()->second.size() < 2) {
        return std::nullopt;
    }
    const std::vector<std::string> worse = shrinking(all);
    std::size_t differs = 0;
    for (const auto& [size, loads] : best) {
        std::set<std::string> names;
        for (const auto& [load, name] : loads) {
            names.insert(name);
        }
        differs += names.size() > 1 ? 1 : 0;
    }
    std::string first;
    for (const auto& [load, name] : best.begin()->second) {
        first += fmt::format("{}{} {}", first.empty() ? "" : ", ", load, name);
    }
    Claim claim;
    claim.id = "B5";
    claim.claim = "a larger cache hits more often; the best fixed policy differs between workloads";
    claim.published = "yes; yes";
    claim.measured = fmt::format("{}; differs at {} of {} sizes (at {} KB: {})", worse.empty() ? "yes" : "no",
                                 differs, best.size(), best.begin()->first / hal::kKiB, first);
    claim.verdict = worse.empty() && differs == best.size() ? Verdict::reproduced
                    : worse.empty() || differs > 0          ? Verdict::partly
                                                            : Verdict::not_reproduced;
    if (!worse.empty()) {
        because(claim, "hits less often: " + worse.front() +
                           (worse.size() > 1 ? fmt::format(", and {} more", worse.size() - 1) : ""));
    }
    return claim;
}

std::optional<Claim> claim_b6(std::span<const LoadShape> shapes) {
    std::size_t count = 0;
    std::size_t right = 0;
    std::string measured;
    for (const LoadShape& each : shapes) {
        if (const PublishedLoad* load = published(each.load)) {
            ++count;
            right += each.shape.is(load->locality) ? 1 : 0;
            measured += fmt::format("{}{} {:.0f}/{:.0f}/{:.0f}", measured.empty() ? "" : ", ", each.load,
                                    100 * each.shape.negative, 100 * each.shape.near_ahead,
                                    100 * each.shape.far_ahead);
        }
    }
    if (count == 0) {
        return std::nullopt;
    }
    Claim claim;
    claim.id = "B6";
    claim.claim = "SLE: PC a short way forward, TPC-C a long way forward, Financial both ways";
    claim.published = "shape of figure 2";
    claim.measured = measured + " % behind / +1..63 / further ahead";
    claim.verdict = right == count ? Verdict::reproduced
                    : right > 0    ? Verdict::partly
                                   : Verdict::not_reproduced;
    claim.reason = "the workloads are models made after this description: this checks them, not the study";
    if (count < published_loads().size()) {
        because(claim, kNotAll);
    }
    return claim;
}

}  // namespace

bool Comparison::near() const {
    return std::abs(measured - published) <= kNear;
}

bool Comparison::same_direction() const {
    const auto side = [](double value) { return value > kEven ? 1 : value < -kEven ? -1 : 0; };
    return side(measured) == side(published);
}

std::optional<double> reduction(std::span<const Measured> all, const std::string& load,
                                std::uint64_t size_bytes, const std::string& policy) {
    const Measured* bsb = find(all, load, "bsb", size_bytes);
    const Measured* other = find(all, load, policy, size_bytes);
    if (bsb == nullptr || other == nullptr || other->entries.total <= 0.0) {
        return std::nullopt;
    }
    return 100.0 * (1.0 - bsb->entries.total / other->entries.total);
}

std::vector<Comparison> table_three(std::span<const Measured> all) {
    std::vector<Comparison> table;
    for (const std::string& load : loads_of(all)) {
        for (const PublishedReduction& row : published_reductions()) {
            if (published(load) == nullptr || published(load)->trace != row.trace) {
                continue;
            }
            for (const auto& [policy, value] :
                 {std::pair("half_page", row.against_half), std::pair("full_page", row.against_full)}) {
                if (const auto measured = reduction(all, load, row.size_bytes, policy)) {
                    table.push_back(Comparison{load, row.size_bytes, policy, value, *measured});
                }
            }
        }
    }
    return table;
}

bool Shape::is(Locality locality) const {
    switch (locality) {
        case Locality::short_forward:
            return zero_is_most_frequent && near_ahead > 0.5 && negative < 0.2;
        case Locality::long_forward:
            return zero_is_most_frequent && far_ahead > 0.5 && negative < 0.2 && least_quarter_ahead > 0.1;
        case Locality::both_ways:
            return zero_is_most_frequent && negative >= 0.3 && near_ahead + far_ahead >= 0.3 &&
                   near_ahead < 0.3 && top_fifth > 0.7;
    }
    return false;
}

Shape shape_of(const LoadProperties& properties) {
    constexpr std::int32_t kWindow = 64;  // entries of the largest forward window, 256 bytes
    constexpr std::int32_t kQuarter = 256;
    const SleHistogram& sle = properties.sle();
    const auto share = [&sle](std::int32_t first, std::int32_t last) {
        return sle.moved() == 0
                   ? 0.0
                   : static_cast<double>(sle.count(first, last)) / static_cast<double>(sle.moved());
    };
    Shape shape;
    shape.zero_is_most_frequent = true;
    for (std::int32_t distance = 1; distance <= kLargestDistance; ++distance) {
        shape.zero_is_most_frequent &=
            sle.count(distance) < sle.count(0) && sle.count(-distance) < sle.count(0);
    }
    shape.negative = share(-kLargestDistance, -1);
    shape.near_ahead = share(1, kWindow - 1);
    shape.far_ahead = share(kWindow, kLargestDistance);
    shape.least_quarter_ahead = 1.0;
    for (std::int32_t first = 1; first + kQuarter - 1 <= kLargestDistance + 1; first += kQuarter) {
        shape.least_quarter_ahead = std::min(shape.least_quarter_ahead,
                                             share(first, std::min(first + kQuarter - 1, kLargestDistance)));
    }
    shape.top_fifth = properties.share_of_top_fifth();
    return shape;
}

std::vector<Claim> claims_of(std::span<const Measured> all, std::span<const LoadShape> shapes, bool cut) {
    std::vector<Claim> claims;
    const std::vector<Comparison> table = table_three(all);
    for (const auto& [id, size] : {std::pair("B1", 16 * hal::kKiB), std::pair("B2", 32 * hal::kKiB),
                                   std::pair("B3", 64 * hal::kKiB)}) {
        if (std::ranges::any_of(table, [size = size](const auto& each) { return each.size_bytes == size; })) {
            claims.push_back(table_claim(id, size, table));
        }
    }
    for (auto& claim : {claim_b4(all), claim_b5(all), claim_b6(shapes)}) {
        if (claim) {
            claims.push_back(*claim);
        }
    }
    if (cut) {
        for (Claim& claim : claims) {
            because(claim, "of the beginning of the workloads (--limit)");
        }
    }
    return claims;
}

}  // namespace solidtlm::testbench::map_cache
