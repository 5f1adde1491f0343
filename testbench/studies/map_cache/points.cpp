// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>

#include "fw/map_cache/cache_policy.h"
#include "fw/map_cache/untimed_map.h"
#include "platform/flash_times.h"
#include "testbench/show/map_cache_section.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/request_source.h"
#include "testbench/studies/kit/grid.h"
#include "testbench/studies/map_cache/map_cache.h"

namespace solidtlm::testbench::map_cache {
namespace {

constexpr std::uint64_t kLargest = 1U << 30U;  ///< sectors of one access; longer requests become several
constexpr std::uint32_t kFillUnits = 64;       ///< of one command
constexpr std::string_view kTafp = "tafp_";
constexpr const char* kOverTime = "windows_over_time";  // in what a run notes

std::uint32_t unit_sectors_of(const platform::Configuration& configuration) {
    return configuration.firmware.unit_bytes / hal::kSectorBytes;
}

/// Mapping units of an access; each is one page request.
struct Units {
    Units(const Access& access, std::uint32_t unit_sectors)
        : first(static_cast<std::uint32_t>(access.lba.value / unit_sectors)),
          last(static_cast<std::uint32_t>((access.lba.value + access.sectors - 1) / unit_sectors)) {}
    std::uint32_t first;
    std::uint32_t last;
};

/// "desktop" for /traces/desktop.trace.xz; a workload's text is kept.
std::string short_name(const LoadSpec& spec) {
    if (!spec.trace) {
        return spec.text;
    }
    const std::string file = std::filesystem::path(spec.text).filename().string();
    return file.substr(0, std::max<std::size_t>(1, file.find('.')));
}

void take(const Request& request, std::uint32_t unit_sectors, Load& load) {
    if (request.operation != Operation::read && request.operation != Operation::write) {
        return;
    }
    load.properties.add(request);
    for (std::uint64_t done = 0; done < request.sectors;) {
        const std::uint64_t sectors = std::min(kLargest, request.sectors - done);
        load.accesses.push_back(Access{Lba{request.lba.value + done}, static_cast<std::uint32_t>(sectors),
                                       request.operation == Operation::write});
        const Units units(load.accesses.back(), unit_sectors);
        load.page_requests += units.last - units.first + 1;
        done += sectors;
    }
}

/// Makes messages refer to the sweep's options instead of the keys that they set.
platform::ConfigurationError in_words_of_the_sweep(std::vector<platform::ConfigurationIssue> issues,
                                                   const std::string& policy) {
    for (platform::ConfigurationIssue& issue : issues) {
        const bool size = issue.key == "firmware.map_cache.size";
        if (size || issue.key == "firmware.map_cache.tafp_bytes") {
            issue.source = size ? "--sizes" : "--policies";
            issue.line = 0;
            issue.message = policy + ": " + issue.message;
        }
    }
    return platform::ConfigurationError(issues);
}

/// Writes the units that a load touches, in ascending order; adjacent units form one command.
std::vector<Access> fill_of(const Load& load, const platform::Configuration& configuration) {
    constexpr std::uint64_t kBits = 64;
    const std::uint32_t unit_sectors = unit_sectors_of(configuration);
    std::vector<std::uint64_t> touched(configuration.firmware.exported_sectors / unit_sectors / kBits + 1);
    for (const Access& access : load.accesses) {
        const Units units(access, unit_sectors);
        for (std::uint64_t unit = units.first; unit <= units.last; ++unit) {
            touched[unit / kBits] |= std::uint64_t{1} << unit % kBits;
        }
    }
    std::vector<Access> fill;
    std::uint64_t expected = 0;  // the unit after the last one
    for (std::size_t word = 0; word < touched.size(); ++word) {
        for (std::uint64_t bits = touched[word]; bits != 0; bits &= bits - 1) {
            const std::uint64_t unit = word * kBits + static_cast<std::uint64_t>(std::countr_zero(bits));
            if (!fill.empty() && unit == expected && fill.back().sectors < kFillUnits * unit_sectors) {
                fill.back().sectors += unit_sectors;
            } else {
                fill.push_back(Access{Lba{unit * unit_sectors}, unit_sectors, true});
            }
            expected = unit + 1;
        }
    }
    return fill;
}

/// Accesses one after another.
class AccessSource : public RequestSource {
  public:
    explicit AccessSource(std::span<const Access> accesses) : accesses_(accesses) {}

    [[nodiscard]] std::optional<std::uint64_t> size() const override { return accesses_.size(); }
    bool next(Request& request) override {
        request.clear();
        if (next_ == accesses_.size()) {
            return false;
        }
        const Access& access = accesses_[next_++];
        request.operation = access.write ? Operation::write : Operation::read;
        request.lba = access.lba;
        request.sectors = access.sectors;
        return true;
    }

