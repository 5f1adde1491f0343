// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "platform/interface_facts.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/studies/dedup/dedup.h"
#include "testbench/studies/kit/grid.h"

namespace solidtlm::testbench::dedup {
namespace {

using platform::Configuration;

constexpr Ps kDuplicatesAt = std::chrono::milliseconds(100);
constexpr Ps kIdleFor = std::chrono::milliseconds(400);
constexpr Ps kReadAt = std::chrono::milliseconds(1000);

/// Writes the pages from `first` on, each with a content of its own; the contents do not depend on `first`.
void write_pages(std::vector<Request>& requests, std::uint64_t first, Ps arrival) {
    for (std::uint64_t i = 0; i < kPowerLossPages; ++i) {
        Request request;
        request.operation = Operation::write;
        request.arrival = arrival;
        request.lba = Lba{(first + i) * kPageSectors};
        request.sectors = kPageSectors;
        request.content.push_back(i + 1);
        requests.push_back(request);
    }
}

void flush(std::vector<Request>& requests, Ps arrival) {
    Request request;
    request.operation = Operation::flush;
    request.arrival = arrival;
    requests.push_back(request);
}

constexpr const char* kScenario = "tb_dedup";

RunSpec settings_of(const Configuration& configuration) {
    return run_of(configuration, platform::interface_facts(configuration).queue_depth);
}

Configuration configured(const Load& load, const System& system, const Drive& drive,
                         const std::vector<std::string>& more) {
    std::vector<std::string> settings = system.settings;
    settings.insert(settings.end(), more.begin(), more.end());
    return variant_of(drive_for(load, drive.used, drive.base), settings);
}

std::function<SimulationOutcome()> run_of(const Load& load, const Configuration& configuration,
                                          double speed) {
    return [&load, configuration, speed] {
        LoadSource source(load.requests);
        return simulate(settings_of(configuration), source, OpenLoop(speed), {.scenario = kScenario});
    };
}

/// Parts of a write's time.
struct Split {
    double hash = 0.0;
    double flash = 0.0;   ///< bus, array, and waiting for them
    double buffer = 0.0;  ///< until destaging takes the data, including garbage collection
    double rest = 0.0;    ///< host, link, firmware, DRAM
};

Split split_of(const Json& stages) {
    Split split;
    for (const auto& [name, us] : stages.items()) {
        const std::string_view stage = name;
        const bool flash = stage == "array" || stage == "ecc" || stage.starts_with("channel_") ||
                           stage.starts_with("die_wait") || stage.starts_with("map_");
        double& part = stage == "hash"                                        ? split.hash
                       : flash                                                ? split.flash
                       : stage == "write_buffer_stall" || stage == "gc_stall" ? split.buffer
                                                                              : split.rest;
        part += us.get<double>();
    }
    return split;
}

void add_writes(const Json& result, Json& derived) {
    const Json& write = result["host"]["write"];
    derived["write_mean_us"] = write["latency_us"]["mean"];
    derived["write_p99_us"] = write["latency_us"]["p99"];
    const Json& stages = result["ledger"]["by_operation"];
    const Split split = stages.contains("write") ? split_of(stages["write"]) : Split{};
    derived["write_hash_us"] = split.hash;
    derived["write_flash_us"] = split.flash;
    derived["write_buffer_us"] = split.buffer;
    derived["write_rest_us"] = split.rest;
    derived["read_mean_us"] = result["host"]["read"]["latency_us"]["mean"];
    derived["written_pages"] = write["bytes"].get<std::uint64_t>() / (kPageSectors * hal::kSectorBytes);
}

void add_flash(const Json& result, Json& derived) {
    derived["gc_moved_pages"] = result["firmware"]["gc.moved_units"];
    derived["programs"] = result["nand"]["programs"];
    derived["erases"] = result["nand"]["erases"];
    derived["write_amplification"] = result["write_amplification"];
}

/// Pages that are known to repeat another one, or not to. A page whose CRC32 is new does not.
std::uint64_t decided_pages(const Json& dedup, std::uint64_t written) {
    const std::string system = dedup.at("system");
    const std::uint64_t checked = dedup.at("checked");
    if (system == "offline_crc32") {
        return written - std::min(written, dedup.at("candidates").get<std::uint64_t>()) + checked;
    }
    return system == "online" ? dedup.at("fingerprints").get<std::uint64_t>() : checked;
}

void add_dedup(const Json& result, Json& derived) {
    constexpr double kUsPerSecond = 1e6;
    const auto dedup = result.find("dedup");
    if (dedup == result.end()) {
        return;  // no latency was measured
    }
    for (const char* name : {"duplicates", "candidates", "checked", "comparisons", "collisions", "refused",
                             "evicted", "waiting", "saved_pages", "interrupted"}) {
        derived[name] = dedup->at(name);
    }
    derived["decided_pages"] = decided_pages(*dedup, derived["written_pages"]);
    const double seconds = result["host"]["measured_s"];
    const double busy_us = dedup->at("hash_unit").at("busy_us");
    constexpr double kPercent = 100.0;
    derived["hash_busy_percent"] = seconds > 0.0 ? kPercent * busy_us / kUsPerSecond / seconds : 0.0;
    const double decided = derived["decided_pages"];
    if (decided > 0.0) {
        derived["dedup_page_us"] = dedup->at("time_us").at("total").get<double>() / decided;
    }
    for (const char* step : {"crc", "fingerprint", "read", "compare", "total"}) {
        derived[fmt::format("dedup_{}_s", step)] = dedup->at("time_us").at(step).get<double>() / kUsPerSecond;
    }
}

/// Duplicates found since the start of a run as pairs of seconds and pages, from the series of a result;
/// empty if it has no deduplication.
Json found_over_time(const Json& result) {
    constexpr double kUsPerSecond = 1e6;
    Json curve = Json::array();
    if (!result.contains("series") || !result["series"].contains("dedup")) {
        return curve;
    }
    const Json& edges = result["series"]["time_us"];
    const Json& found = result["series"]["dedup"]["duplicates"];
    double sum = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        sum += found[i].get<double>();
        curve.push_back({edges[i + 1].get<double>() / kUsPerSecond, sum});
    }
    return curve;
}

void measure(const Json& result, Measured& point) {
    add_writes(result, point.derived);
    add_flash(result, point.derived);
    add_dedup(result, point.derived);
}

/// Also measures the load's properties, and when duplicates were found.
void measure_on(const Load& load, const Json& result, Measured& point) {
    measure(result, point);
    for (const char* property : {"distinct_contents", "repeated_share", "duplicate_share", "idle_share"}) {
        point.derived[property] = load.properties[property];
    }
    point.more["found"] = found_over_time(result);
}

void measure_losses(const Json& result, Measured& point) {
    point.derived = {{"lost_pages", result["verify"]["mismatches"].get<std::uint64_t>() / kPageSectors},
                     {"pages_at_risk", kPowerLossPages},
                     {"lost_commands", result["power"]["lost_commands"]}};
}

}  // namespace

