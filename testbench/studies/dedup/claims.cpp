// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>

#include "testbench/studies/dedup/dedup.h"
#include "testbench/studies/kit/claims.h"

namespace solidtlm::testbench::dedup {
namespace {

constexpr const char* kWebvm = "webvm";
constexpr const char* kInstall = "app_install";

/// Measurements on the study's workloads, and a text about all measurements.
struct Found {
    std::vector<double> study;
    std::string text;
};

/// Computes `measure` for every load, the study's loads first; `show` formats a value.
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

/// Reproduced if all values are `good`, partly if all are at least `fair`.
Verdict verdict_on(const std::vector<double>& values, const std::function<bool(double)>& good,
                   const std::function<bool(double)>& fair) {
    return verdict_of(count(values, good) == values.size(), count(values, fair) == values.size());
}

/// The ratio of two systems, less 1.
auto change(Points points, const char* over, const char* under, const char* value) {
    return [points, over, under, value](const std::string& load) -> std::optional<double> {
        const auto found = ratio(find(points, load, over), find(points, load, under), value);
        return found ? std::optional(*found - 1.0) : std::nullopt;
    };
}

/// Claim C1.
std::optional<Finding> response(Points points) {
    constexpr double kNear = 0.05;
    constexpr double kWebvmPublished = -0.15;
    constexpr double kInstallPublished = -0.12;
    const auto measure = change(points, "offline_crc32", "online", "write_mean_us");
    const Found found = measure_all(points, measure, percent);
    if (found.study.empty()) {
        return std::nullopt;
    }
    const auto near = [&measure](const char* load, double published) {
        const auto value = measure(load);
        return !value || std::abs(*value - published) <= kNear;
    };
    const bool all_near = near(kWebvm, kWebvmPublished) && near(kInstall, kInstallPublished);
    const std::size_t shorter = count(found.study, [](double value) { return value < 0.0; });
    return Finding{found.text, verdict_of(all_near, shorter > 0)};
}

/// Claim C2.
std::optional<Finding> time_saved(Points points) {
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
    Verdict verdict = verdict_on(found.study, enough, [](double value) { return value <= kPartly; });
    if (verdict == Verdict::not_reproduced && !page.study.empty() &&
        count(page.study, enough) == page.study.size()) {
        verdict = Verdict::partly;
    }
    return Finding{fmt::format("{}. For each page decided: {}", found.text, page.text), verdict};
}

/// Claim C3.
std::optional<Finding> separated_is_slower(Points points) {
    const Found found =
        measure_all(points, change(points, "offline_separated", "offline", "dedup_total_s"), percent);
    if (found.study.empty()) {
        return std::nullopt;
    }
    const std::size_t more = count(found.study, [](double value) { return value > 0.0; });
    return Finding{found.text, verdict_of(more == found.study.size(), more > 0)};
}

/// Claim C4.
std::optional<Finding> candidates(Points points) {
    const Found found = measure_all(
        points,
        [points](const std::string& load) { return candidate_share(find(points, load, "offline_crc32")); },
        [](double share) { return fmt::format("{:.0f} %", 100.0 * share); });
    if (found.study.empty()) {
        return std::nullopt;
    }
    return Finding{found.text, verdict_on(
                                   found.study, [](double share) { return share >= 0.4 && share <= 0.6; },
                                   [](double share) { return share >= 0.25 && share <= 0.75; })};
}

/// Claim C5. Loads with hardly any collection say nothing about it.
std::optional<Finding> collection(Points points) {
    constexpr double kLeast = 0.01;  // share of the pages written
    constexpr std::array<const char*, 2> kOthers{"offline", "offline_separated"};
    bool lowest = true;
    std::vector<double> gains;  // gains over offline on the study's workloads
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
    return Finding{text, verdict_of(lowest && most_on_install, lowest)};
}

/// Claim C6.
std::optional<Finding> power_loss(Points points) {
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
    return Finding{fmt::format("{}none in {} other runs", losses, sound),
                   verdict_of(*online_loses && !others_lose, *online_loses || !others_lose)};
}

}  // namespace

const Measured* find(Points points, const std::string& load, const std::string& system) {
    return testbench::find(points, {{"part", "systems"}, {"load", load}, {"system", system}});
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
    static const std::vector<PublishedClaim> claims{
        {"C1", "mean write response, offline_crc32 against online: WebVM, install", "-15 %, -12 %", response,
         "how many chips work in parallel, how long requests are and how they queue is not published; MD5 "
         "runs in "
         "one unit, so that long requests and bursts wait for it, while pages are programmed side by side"},
        {"C2", "time spent deduplicating, offline_crc32 against offline", "-70 % or better", time_saved,
         "reading a page takes four times tR here, because it crosses the bus; and where idle time is short, "
         "offline does not come to most of its pages (column waiting), so that its time is what there was"},
        {"C3", "time spent deduplicating, offline_separated against offline", "more", separated_is_slower,
         "the CRC32 comes on top of the same fingerprints, unless idle time ends before them"},
        {"C4", "pages the CRC32 marks as possibly duplicate, of those that offline has to check",
         "about half", candidates,
         "a CRC32 that was met before is nearly always a real duplicate, so that the share is that of "
         "repeated "
         "contents: 30 and 35 % are what the study itself gives"},
        {"C5", "page copies during GC, other offline systems over offline_crc32; most on install",
         "lowest; up to 3.85 x", collection,
         "idle time ends before most pages have been looked at (column waiting), so that they are collected "
         "first; with longer pauses or slower arrivals the order is the published one (part sensitivity)"},
        {"C6", "sudden power-off after acknowledged and flushed duplicates: pages lost",
         "online without super-capacitor loses them, offline nothing", power_loss}};
    return judge(claims, points);
}

}  // namespace solidtlm::testbench::dedup
