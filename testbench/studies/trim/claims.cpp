// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/trim/claims.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace solidtlm::testbench::trim {
namespace {

using Points = std::span<const Measured>;
using Pointers = std::vector<const Measured*>;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, "; "));
}

/// Commands that carry one range.
Json single() {
    return {{"part", "ranges"}, {"ranges", 1}};
}

/// D1: the medians of all commands with one range, page mapping, RZAT.
std::optional<Claim> scale(Points points) {
    constexpr double kPublishedUs = 200.0;  // the faster of the two retail drives
    const Json page = with(with(single(), "mapping", "page"), "partial", "zeroed");
    std::vector<std::string> texts;
    std::size_t slow = 0;
    double longest = 0.0;
    for (const Json& device : values_of(select(points, page), "device")) {
        std::vector<double> times;
        for (const Measured* point : select(points, with(page, "device", device))) {
            times.push_back(point->value("command_us"));
        }
        const auto [least, most] = std::ranges::minmax(times);
        const double typical = median(times);
        texts.push_back(fmt::format("{} {:.0f}-{:.0f} us, median {:.0f}", device.get<std::string>(), least,
                                    most, typical));
        slow += typical >= kPublishedUs ? 1 : 0;
        longest = std::max(longest, most);
    }
    if (texts.empty()) {
        return std::nullopt;
    }
    Claim claim;
    claim.id = "D1";
    claim.claim = "time of a TRIM command of one range";
    claim.published = "about 1000 us and more; 200 us and more";
    claim.measured = joined(texts);
    claim.verdict = slow == texts.size()      ? Verdict::reproduced
                    : longest >= kPublishedUs ? Verdict::partly
                                              : Verdict::not_reproduced;
    if (claim.verdict != Verdict::reproduced) {
        claim.reason =
            "the work on a few map entries takes microseconds; what the retail drives do besides is not "
            "published, and the host's time is not counted here";
    }
    return claim;
}

/// D2: steps of the size at which the time of a megabyte falls.
std::optional<Claim> larger_is_cheaper(Points points) {
    constexpr double kPartly = 0.8;
    std::size_t steps = 0;
    std::size_t falling = 0;
    const Measured* before = nullptr;
    for (const Measured* point : select(points, single())) {
        const bool same = before != nullptr && before->text("device") == point->text("device") &&
                          before->parameters["contiguous"] == point->parameters["contiguous"] &&
                          before->parameters["aligned"] == point->parameters["aligned"];
        if (same) {
            ++steps;
            falling += point->value("us_per_mb") < before->value("us_per_mb") ? 1 : 0;
        }
        before = point;
    }
    if (steps == 0) {
        return std::nullopt;
    }
    Claim claim;
    claim.id = "D2";
    claim.claim = "larger range: less time for each megabyte";
    claim.published = "falls";
    claim.measured = fmt::format("falls at {} of {} steps of the size", falling, steps);
    const double share = static_cast<double>(falling) / static_cast<double>(steps);
    claim.verdict = falling == steps   ? Verdict::reproduced
                    : share >= kPartly ? Verdict::partly
                                       : Verdict::not_reproduced;
    if (falling != steps) {
        claim.reason = "where the entries cost more than the command, a megabyte costs the same at any size";
    }
    return claim;
}

/// Ratios of the times of commands that differ in `parameter` alone: with true over with false.
std::vector<double> ratios(Points points, const Json& wanted, const char* parameter) {
    std::vector<double> found;
    for (const Measured* point : select(points, with(wanted, parameter, true))) {
        Json other = point->parameters;
        other[parameter] = false;
        other.erase("commands");  // as many as there are places for
        for (const Measured* partner : select(points, other)) {
            found.push_back(point->value("command_us") / partner->value("command_us"));
        }
    }
    return found;
}

double share_below(const std::vector<double>& values, double limit) {
    const auto below = std::ranges::count_if(values, [limit](double value) { return value < limit; });
    return static_cast<double>(below) / static_cast<double>(values.size());
}

/// D3
std::optional<Claim> aligned_is_faster(Points points) {
    constexpr double kReproduced = 0.9;
    constexpr double kPartly = 0.5;
    std::vector<std::string> texts;
    std::vector<double> all;
    for (const char* partial : {"zeroed", "kept"}) {
        const std::vector<double> some =
            ratios(points, {{"part", "ranges"}, {"partial", partial}}, "aligned");
        if (!some.empty()) {
            texts.push_back(fmt::format(
                "sectors of partly covered units {}: faster in {:.0f} % of {} pairs, median {:+.0f} %",
                partial, share_below(some, 1.0) * 100.0, some.size(), (median(some) - 1.0) * 100.0));
            all.insert(all.end(), some.begin(), some.end());
        }
    }
    if (all.empty()) {
        return std::nullopt;
    }
    const double share = share_below(all, 1.0);
    Claim claim;
    claim.id = "D3";
    claim.claim = "start aligned to the size: faster than unaligned";
    claim.published = "faster";
    claim.measured = joined(texts);
    claim.verdict = share >= kReproduced ? Verdict::reproduced
                    : share >= kPartly   ? Verdict::partly
                                         : Verdict::not_reproduced;
    if (claim.verdict != Verdict::reproduced) {
        claim.reason =
            "only zeroing the units at the ends of a range costs more; where they are kept, an "
            "unaligned range has a unit less to unmap";
    }
    return claim;
}

