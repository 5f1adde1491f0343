// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fw/flash/needs.h"
#include "platform/units.h"
#include "testbench/host/pacing/closed_loop.h"
#include "testbench/simulation/simulation.h"
#include "testbench/studies/kit/grid.h"
#include "testbench/studies/slc_cache/slc_cache.h"

namespace solidtlm::testbench::slc_cache {
namespace {

constexpr std::size_t kCurvePoints = 60;
constexpr const char* kFirst = "first_burst";  // in what a run notes
constexpr const char* kSecond = "second_burst";

std::vector<std::string> settings_of(const std::string& cache, std::uint64_t size,
                                     const std::string& folding) {
    return {"firmware.slc_cache.mode=" + cache, fmt::format("firmware.slc_cache.size={}", size),
            std::string("firmware.slc_cache.full=") + (folding == "wait" ? "fold" : "bypass")};
}

/// Sets the cache's superblocks and, for `behind`, keeps half of them free.
platform::Configuration drive_of(const Json& at, const platform::Configuration& base) {
    const std::string folding = at["folding"];
    std::vector<std::string> settings = settings_of(at["cache"], at["size"], folding);
    if (folding == "behind") {
        const platform::Configuration whole = variant_of(base, settings);
        const fw::FirmwareConfig& firmware = whole.firmware;
        const std::uint32_t superblocks =
            fw::slc_superblocks(firmware) + fw::most_dynamic_superblocks(firmware);
        settings.push_back(fmt::format("firmware.slc_cache.fold_below={}", superblocks / 2));
    }
    return variant_of(base, settings);
}

std::uint64_t whole_requests(double bytes) {
    return static_cast<std::uint64_t>(std::ceil(bytes / kRequestBytes)) * kRequestBytes;
}

Bursts bursts_of(const platform::Configuration& configuration, const Bounds& bounds, double written,
                 double pause) {
    constexpr double kOfTheCache = 1.5;
    Bursts bursts;
    bursts.request_bytes = kRequestBytes;
    const double unit = bounds.cache_bytes + bounds.buffer_bytes;
    bursts.first_bytes = whole_requests(written * unit);
    bursts.second_bytes = whole_requests(kOfTheCache * unit);
    bursts.pause = Ps{std::llround(pause * bounds.fold_seconds() * hal::kPsPerSecond)};
    bursts.region_bytes = configuration.exported_bytes() / kRequestBytes * kRequestBytes;
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

void measure(const Json& result, Measured& point, const Bounds& bounds) {
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
               {"write_amplification", result["write_amplification"]},
               {"collected_superblocks", number("gc.victims")}};
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
    point.more = {{"first", first["curve"]}, {"second", second["curve"]}};
}

StudyJob job_of(const Json& at, const platform::Configuration& drive, const Bounds& bounds,
                const Bursts& bursts) {
    StudyJob job;
    job.parameters = at;
    job.name =
        fmt::format("{}, {} cache of {}, folding {}, pause {}", at["drive"].get<std::string>(),
                    at["cache"].get<std::string>(), platform::format_size(at["size"].get<std::uint64_t>()),
                    at["folding"].get<std::string>(), at["pause"].get<double>());
    job.run = [drive, bursts] {
        BurstSource source(bursts);
        SimulationOutcome outcome =
            simulate(run_of(drive, kDepth), source, ClosedLoop(kDepth), {.scenario = "tb_slc_cache"});
        outcome.noted = {{kFirst, told(source.first())}, {kSecond, told(source.second())}};
        return outcome;
    };
    job.measure = [bounds](const Json& result, Measured& point) { measure(result, point, bounds); };
    return job;
}

}  // namespace

std::vector<StudyJob> jobs_of(const Sweep& sweep, const platform::Configuration& base) {
    std::vector<StudyJob> jobs;
    VariantIssues issues;
    const auto add = [&](const Json& at, const platform::Configuration& of) {
        issues.attempt([&] {
            const platform::Configuration drive = drive_of(at, of);
            const Bounds bounds = bounds_of(drive);
            jobs.push_back(job_of(at, drive, bounds, bursts_of(drive, bounds, sweep.written, at["pause"])));
        });
    };
    for (const std::string& name : sweep.drives) {
        if (const RealDrive* real = find_drive(name); real != nullptr) {
            std::vector<std::string> settings = real->settings;
            settings.push_back(fmt::format("nand.geometry.blocks={}", real->blocks / real->scale));
            const auto size = static_cast<std::uint64_t>(real->cache_bytes / real->scale);
            issues.attempt([&] {
                add({{"drive", name},
                     {"cache", real->cache},
                     {"size", size},
                     {"folding", "idle"},
                     {"pause", sweep.pauses.front()}},
                    variant_of(base, settings));
            });
            continue;
        }
        each_combination({{"drive", {name}},
                          {"cache", sweep.caches},
                          {"size", sweep.sizes},
                          {"folding", sweep.folding},
                          {"pause", sweep.pauses}},
                         [&](const Json& at) { add(at, base); });
    }
    issues.report();
    return jobs;
}

}  // namespace solidtlm::testbench::slc_cache
