// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/claims.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>

namespace solidtlm::testbench::dedup {
namespace {

constexpr const char* kWebvm = "webvm";
constexpr const char* kInstall = "app_install";

/// What was measured on the study's workloads, and what was measured in words.
struct Found {
    std::vector<double> study;
    std::string text;
};

/// `measure` on every load, the study's first as they come; `show` makes words of a value.
Found measure_all(Points points, const std::function<std::optional<double>(const std::string&)>& measure,
                  const std::function<std::string(double)>& show) {
    Found found;
    for (const std::string& load : loads_of(points)) {
        if (const auto value = measure(load)) {
            fmt::format_to(std::back_inserter(found.text), "{}{} {}", found.text.empty() ? "" : "; ", load,
                           show(*value));
            if (load == kWebvm || load == kInstall) {
                found.study.push_back(*value);
            }
        }
    }
    return found;
}

std::string percent(double share) {
    return fmt::format("{:+.0f} %", 100.0 * share);
}

std::size_t count(const std::vector<double>& values, const std::function<bool(double)>& holds) {
    return static_cast<std::size_t>(std::ranges::count_if(values, holds));
}

/// Reproduced when all values are `good`, partly when all are at least `fair`.
Verdict verdict_of(const std::vector<double>& values, const std::function<bool(double)>& good,
                   const std::function<bool(double)>& fair) {
    return count(values, good) == values.size()   ? Verdict::reproduced
           : count(values, fair) == values.size() ? Verdict::partly
                                                  : Verdict::not_reproduced;
}

/// A ratio of the two systems less 1.
auto change(Points points, const char* over, const char* under, const char* value) {
    return [points, over, under, value](const std::string& load) -> std::optional<double> {
        const auto found = ratio(find(points, load, over), find(points, load, under), value);
        return found ? std::optional(*found - 1.0) : std::nullopt;
    };
}

/// C1
std::optional<Claim> response(Points points) {
    constexpr double kNear = 0.05;
    constexpr double kWebvmPublished = -0.15;
    constexpr double kInstallPublished = -0.12;
    const auto measure = change(points, "offline_crc32", "online", "write_mean_us");
    const Found found = measure_all(points, measure, percent);
    if (found.study.empty()) {
        return std::nullopt;
    }
    Claim claim;
    claim.id = "C1";
    claim.claim = "mean write response, offline_crc32 against online: WebVM, install";
    claim.published = "-15 %, -12 %";
    claim.measured = found.text;
    const auto near = [&measure](const char* load, double published) {
        const auto value = measure(load);
        return !value || std::abs(*value - published) <= kNear;
    };
    const bool all_near = near(kWebvm, kWebvmPublished) && near(kInstall, kInstallPublished);
    const std::size_t shorter = count(found.study, [](double value) { return value < 0.0; });
    claim.verdict = all_near ? Verdict::reproduced : shorter > 0 ? Verdict::partly : Verdict::not_reproduced;
    if (!all_near) {
        claim.reason =
            "how many chips work in parallel, how long requests are and how they queue is not published; MD5 "
            "runs in "
            "one unit, so that long requests and bursts wait for it, while pages are programmed side by side";
    }
    return claim;
}

/// C2
std::optional<Claim> time_saved(Points points) {
    constexpr double kPublished = -0.70;
    constexpr double kPartly = -0.35;
    const auto in_all = change(points, "offline_crc32", "offline", "dedup_total_s");
    const auto a_page = change(points, "offline_crc32", "offline", "dedup_page_us");
    const Found found = measure_all(points, in_all, percent);
    const Found page = measure_all(points, a_page, percent);
    if (found.study.empty()) {
        return std::nullopt;
    }
    const auto enough = [](double value) { return value <= kPublished; };
    Claim claim;
    claim.id = "C2";
    claim.claim = "time spent deduplicating, offline_crc32 against offline";
    claim.published = "-70 % or better";
    claim.measured = fmt::format("{}. For each page decided: {}", found.text, page.text);
    claim.verdict = verdict_of(found.study, enough, [](double value) { return value <= kPartly; });
    if (claim.verdict == Verdict::not_reproduced && !page.study.empty() &&
        count(page.study, enough) == page.study.size()) {
        claim.verdict = Verdict::partly;
    }
    if (claim.verdict != Verdict::reproduced) {
        claim.reason =
            "reading a page takes four times tR here, because it crosses the bus; and where idle time is "
            "short, "
            "offline does not come to most of its pages (column waiting), so that its time is what there was";
    }
    return claim;
}

/// C3
std::optional<Claim> separated_is_slower(Points points) {
    const Found found =
        measure_all(points, change(points, "offline_separated", "offline", "dedup_total_s"), percent);
    if (found.study.empty()) {
        return std::nullopt;
    }
    const std::size_t more = count(found.study, [](double value) { return value > 0.0; });
    Claim claim;
    claim.id = "C3";
    claim.claim = "time spent deduplicating, offline_separated against offline";
    claim.published = "more";
    claim.measured = found.text;
    claim.verdict = more == found.study.size() ? Verdict::reproduced
                    : more > 0                 ? Verdict::partly
                                               : Verdict::not_reproduced;
    if (claim.verdict != Verdict::reproduced) {
        claim.reason = "the CRC32 comes on top of the same fingerprints, unless idle time ends before them";
    }
    return claim;
}

/// C4
std::optional<Claim> candidates(Points points) {
    const Found found = measure_all(
        points,
        [points](const std::string& load) { return candidate_share(find(points, load, "offline_crc32")); },
        [](double share) { return fmt::format("{:.0f} %", 100.0 * share); });
    if (found.study.empty()) {
        return std::nullopt;
    }
    Claim claim;
    claim.id = "C4";
    claim.claim = "pages the CRC32 marks as possibly duplicate, of those that offline has to check";
    claim.published = "about half";
    claim.measured = found.text;
    claim.verdict = verdict_of(
        found.study, [](double share) { return share >= 0.4 && share <= 0.6; },
        [](double share) { return share >= 0.25 && share <= 0.75; });
    if (claim.verdict != Verdict::reproduced) {
        claim.reason =
            "a CRC32 that was met before is nearly always a real duplicate, so that the share is that of "
            "repeated "
            "contents: 30 and 35 % are what the study itself gives";
    }
    return claim;
}

/// C5. Loads that leave next to nothing to collect say nothing about it.
std::optional<Claim> collection(Points points) {
    constexpr double kLeast = 0.01;  // of the pages written
    constexpr std::array<const char*, 2> kOthers{"offline", "offline_separated"};
    bool lowest = true;
    std::vector<double> gains;  // of the study's workloads, against offline
    std::string text;
    for (const std::string& load : loads_of(points)) {
        const Measured* crc32 = find(points, load, "offline_crc32");
        for (const char* other : kOthers) {
            const auto times = ratio(find(points, load, other), crc32, "gc_moved_pages");
            if (!times || crc32->value("gc_moved_pages") < kLeast * crc32->value("written_pages")) {
                continue;
            }
            fmt::format_to(std::back_inserter(text), "{}{}: {} {:.2f} x", text.empty() ? "" : "; ", load,
                           other, *times);
            if (load == kWebvm || load == kInstall) {
                lowest &= *times >= 1.0;
                if (other == kOthers.front()) {
                    gains.push_back(*times);
                }
            }
        }
    }
    if (gains.empty()) {
        return std::nullopt;
    }
    const bool most_on_install =
        gains.size() < 2 || gains.back() > gains.front();  // in the order of the loads
    Claim claim;
    claim.id = "C5";
    claim.claim = "page copies during GC, other offline systems over offline_crc32; most on install";
    claim.published = "lowest; up to 3.85 x";
    claim.measured = text;
    claim.verdict = lowest && most_on_install ? Verdict::reproduced
                    : lowest                  ? Verdict::partly
                                              : Verdict::not_reproduced;
    if (claim.verdict != Verdict::reproduced) {
        claim.reason =
            "idle time ends before most pages have been looked at (column waiting), so that they are "
            "collected first; with longer pauses or slower arrivals the order is the published one (part "
            "sensitivity)";
    }
    return claim;
}

/// C6
std::optional<Claim> power_loss(Points points) {
    std::string losses;
    std::optional<bool> online_loses;
    std::size_t sound = 0;
    bool others_lose = false;
    bool offline = false;
    for (const Measured* point : select(points, {{"part", "power"}})) {
        const bool lost = point->value("lost_pages") > 0.0;
        const bool bare = point->parameters.value("protection", "") == "none";
        if (bare && point->text("moment") == "at_once") {
            online_loses = lost;
        }
        others_lose |= !bare && lost;
        offline |= point->text("system").starts_with("offline");
        sound += lost ? 0 : 1;
        if (lost) {
            fmt::format_to(std::back_inserter(losses), "{}{}, {}: {:.0f} of {:.0f}; ", point->text("system"),
                           bare ? " without protection" : "", point->text("moment"),
                           point->value("lost_pages"), point->value("pages_at_risk"));
        }
    }
    if (!online_loses || !offline) {
        return std::nullopt;
    }
    Claim claim;
    claim.id = "C6";
    claim.claim = "sudden power-off after acknowledged and flushed duplicates: pages lost";
    claim.published = "online without super-capacitor loses them, offline nothing";
    claim.measured = fmt::format("{}none in {} other runs", losses, sound);
    claim.verdict = *online_loses && !others_lose   ? Verdict::reproduced
                    : *online_loses || !others_lose ? Verdict::partly
                                                    : Verdict::not_reproduced;
    return claim;
}

}  // namespace

const Measured* find(Points points, const std::string& load, const std::string& system) {
    const auto found = select(points, {{"part", "systems"}, {"load", load}, {"system", system}});
    return found.empty() ? nullptr : found.front();
}

std::optional<double> ratio(const Measured* over, const Measured* under, const char* value) {
    if (over == nullptr || under == nullptr || under->value(value) <= 0.0) {
        return std::nullopt;
    }
    return over->value(value) / under->value(value);
}

std::optional<double> candidate_share(const Measured* crc32) {
    if (crc32 == nullptr || crc32->value("written_pages") <= 0.0) {
        return std::nullopt;
    }
    return crc32->value("candidates") / crc32->value("written_pages");
}

std::vector<std::string> loads_of(Points points) {
    std::vector<std::string> loads;
    for (const Json& load : values_of(select(points, {{"part", "systems"}}), "load")) {
        loads.push_back(load.get<std::string>());
    }
    return loads;
}

std::vector<Claim> claims_of(Points points) {
    std::vector<Claim> claims;
    for (const auto& claim : {response(points), time_saved(points), separated_is_slower(points),
                              candidates(points), collection(points), power_loss(points)}) {
        if (claim) {
            claims.push_back(*claim);
        }
    }
    return claims;
}

}  // namespace solidtlm::testbench::dedup
