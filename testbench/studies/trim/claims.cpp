// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "testbench/studies/kit/claims.h"
#include "testbench/studies/trim/trim.h"

namespace solidtlm::testbench::trim {
namespace {

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, "; "));
}

/// Commands with one range.
Json single() {
    return {{"part", "ranges"}, {"ranges", 1}};
}

/// D1: the medians of all commands with one range, with page mapping and RZAT.
std::optional<Finding> scale(Points points) {
    constexpr double kPublishedUs = 200.0;  // of the faster of the two retail drives
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
    return Finding{joined(texts), verdict_of(slow == texts.size(), longest >= kPublishedUs)};
}

/// D2: size steps at which the time per megabyte falls.
std::optional<Finding> larger_is_cheaper(Points points) {
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
    const double share = static_cast<double>(falling) / static_cast<double>(steps);
    return Finding{fmt::format("falls at {} of {} steps of the size", falling, steps),
                   verdict_of(falling == steps, share >= kPartly)};
}

/// Ratios of the times of commands that differ only in `parameter`: its value true over false.
std::vector<double> ratios(Points points, const Json& wanted, const char* parameter) {
    std::vector<double> found;
    for (const Measured* point : select(points, with(wanted, parameter, true))) {
        Json other = point->parameters;
        other[parameter] = false;
        other.erase("commands");  // depends on the number of places
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

/// Claim D3.
std::optional<Finding> aligned_is_faster(Points points) {
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
    return Finding{joined(texts), verdict_of(share >= kReproduced, share >= kPartly)};
}

/// D4: the study's board and one retail drive are faster with contiguous ranges, the other is slower.
std::optional<Finding> contiguous(Points points) {
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
    return Finding{joined(texts), verdict_of(faster && slower, faster || slower)};
}

/// Claim D5.
std::optional<Finding> batching(Points points) {
    constexpr double kPublished = 0.923;
    constexpr double kClose = 0.05;
    constexpr double kPartly = 0.5;
    for (const Batching& pair : batchings(points)) {
        if (pair.single->text("drive") != "jasmine") {
            continue;
        }
        return Finding{fmt::format("{:+.1f} %", -pair.saved() * 100.0),
                       verdict_of(std::abs(pair.saved() - kPublished) <= kClose, pair.saved() >= kPartly)};
    }
    return std::nullopt;
}

/// D6: the largest gain of any benchmark on any drive.
std::optional<Finding> filesystem(Points points) {
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
    return Finding{fmt::format("up to {:+.1f} % ({})", *best * 100.0, where),
                   verdict_of(*best >= kLow && *best <= kHigh, *best >= kPartly)};
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
    static const std::vector<PublishedClaim> claims{
        {"D1", "time of a TRIM command of one range", "about 1000 us and more; 200 us and more", scale,
         "the work on a few map entries takes microseconds; what the retail drives do besides is not "
         "published, and the host's time is not counted here"},
        {"D2", "larger range: less time for each megabyte", "falls", larger_is_cheaper,
         "where the entries cost more than the command, a megabyte costs the same at any size"},
        {"D3", "start aligned to the size: faster than unaligned", "faster", aligned_is_faster,
         "only zeroing the units at the ends of a range costs more; where they are kept, an unaligned range "
         "has a unit less to unmap"},
        {"D4", "contiguous against scattered ranges, time of a command",
         "slower on one drive, faster on another and on Jasmine", contiguous,
         "these devices gain from contiguous ranges by lines of the map, or not at all; what makes a retail "
         "drive slower is not published"},
        {"D5", "64 ranges of 16 KB in one command against 64 commands, Jasmine", "-92.3 %", batching,
         "the board's firmware and the host's own time for a command are not published"},
        {"D6", "ext4 with batched TRIM, operations per second", "up to +35 %", filesystem,
         "freed neighbours are one extent, commits send their trims while the benchmark goes on, and a "
         "command "
         "costs tens of microseconds (D1), not a millisecond"}};
    return judge(claims, points);
}

}  // namespace solidtlm::testbench::trim
