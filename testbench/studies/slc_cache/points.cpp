// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fw/flash/needs.h"
#include "fw/hal/horizon.h"
#include "platform/idle_keys.h"
#include "platform/units.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/load/workload.h"
#include "testbench/sim/simulation.h"
#include "testbench/studies/gallery/burst_metrics.h"
#include "testbench/studies/kit/flash_cost.h"
#include "testbench/studies/kit/grid.h"
#include "testbench/studies/slc_cache/slc_cache.h"

namespace solidtlm::testbench::slc_cache {
namespace {

constexpr std::size_t kCurvePoints = 60;
constexpr const char* kFirst = "first_burst";  // in what a run notes
constexpr const char* kSecond = "second_burst";
constexpr const char* kReal = "real_drive";

std::vector<std::string> settings_of(const Json& at) {
    return {fmt::format("firmware.slc_cache.mode={}", at["cache"].get<std::string>()),
            fmt::format("firmware.slc_cache.size={}", at["size"].get<std::uint64_t>()),
            fmt::format("firmware.slc_cache.full={}", at["folding"] == "wait" ? "fold" : "bypass"),
            fmt::format("firmware.slc_cache.copy_back={}", at["copying"] == "die")};
}

/// Without a pause, copying makes no difference where only an idle host lets the drive fold.
bool folds(const Json& at) {
    return at["folding"] != "idle" || at["pause"] > 0.0;
}

/// MB/s of folding in a pause that ends before it does.
std::optional<double> fold_mb_per_s(const Json& at, const Json& firmware,
                                    const platform::Configuration& drive, Ps pause) {
    const Ps folding = pause - drive.firmware.idle_threshold;
    if (at["folding"] != "idle" || at["pause"] > 1.0 || folding <= Ps{0}) {
        return std::nullopt;
    }
    const double bytes = firmware["slc_cache.folded_units"].get<double>() * drive.firmware.unit_bytes;
    return bytes / (static_cast<double>(folding.count()) / hal::kPsPerSecond) / kMb;
}

/// How the host writes.
struct Writes {
    std::uint32_t request_bytes = kRequestBytes;
    std::uint32_t depth = kDepth;
};

/// As in the test of a real drive.
Writes writes_of(const RealDrive& real, const platform::Configuration& configuration) {
    const WorkloadConfig load = parse_workload(real.test.load, configuration.firmware.exported_sectors);
    return {static_cast<std::uint32_t>(load.sizes.front().sectors * hal::kSectorBytes),
            real.test.rows.front().depth};
}

Bursts bursts_of(const platform::Configuration& configuration, const Bounds& bounds, const Writes& writes,
                 double written, double pause) {
    constexpr double kOfTheCache = 1.5;
    Bursts bursts;
    bursts.request_bytes = writes.request_bytes;
    const double unit = bounds.cache_bytes + bounds.buffer_bytes;
    bursts.first_bytes = whole_requests(written * unit, writes.request_bytes);
    bursts.second_bytes = whole_requests(kOfTheCache * unit, writes.request_bytes);
    bursts.pause = pause_of(bounds, pause);
    bursts.region_bytes = configuration.exported_bytes() / writes.request_bytes * writes.request_bytes;
    if (bursts.first_bytes + bursts.second_bytes > bursts.region_bytes) {
        throw InputError(
            fmt::format("the device is too small: it exports {} bytes, the study writes {}; allowed: more "
                        "nand.geometry.blocks, smaller --sizes or less --written",
                        configuration.exported_bytes(), bursts.first_bytes + bursts.second_bytes));
    }
    return bursts;
}

/// Pairs of MB written and MB/s since the previous pair.
Json curve_of(const std::vector<BurstProgress>& burst) {
    Json curve = Json::array();
    BurstProgress last;
    for (std::size_t i = 1; i <= kCurvePoints && !burst.empty(); ++i) {
        const BurstProgress& at = burst[(burst.size() * i - 1) / kCurvePoints];
        if (at.seconds > last.seconds) {
            curve.push_back({at.bytes / kMb, (at.bytes - last.bytes) / (at.seconds - last.seconds) / kMb});
            last = at;
        }
    }
    return curve;
}

Json told(const std::vector<BurstProgress>& burst) {
    const std::optional<Knee> knee = knee_of(burst);
    Json told{{"curve", curve_of(burst)}, {"mb_per_s", testbench::mb_per_s(burst)}};
    if (knee) {
        told["cliff_mb"] = knee->bytes / kMb;
        told["before"] = knee->before_mb_per_s;
        told["after"] = knee->after_mb_per_s;
    }
    return told;
}

void measure(const Json& result, Measured& point, const platform::Configuration& drive, Ps pause) {
    const Bounds bounds = bounds_of(drive);
    const Json first = point.more[kFirst];
    const Json second = point.more[kSecond];
    const Json& firmware = result["firmware"];
    const auto number = [&firmware](const char* name) { return firmware[name].get<double>(); };
    const double written = number("ftl.written_units");
    Json& derived = point.derived;
    derived = {{"bound_before_mb_per_s", bounds.before_mb_per_s()},
               {"bound_after_mb_per_s", bounds.after_mb_per_s()},
               {"bound_cliff_mb", bounds.cliff_bytes() / kMb},
               {"cache_mb", bounds.cache_bytes / kMb},
               {"first_mb_per_s", first["mb_per_s"]},
               {"second_mb_per_s", second["mb_per_s"]},
               {"folded_share", number("slc_cache.folded_units") / written},
               {"bypassed_share", number("slc_cache.bypassed_units") / written},
               {"copied_back_share", number("gc.copied_back_superpages") * superpage_bytes(drive) /
                                         drive.firmware.unit_bytes /
                                         std::max(1.0, number("slc_cache.folded_units"))},
               {"write_amplification", result["write_amplification"]},
               {"collected_superblocks", number("gc.victims")}};
    if (const auto folding = fold_mb_per_s(point.parameters, firmware, drive, pause)) {
        derived["fold_mb_per_s"] = *folding;
        derived["bound_fold_mb_per_s"] = bounds.fold_mb_per_s;
    }
    if (first.contains("cliff_mb")) {
        derived["cliff_mb"] = first["cliff_mb"];
        derived["before_mb_per_s"] = first["before"];
        derived["after_mb_per_s"] = first["after"];
        const Knee knee{first["cliff_mb"].get<double>() * kMb, first["before"], first["after"]};
        if (knee.falls()) {
            derived["buffered_mb"] = buffered_bytes(bounds.buffer_bytes, bounds.slc_mb_per_s, knee) / kMb;
        }
        // The part of the second burst that is as fast as the first was; all of it if it has no cliff and is
        // not slower.
        const double fast = second.contains("cliff_mb") && second["before"] > second["after"]
                                ? second["cliff_mb"].get<double>()
                                : 0.0;
        derived["recovered_share"] = std::min(1.0, fast / first["cliff_mb"].get<double>());
    }
    if (const auto real = point.more.find(kReal); real != point.more.end()) {
        for (const Seen& seen : kSeen) {
            if (!(*real)[seen.metric].is_null()) {
                derived[seen.metric] = (*real)[seen.metric];
            }
        }
    }
    point.more = {{"first", first["curve"]}, {"second", second["curve"]}};
}

/// `real`: null for the given drive.
StudyJob job_of(const Json& at, const platform::Configuration& drive, const Bursts& bursts,
                std::uint32_t depth, const RealDrive* real) {
    StudyJob job;
    job.parameters = at;
    job.name = fmt::format(
        "{}, {} cache of {}, folding {} ({}), pause {}", at["drive"].get<std::string>(),
        at["cache"].get<std::string>(), platform::format_size(at["size"].get<std::uint64_t>()),
        at["folding"].get<std::string>(), at["copying"].get<std::string>(), at["pause"].get<double>());
    job.run = [drive, bursts, depth, real] {
        BurstSource source(bursts);
        SimulationOutcome outcome =
            simulate(run_of(drive, depth), source, ClosedLoop(depth), {.scenario = "tb_slc_cache"});
        outcome.noted = {{kFirst, told(source.first())}, {kSecond, told(source.second())}};
        if (real != nullptr) {
            outcome.noted[kReal] = gallery::burst_metrics(source, burst_scale_of(real->drive, drive));
        }
        return outcome;
    };
    job.measure = [drive, pause = bursts.pause](const Json& result, Measured& point) {
        measure(result, point, drive, pause);
    };
    return job;
}

}  // namespace

std::uint64_t whole_requests(double bytes, std::uint32_t request_bytes) {
    return static_cast<std::uint64_t>(std::ceil(bytes / request_bytes)) * request_bytes;
}

Ps pause_of(const Bounds& bounds, double times) {
    return hal::nearest_instant(times * bounds.fold_seconds() * hal::kPsPerSecond);
}

platform::Configuration drive_of(const Json& at, const platform::Configuration& base) {
    std::vector<std::string> settings = settings_of(at);
    if (at["folding"] == "behind") {  // keeps half of the cache free
        const platform::Configuration whole = variant_of(base, settings);
        const fw::FirmwareConfig& firmware = whole.firmware;
        const std::uint32_t superblocks =
            fw::slc_superblocks(firmware) + fw::most_dynamic_superblocks(firmware);
        settings.push_back(fmt::format("firmware.slc_cache.fold_below={}", superblocks / 2));
    }
    return variant_of(base, settings);
}

std::vector<std::string> copying_of(const platform::Configuration& configuration) {
    if (configuration.firmware.slc_cache.copy_back) {
        return {"die"};
    }
    constexpr std::string_view kKey = "firmware.slc_cache.copy_back";
    try {
        const platform::Configuration inside = variant_of(configuration, {fmt::format("{}=true", kKey)});
        const bool acts = std::ranges::all_of(platform::idle_rules(), [&](const auto& rule) {
            return !rule.covers(kKey) || rule.acts(inside);
        });
        return acts ? std::vector<std::string>{"controller", "die"} : std::vector<std::string>{"controller"};
    } catch (const platform::ConfigurationError&) {
        return {"controller"};
    }
}

std::vector<StudyJob> jobs_of(const Sweep& sweep, const platform::Configuration& base) {
    std::vector<StudyJob> jobs;
    VariantIssues issues;
    const auto add = [&](const Json& at, const platform::Configuration& of, const RealDrive* real) {
        issues.attempt([&] {
            const platform::Configuration drive = drive_of(at, of);
            const Writes writes = real == nullptr ? Writes{} : writes_of(*real, drive);
            const Bursts bursts = bursts_of(drive, bounds_of(drive), writes, sweep.written, at["pause"]);
            jobs.push_back(job_of(at, drive, bursts, writes.depth, real));
        });
    };
    for (const std::string& name : sweep.drives) {
        if (const RealDrive* real = find_drive(name); real != nullptr) {
            const platform::Configuration as_tested =
                gallery::configuration_of(real->drive, real->campaign, real->test);
            const auto cache = std::ranges::find(real->drive.settings, std::string("firmware.slc_cache.mode"),
                                                 &gallery::Setting::key);
            add({{"drive", name},
                 {"cache", cache->is},
                 {"size", as_tested.firmware.slc_cache.size_bytes},
                 {"folding", "idle"},
                 {"copying", "controller"},
                 {"pause", sweep.pauses.front()}},
                as_tested, real);
            continue;
        }
        each_combination({{"drive", {name}},
                          {"cache", sweep.caches},
                          {"size", sweep.sizes},
                          {"folding", sweep.folding},
                          {"copying", sweep.copying},
                          {"pause", sweep.pauses}},
                         [&](const Json& at) {
                             if (folds(at) || at["copying"] == sweep.copying.front()) {
                                 add(at, base, nullptr);
                             }
                         });
        issues.attempt([&] { add_error_jobs(jobs, sweep, base); });
    }
    issues.report();
    return jobs;
}

}  // namespace solidtlm::testbench::slc_cache
