// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "testbench/studies/kit/claims.h"
#include "testbench/studies/map_cache/map_cache.h"

namespace solidtlm::testbench::map_cache {
namespace {

constexpr std::uint64_t kSmallest = 16 * hal::kKiB;  // in table 3 of the study
constexpr const char* kNotAll = "not all that the claim speaks of was run";
constexpr const char* kPenalty = "penalty_entries_us";

/// A whole number; 0 has no sign.
std::string whole(double value) {
    return fmt::format("{:.0f}", std::round(value) + 0.0);
}

std::uint64_t kib_of(const Measured& point) {
    return point.parameters.at("cache_bytes").get<std::uint64_t>() / hal::kKiB;
}

void because(std::string& reason, const std::string& more) {
    reason += (reason.empty() ? "" : "; ") + more;
}

/// Appends to a list in text form.
void append(std::string& text, const std::string& more) {
    text += (text.empty() ? "" : ", ") + more;
}

/// Finding for a row of table 3.
std::optional<Finding> row_of_table(Points points, std::uint64_t size_bytes) {
    constexpr std::size_t kComplete = 8;  // four workloads with two policies each
    const std::vector<Measured> table = table_three(points);
    const Selected row = select(table, {{"cache_bytes", size_bytes}});
    if (row.empty()) {
        return std::nullopt;
    }
    std::string text;
    std::size_t close = 0;
    std::size_t same = 0;
    for (const Measured* each : row) {
        const double published = each->value("published");
        const double measured = each->value("measured");
        if (!text.empty() && each->text("policy") == "full_page") {
            text += "/" + whole(measured);
        } else {
            append(text, each->text("workload") + " " + whole(measured));
        }
        close += near(published, measured) ? 1 : 0;
        same += same_direction(published, measured) ? 1 : 0;
    }
    std::string reason;
    if (close < row.size()) {
        reason = fmt::format("{} of {} numbers within {:.0f} points, {} on the same side", close, row.size(),
                             kNear, same);
    }
    if (row.size() < kComplete) {
        because(reason, kNotAll);
    }
    return Finding{text + " %", verdict_of(close == row.size(), same * 2 > row.size()), reason};
}

PublishedClaim claim_on_row(const char* id, std::uint64_t size_bytes) {
    std::string published;
    for (const PublishedReduction& each : kPublishedReductions) {
        if (each.size_bytes == size_bytes) {
            append(published,
                   fmt::format("{} {:.0f}/{:.0f}", each.trace, each.against_half, each.against_full));
        }
    }
    return {id,
            fmt::format("{} KB: bsb reduces the mean penalty against half / full, %", size_bytes / hal::kKiB),
            published + " %", [size_bytes](Points points) { return row_of_table(points, size_bytes); }};
}

/// Reduction by bsb against a policy.
struct Reduction {
    double percent;
    std::string where;
};

bool within(const std::vector<Reduction>& all) {
    return !all.empty() &&
           std::ranges::all_of(all, [](const auto& each) { return each.percent >= 7 && each.percent <= 70; });
}

/// Claim B4.
std::optional<Finding> better_than_fixed(Points points) {
    std::vector<Reduction> all;
    std::vector<Reduction> printed;  // against half and full, which figure 6 of the study shows
    for (const Measured* each : select(points, {{"cache_bytes", kSmallest}})) {
        const std::string load = each->text("workload");
        const std::string policy = each->text("policy");
        const auto percent = reduction(points, load, kSmallest, policy);
        if (percent && fixed_window(policy) && published(load) != nullptr) {
            all.push_back({*percent, fmt::format("{}, {}", load, policy)});
            if (policy == "half_page" || policy == "full_page") {
                printed.push_back(all.back());
            }
        }
    }
    if (all.empty()) {
        return std::nullopt;
    }
    const auto least = [](const auto& of) { return *std::ranges::min_element(of, {}, &Reduction::percent); };
    const auto most = [](const auto& of) { return *std::ranges::max_element(of, {}, &Reduction::percent); };
    Finding finding{fmt::format("{} % ({}) to {} % ({})", whole(least(all).percent), least(all).where,
                                whole(most(all).percent), most(all).where),
                    verdict_of(within(all), within(printed))};
    if (!within(all) && !printed.empty()) {
        finding.reason = fmt::format("against half and full alone, which the study prints: {} to {} %",
                                     whole(least(printed).percent), whole(most(printed).percent));
    }
    return finding;
}

/// Cases in which a larger cache hits less often.
std::vector<std::string> shrinking(Points points) {
    constexpr double kNoise = 0.001;  // a tenth of a percentage point
    std::vector<std::string> where;
    for (Selected sizes : groups_of(select(points), {"workload", "policy"})) {
        std::ranges::sort(sizes, {}, [](const Measured* each) { return each->value("cache_bytes"); });
        for (std::size_t i = 1; i < sizes.size(); ++i) {
            const double hits = sizes[i - 1]->value("hit_ratio");
            const double larger_hits = sizes[i]->value("hit_ratio");
            if (larger_hits < hits - kNoise) {
                where.push_back(fmt::format("{} {} from {} to {} KB: {:.1f} to {:.1f} %",
                                            sizes[i]->text("workload"), sizes[i]->text("policy"),
                                            kib_of(*sizes[i - 1]), kib_of(*sizes[i]), kPercent * hits,
                                            kPercent * larger_hits));
            }
        }
    }
    return where;
}

/// For each size and load, the fixed policy with the smallest mean penalty.
using BestFixed = std::map<std::uint64_t, std::map<std::string, const Measured*>>;
BestFixed best_fixed(Points points) {
    BestFixed best;
    for (const Measured& each : points) {
        if (fixed_window(each.text("policy"))) {
            const Measured*& so_far = best[each.parameters.at("cache_bytes")][each.text("workload")];
            so_far = so_far == nullptr || each.value(kPenalty) < so_far->value(kPenalty) ? &each : so_far;
        }
    }
    return best;
}

/// Claim B5.
std::optional<Finding> growth_and_bests(Points points) {
    const BestFixed best = best_fixed(points);
    if (best.empty() || best.begin()->second.size() < 2) {
        return std::nullopt;
    }
    const auto differ = [](const auto& size) {
        return std::ranges::any_of(size.second, [&size](const auto& load) {
            return load.second->text("policy") != size.second.begin()->second->text("policy");
        });
    };
    const auto differing = static_cast<std::size_t>(std::ranges::count_if(best, differ));
    std::string first;
    for (const auto& [load, point] : best.begin()->second) {
        append(first, load + " " + point->text("policy"));
    }
    const std::vector<std::string> worse = shrinking(points);
    std::string reason;
    if (!worse.empty()) {
        reason = "hits less often: " + worse.front() +
                 (worse.size() > 1 ? fmt::format(", and {} more", worse.size() - 1) : "");
    }
    return Finding{fmt::format("{}; differs at {} of {} sizes (at {} KB: {})", worse.empty() ? "yes" : "no",
                               differing, best.size(), best.begin()->first / hal::kKiB, first),
                   verdict_of(worse.empty() && differing == best.size(), worse.empty() || differing > 0),
                   reason};
}

/// Claim B6.
std::optional<Finding> shapes(std::span<const Load> loads) {
    std::size_t count = 0;
    std::size_t right = 0;
    std::string measured;
    for (const Load& each : loads) {
        if (const PublishedLoad* load = published(each.name)) {
            const Shape shape = shape_of(each.properties);
            ++count;
            right += shape.is(load->locality) ? 1 : 0;
            append(measured, fmt::format("{} {:.0f}/{:.0f}/{:.0f}", each.name, kPercent * shape.negative,
                                         kPercent * shape.near_ahead, kPercent * shape.far_ahead));
        }
    }
    if (count == 0) {
        return std::nullopt;
    }
    std::string reason =
        "the workloads are models made after this description: this checks them, not the study";
    if (count < kPublishedLoads.size()) {
        because(reason, kNotAll);
    }
    return Finding{measured + " % behind / +1..63 / further ahead", verdict_of(right == count, right > 0),
                   reason};
}

}  // namespace

const PublishedLoad* published(const std::string& load) {
    const auto* const found = std::ranges::find(kPublishedLoads, load, &PublishedLoad::name);
    return found == kPublishedLoads.end() ? nullptr : found;
}

std::optional<double> reduction(Points points, const std::string& load, std::uint64_t size_bytes,
                                const std::string& policy) {
    const Json at{{"workload", load}, {"cache_bytes", size_bytes}};
    const Measured* bsb = find(points, with(at, "policy", "bsb"));
    const Measured* other = find(points, with(at, "policy", policy));
    if (bsb == nullptr || other == nullptr || other->value(kPenalty) <= 0.0) {
        return std::nullopt;
    }
    return kPercent * (1.0 - bsb->value(kPenalty) / other->value(kPenalty));
}

std::vector<Measured> table_three(Points points) {
    std::vector<Measured> table;
    for (const Json& name : values_of(select(points), "workload")) {
        const auto load = name.get<std::string>();
        for (const PublishedReduction& row : kPublishedReductions) {
            if (published(load) == nullptr || published(load)->trace != row.trace) {
                continue;
            }
            for (const auto& [policy, value] :
                 {std::pair("half_page", row.against_half), std::pair("full_page", row.against_full)}) {
                if (const auto measured = reduction(points, load, row.size_bytes, policy)) {
                    table.push_back({{{"workload", load},
                                      {"policy", policy},
                                      {"against", load + ", " + policy},
                                      {"cache_bytes", row.size_bytes}},
                                     {{"published", value}, {"measured", *measured}}});
                }
            }
        }
    }
    return table;
}

bool near(double published, double measured) {
    return std::abs(measured - published) <= kNear;
}

bool same_direction(double published, double measured) {
    const auto side = [](double value) { return value > kEven ? 1 : value < -kEven ? -1 : 0; };
    return side(measured) == side(published);
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
    constexpr std::int32_t kWindow = 64;  // entries in the largest forward window, 256 bytes
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

std::vector<Claim> claims_of(Points points, std::span<const Load> loads, bool cut) {
    std::vector<Claim> claims =
        judge({claim_on_row("B1", 16 * hal::kKiB),
               claim_on_row("B2", 32 * hal::kKiB),
               claim_on_row("B3", 64 * hal::kKiB),
               {"B4", "16 KB: bsb is better than every fixed policy, %", "7 to 70 %", better_than_fixed},
               {"B5", "a larger cache hits more often; the best fixed policy differs between workloads",
                "yes; yes", growth_and_bests},
               {"B6", "SLE: PC a short way forward, TPC-C a long way forward, Financial both ways",
                "shape of figure 2", [loads](Points) { return shapes(loads); }}},
              points);
    if (cut) {
        for (Claim& claim : claims) {
            because(claim.reason, "of the beginning of the workloads (--limit)");
        }
    }
    return claims;
}

}  // namespace solidtlm::testbench::map_cache