  private:
    std::span<const Access> accesses_;
    std::size_t next_ = 0;
};

}  // namespace

std::vector<Load> read_loads(const std::vector<LoadSpec>& specs, const RunSpec& run) {
    std::vector<Load> loads;
    for (const LoadSpec& spec : specs) {
        RunSpec one = spec.trace ? run.with_trace(spec.text) : run;
        if (!spec.trace) {
            one.traces.clear();
        }
        one.workload = spec.trace ? "" : spec.text;
        const std::string name = short_name(spec);
        const bool taken = std::ranges::find(loads, name, &Load::name) != loads.end();
        Load& load = loads.emplace_back();
        load.name = taken ? spec.text : name;
        const auto source = make_request_source(one);
        Request request;
        while (source->next(request)) {
            take(request, unit_sectors_of(run.configuration), load);
        }
        if (load.accesses.empty()) {
            throw InputError(spec.text + ": there is no read and no write in it");
        }
    }
    return loads;
}

const std::vector<std::string>& policy_names() {
    static const std::vector<std::string> names{"full_page", "half_page", "tafp_8",   "tafp_16", "tafp_32",
                                                "tafp_64",   "tafp_128",  "tafp_256", "dftl",    "bsb",
                                                "sftl",      "cftl",      "tpftl"};
    return names;
}

std::optional<std::vector<std::string>> settings_of(const std::string& policy) {
    const std::string key = "firmware.map_cache.policy=";
    if (!policy.starts_with(kTafp)) {
        return has(policy_names(), policy) ? std::optional(std::vector{key + policy}) : std::nullopt;
    }
    std::uint32_t bytes = 0;
    const char* const end = policy.data() + policy.size();
    const auto [rest, error] = std::from_chars(policy.data() + kTafp.size(), end, bytes);
    if (error != std::errc{} || rest != end) {
        return std::nullopt;
    }
    return std::vector{key + "tafp", "firmware.map_cache.tafp_bytes=" + std::to_string(bytes)};
}

bool fixed_window(const std::string& policy) {
    return policy.starts_with(kTafp) || has({"full_page", "half_page", "dftl"}, policy);
}

std::vector<Cache> caches_of(const std::vector<std::string>& policies,
                             const std::vector<std::uint64_t>& sizes, const platform::Configuration& base) {
    std::vector<Cache> caches;
    VariantIssues issues;
    for (const std::string& policy : policies) {
        for (const std::uint64_t size_bytes : sizes) {
            std::vector<std::string> settings = settings_of(policy).value();
            settings.insert(settings.begin() + 1, "firmware.map_cache.size=" + std::to_string(size_bytes));
            try {
                caches.push_back({policy, size_bytes, platform::variant_of(base, settings)});
            } catch (const platform::ConfigurationError& error) {
                issues.add(in_words_of_the_sweep(error.issues(), policy));
            }
        }
    }
    issues.report();
    return caches;
}

SimulationOutcome run_untimed(const platform::Configuration& configuration, const Load& load) {
    fw::FirmwareConfig firmware = configuration.firmware;
    firmware.map_cache.times = platform::flash_times(configuration);
    fw::UntimedMap map(firmware);
    const fw::MapCounters& counters = map.counters();
    std::vector ends{counters.windows};  // at the beginning, then after each interval
    for (const Access& access : load.accesses) {
        const Units units(access, unit_sectors_of(configuration));
        for (std::uint32_t unit = units.first; unit <= units.last; ++unit) {
            (void)map.access(fw::Lpn{unit}, access.write, units.last - unit);
        }
        while (counters.lookups * kIntervals >= ends.size() * load.page_requests) {
            ends.push_back(counters.windows);
        }
    }
    SimulationOutcome outcome;
    DeviceTelemetry device;
    device.map_cache = MapCacheTelemetry{firmware.map_cache.policy, firmware.map_cache.size_bytes,
                                         map.map().translation_pages, firmware.map_cache.times};
    counters.tell(device.firmware);
    fw::MapAreaCounters{}.tell(device.firmware);
    outcome.result["map_cache"] = map_cache_section(device);
    outcome.result["map_cache"]["penalty_us"]["measured"] = penalty_section({}, 0);  // nothing took time
    Json& over_time = outcome.noted[kOverTime] = Json::array();
    for (std::size_t i = 0; i < counters.windows.size() && counters.windows[i].entries != 0; ++i) {
        Json chosen = Json::array();
        for (std::size_t end = 1; end < ends.size(); ++end) {
            chosen.push_back(ends[end][i].chosen - ends[end - 1][i].chosen);
        }
        over_time.push_back(std::move(chosen));
    }
    if (const std::string contradiction = map.policy().check(); !contradiction.empty()) {
        outcome.faults.push_back(contradiction);
    }
    return outcome;
}

SimulationOutcome run_timed(const platform::Configuration& configuration, const Load& load,
                            std::uint32_t depth) {
    const std::vector<Access> filled = fill_of(load, configuration);
    AccessSource fill(filled);
    AccessSource source(load.accesses);
    RunSpec settings = run_of(configuration, depth);
    RunHooks hooks{.scenario = "tb_map_cache"};
    hooks.before = &fill;
    return simulate(settings, source, ClosedLoop(depth), hooks);
}

void measure(const Json& result, Measured& point) {
    const Json& cache = result.at("map_cache");
    point.derived["hit_ratio"] = cache.at("hit_ratio");
    for (const auto& [name, section] :
         {std::pair("entries", "closed_form_entries"), {"bus", "closed_form"}, {"measured", "measured"}}) {
        const Json& penalty = cache.at("penalty_us").at(section);
        if (!penalty.at("total").is_null()) {
            point.derived[fmt::format("penalty_{}_us", name)] = penalty.at("total");
            for (const char* part : {"rm", "pf", "rf"}) {
                point.more[fmt::format("{}_{}", name, part)] = penalty.at(part);
            }
        }
    }
    std::vector<Json> windows = cache.value("windows", Json::array());
    double misses = 0.0;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        misses += windows[i].at("chosen").get<double>();
        if (point.more.contains(kOverTime)) {
            windows[i]["over_time"] = point.more[kOverTime].at(i);
        }
    }
    std::ranges::sort(windows, {}, [](const Json& window) { return window.at("entries"); });
    for (const Json& window : windows) {
        point.derived[fmt::format("window_{}_share", window.at("entries").get<std::uint32_t>())] =
            misses > 0.0 ? window.at("chosen").get<double>() / misses : 0.0;
    }
    point.more["windows"] = std::move(windows);
}

}  // namespace solidtlm::testbench::map_cache