/// D4: the study's board and one retail drive are faster with contiguous ranges, the other is slower.
std::optional<Claim> contiguous(Points points) {
    constexpr double kEqual = 0.01;
    std::vector<std::string> texts;
    bool faster = false;
    bool slower = false;
    for (const Json& device : values_of(select(points, {{"part", "ranges"}}), "device")) {
        const std::vector<double> all =
            ratios(points, {{"part", "ranges"}, {"device", device}, {"aligned", true}}, "contiguous");
        if (all.empty()) {
            continue;
        }
        const double typical = median(all);
        faster |= typical < 1.0 - kEqual;
        slower |= typical > 1.0 + kEqual;
        texts.push_back(fmt::format("{} {:+.0f} %", device.get<std::string>(), (typical - 1.0) * 100.0));
    }
    if (texts.empty()) {
        return std::nullopt;
    }
    Claim claim;
    claim.id = "D4";
    claim.claim = "contiguous against scattered ranges, time of a command";
    claim.published = "slower on one drive, faster on another and on Jasmine";
    claim.measured = joined(texts);
    claim.verdict = faster && slower   ? Verdict::reproduced
                    : faster || slower ? Verdict::partly
                                       : Verdict::not_reproduced;
    if (claim.verdict != Verdict::reproduced) {
        claim.reason =
            "these devices gain from contiguous ranges by lines of the map, or not at all; what makes "
            "a retail drive slower is not published";
    }
    return claim;
}

/// D5
std::optional<Claim> batching(Points points) {
    constexpr double kPublished = 0.923;
    constexpr double kClose = 0.05;
    constexpr double kPartly = 0.5;
    for (const Batching& pair : batchings(points)) {
        if (pair.single->text("drive") != "jasmine") {
            continue;
        }
        Claim claim;
        claim.id = "D5";
        claim.claim = "64 ranges of 16 KB in one command against 64 commands, Jasmine";
        claim.published = "-92.3 %";
        claim.measured = fmt::format("{:+.1f} %", -pair.saved() * 100.0);
        claim.verdict = std::abs(pair.saved() - kPublished) <= kClose ? Verdict::reproduced
                        : pair.saved() >= kPartly                     ? Verdict::partly
                                                                      : Verdict::not_reproduced;
        if (claim.verdict != Verdict::reproduced) {
            claim.reason = "the board's firmware and the host's own time for a command are not published";
        }
        return claim;
    }
    return std::nullopt;
}

/// D6: the largest gain of any benchmark on any drive.
std::optional<Claim> filesystem(Points points) {
    constexpr double kLow = 0.25;
    constexpr double kHigh = 0.45;
    constexpr double kPartly = 0.05;
    std::optional<double> best;
    std::string where;
    for (const Measured* one : select(points, {{"part", "filesystem"}, {"discard", "per_extent"}})) {
        for (const Measured* many : select(points, with(one->parameters, "discard", "batched"))) {
            const double gain =
                many->value("synced_operations_per_s") / one->value("synced_operations_per_s") - 1.0;
            if (!best || gain > *best) {
                best = gain;
                where = one->text("benchmark") + ", " + one->text("device");
            }
        }
    }
    if (!best) {
        return std::nullopt;
    }
    Claim claim;
    claim.id = "D6";
    claim.claim = "ext4 with batched TRIM, operations a second";
    claim.published = "up to +35 %";
    claim.measured = fmt::format("up to {:+.1f} % ({})", *best * 100.0, where);
    claim.verdict = *best >= kLow && *best <= kHigh ? Verdict::reproduced
                    : *best >= kPartly              ? Verdict::partly
                                                    : Verdict::not_reproduced;
    if (claim.verdict != Verdict::reproduced) {
        claim.reason =
            "freed neighbours are one extent, commits send their trims while the benchmark goes on, and a "
            "command "
            "costs tens of microseconds (D1), not a millisecond";
    }
    return claim;
}

}  // namespace

std::vector<Batching> batchings(Points points) {
    const Json both{{"part", "ranges"},
                    {"mapping", "page"},
                    {"range_bytes", kStudyRangeBytes},
                    {"contiguous", false},
                    {"aligned", true}};
    std::vector<Batching> found;
    for (const Measured* one : select(points, with(both, "ranges", 1))) {
        for (const Measured* many :
             select(points, with(with(both, "ranges", kStudyRanges), "device", one->text("device")))) {
            found.push_back(Batching{one, many});
        }
    }
    return found;
}

std::vector<Claim> claims_of(Points points) {
    std::vector<Claim> claims;
    for (const auto& claim : {scale(points), larger_is_cheaper(points), aligned_is_faster(points),
                              contiguous(points), batching(points), filesystem(points)}) {
        if (claim) {
            claims.push_back(*claim);
        }
    }
    return claims;
}

}  // namespace solidtlm::testbench::trim
