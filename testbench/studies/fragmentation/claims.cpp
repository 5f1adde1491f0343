// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/claims.h"

#include <fmt/format.h>

#include <cmath>

#include "testbench/studies/fragmentation/fragmentation.h"
#include "testbench/studies/kit/tables.h"

namespace solidtlm::testbench::fragmentation {
namespace {

std::string percent(double value) {
    return fmt::format("{:.1f} %", value);
}

/// FAST with full striping and the rule, the system of the study's figures.
const Measured* studied(Points points, const char* load) {
    return find(points, {{"load", load}, {"layer", "fast"}, {"striping", "full"}, {"sequential_rule", true}});
}

/// Block utilisation of page mapping on a load: the lower value of striped and not striped.
std::optional<double> of_page_map(Points points, const char* load) {
    std::optional<double> least;
    for (const Measured* each : select(points, {{"layer", "page_map"}, {"load", load}})) {
        if (const auto utilisation = each->find("utilisation")) {
            least = std::min(least.value_or(*utilisation), *utilisation);
        }
    }
    return least;
}

/// Claim A1.
std::optional<Finding> page_map(Points points) {
    constexpr double kAllFull = 99.0;  // the rest are blocks that are still being filled
    constexpr double kNearlyFull = 95.0;
    const auto iozone = of_page_map(points, kIozone);
    const auto pc = of_page_map(points, kPcApplication);
    if (!iozone || !pc) {
        return std::nullopt;
    }
    const double least = std::min(*iozone, *pc);
    return Finding{percent(*iozone) + " / " + percent(*pc),
                   verdict_of(least >= kAllFull, least >= kNearlyFull),
                   least < 100.0 ? "blocks that are still being filled count as allocated" : ""};
}

/// Claim A2.
std::optional<Finding> utilisation(Points points) {
    constexpr double kHigh = 75.0;
    constexpr double kVeryLow = 25.0;
    const Measured* iozone = studied(points, kIozone);
    const Measured* pc = studied(points, kPcApplication);
    if (iozone == nullptr || pc == nullptr || !iozone->find("utilisation") || !pc->find("utilisation")) {
        return std::nullopt;
    }
    const double high = iozone->value("utilisation");
    const double low = pc->value("utilisation");
    return Finding{percent(high) + " / " + percent(low),
                   verdict_of(high >= kHigh && low <= kVeryLow, high > low)};
}

/// A3 and A4: whether the share of update_wasted is within `near` or `far` percentage points of the published
/// one.
auto wasted(const char* load, double published, double near, double far) {
    return [=](Points points) -> std::optional<Finding> {
        const Measured* point = studied(points, load);
        if (point == nullptr) {
            return std::nullopt;
        }
        const double off = std::abs(point->value("wasted") - published);
        return Finding{percent(point->value("wasted")), verdict_of(off <= near, off <= far)};
    };
}

/// The reason for the rule's cost: only merges cost time, and only an exhausted log is merged.
std::string merge_reason(const Measured& with, const Measured& without) {
    const auto merges = [](const Measured& point) {
        return *sum_of({"merges_dropped", "merges_switched", "merges_partial", "merges_full"})(point);
    };
    if (with.value("pages_copied") + without.value("pages_copied") == 0.0) {
        return fmt::format(
            "{:.0f} pages went to the log with the rule and {:.0f} without, and neither had to copy a page: "
            "the log has room for all of them",
            with.value("log_pages"), without.value("log_pages"));
    }
    return fmt::format("{:.0f} merges copied {:.0f} pages with the rule, {:.0f} copied {:.0f} without",
                       merges(with), with.value("pages_copied"), merges(without),
                       without.value("pages_copied"));
}

/// A5 and A6: change of throughput in percent, judged by `verdict`.
auto cost(const char* load, Verdict (*verdict)(double)) {
    return [=](Points points) -> std::optional<Finding> {
        const Measured* point = studied(points, load);
        const auto change = point != nullptr ? cost_of_rule(points, *point) : std::nullopt;
        if (!change) {
            return std::nullopt;
        }
        Finding found{
            fmt::format("{:+.1f} %{}", *change, point->find("mb_per_s") ? "" : " (flash work, not timed)"),
            verdict(*change)};
        if (found.verdict != Verdict::reproduced) {
            found.reason =
                merge_reason(*point, *find(points, with(point->parameters, "sequential_rule", false)));
        }
        return found;
    };
}

constexpr double kHardlyAny = 10.0;  ///< change of throughput, percent

Verdict slower(double change) {
    constexpr double kPublished = -40.0;
    constexpr double kNear = 10.0;
    return verdict_of(std::abs(change - kPublished) <= kNear, change <= -kHardlyAny);
}

Verdict no_difference(double change) {
    constexpr double kNone = 5.0;
    return verdict_of(std::abs(change) <= kNone, std::abs(change) <= kHardlyAny);
}

/// Claim A7.
std::optional<Finding> speed_up(Points points) {
    constexpr double kPublished = 4.0;  // upper limit
    constexpr double kReached = 0.95;   // share of the limit
    constexpr double kOff = 0.05;       // deviation from the closed form
    double best = 0.0;
    bool as_computed = true;
    std::string shown;
    for (const Measured* full : select(points, {{"part", "speed_up"}, {"striping", "full"}})) {
        if (const Measured* none = find(points, with(full->parameters, "striping", "none"))) {
            const double times = none->value("flash_us") / full->value("flash_us");
            const double expected = full->value("expected");
            best = std::max(best, times);
            as_computed &= std::abs(times / expected - 1.0) <= kOff;
            shown += fmt::format("{}{:.2f} on {} ({:.2f} by formula)", shown.empty() ? "" : ", ", times,
                                 counted(full->parameters["channels"], "channel"), expected);
        }
    }
    if (shown.empty()) {
        return std::nullopt;
    }
    const bool possible = best <= kPublished * (1.0 + kOff);
    return Finding{
        shown, verdict_of(as_computed && best >= kReached * kPublished && possible, best > 1.0 && possible),
        as_computed ? "" : "not what the times of bus and array give"};
}

}  // namespace

std::vector<Claim> claims_of(Points points) {
    static const std::vector<PublishedClaim> claims{
        {"A1", "page mapping, block utilisation, IOzone / PC application", "100 % / 100 %", page_map},
        {"A2", "FAST, full striping, block utilisation: IOzone high, PC application very low",
         "high / very low (figure)", utilisation},
        {"A3", "FAST, full striping, share of update_wasted, PC application", "about 40 %",
         wasted(kPcApplication, 40.0, 5.0, 15.0)},
        {"A4", "FAST, full striping, share of update_wasted, IOzone", "small",
         wasted(kIozone, 0.0, 5.0, 10.0)},
        {"A5", "FAST, full striping, throughput with the sequential rule against without, PC application",
         "-40 %", cost(kPcApplication, slower)},
        {"A6", "FAST, full striping, throughput with the sequential rule against without, IOzone",
         "nearly no difference", cost(kIozone, no_difference)},
        {"A7", "full striping over 4 dies against none, one write of 8 pages", "up to 4 times as fast",
         speed_up}};
    return judge(claims, points);
}

}  // namespace solidtlm::testbench::fragmentation