std::vector<Request> power_loss_requests() {
    std::vector<Request> requests;
    for (const auto& [first, arrival] :
         {std::pair<std::uint64_t, Ps>{0, Ps{0}}, {kPowerLossPages, kDuplicatesAt}}) {
        write_pages(requests, first, arrival);
        flush(requests, arrival);
    }
    Request elsewhere;
    elsewhere.arrival = kReadAt;
    elsewhere.lba = Lba{2ULL * kPowerLossPages * kPageSectors};
    elsewhere.sectors = kPageSectors;
    requests.push_back(elsewhere);
    return requests;
}

Ps power_loss_at(Moment moment) {
    return kDuplicatesAt + (moment == Moment::at_once ? kAtOnce : kIdleFor);
}

System system_named(const std::string& name) {
    return System{name, {"firmware.dedup.system=" + name}};
}

System online_with(const std::string& protection) {
    System system = system_named("online");
    system.settings.push_back("firmware.dedup.protection=" + protection);
    return system;
}

StudyJob system_job(const Load& load, const System& system, const Drive& drive) {
    StudyJob job;
    job.name = fmt::format("{}, {}", load.name, system.name);
    job.parameters = {{"part", "systems"}, {"load", load.name}, {"system", system.name}};
    job.run = run_of(load, configured(load, system, drive, {}), drive.speed);
    job.measure = [&load](const Json& result, Measured& point) { measure_on(load, result, point); };
    return job;
}

StudyJob sensitivity_job(const Load& load, const System& system, const Drive& drive,
                         const Variation& variation) {
    StudyJob job;
    job.name = fmt::format("{} {:g}, {}, {}", variation.parameter, variation.value, load.name, system.name);
    job.parameters = {{"part", "sensitivity"},
                      {"parameter", variation.parameter},
                      {"value", variation.value},
                      {"load", load.name},
                      {"system", system.name}};
    job.run =
        run_of(load, configured(load, system, drive, variation.settings), drive.speed * variation.speed);
    job.measure = measure;
    return job;
}

StudyJob power_job(const System& system, Moment moment, const Drive& drive) {
    const std::string when(kMomentNames[static_cast<std::size_t>(moment)]);
    const Load small{"", {}, 2ULL * kPowerLossPages * kPageSectors * hal::kSectorBytes, {}};
    std::vector<std::string> settings = system.settings;
    settings.push_back(
        fmt::format("firmware.idle_threshold={}ns",
                    std::chrono::duration_cast<std::chrono::nanoseconds>(kIdleThreshold).count()));
    const Configuration configuration = variant_of(drive_for(small, 1.0, drive.base), settings);
    const fw::DedupConfig& dedup = configuration.firmware.dedup;
    StudyJob job;
    job.name = fmt::format("power loss {}, {}", when, system.name);
    job.parameters = {{"part", "power"}, {"system", system.name}, {"moment", when}};
    if (dedup.online()) {
        constexpr std::array<const char*, 3> kNames{"none", "capacitor", "journal"};
        job.parameters["protection"] = kNames[static_cast<std::size_t>(dedup.protection)];
    }
    job.measure = measure_losses;
    const bool may_lose = dedup.online() && dedup.protection == fw::DedupProtection::none;
    job.run = [configuration, moment, may_lose] {
        RunSpec run = settings_of(configuration);
        run.power_cuts.at = {power_loss_at(moment)};
        RunHooks hooks{.scenario = kScenario};
        hooks.losses_are_faults = !may_lose;
        const std::vector<Request> requests = power_loss_requests();
        LoadSource source(requests);
        return simulate(run, source, OpenLoop(), hooks);
    };
    return job;
}

}  // namespace solidtlm::testbench::dedup
