// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "fw/block_map/block_map_state.h"
#include "fw/block_map/needs.h"
#include "fw/block_map/untimed_blocks.h"
#include "fw/needs.h"
#include "testbench/sim/age/ageing.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/studies/fragmentation/fragmentation.h"
#include "testbench/studies/kit/flash_cost.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr const char* kScenario = "tb_fragmentation";
constexpr std::uint64_t kSamples = 64;  ///< of the block utilisation while a load runs
/// In what a run notes: pairs of GiB written and block utilisation in percent.
constexpr const char* kOverTime = "utilisation_over_time";

std::uint64_t blocks_of(const hw::NandGeometry& geometry) {
    return geometry.total_blocks();
}

/// Page mapping on an empty drive: only writes count.
class CountedPages {
  public:
    explicit CountedPages(const platform::Configuration& configuration) : configuration_(configuration) {}

    void write(hal::Lpn /*lpn*/) { ++pages_; }
    void trim(hal::Lpn /*lpn*/) {}
    void forget() { before_ = pages_; }
    [[nodiscard]] std::optional<double> utilisation() const {
        return pages_ > 0 ? std::optional(page_fill_utilisation(pages_, configuration_)) : std::nullopt;
    }
    void read_off(DeviceTelemetry& device) const {
        device.nand[static_cast<std::size_t>(hal::Cause::host)].programs = pages_ - before_;
        const std::uint64_t blocks =
            blocks_of(configuration_.nand.geometry) - page_fill_blocks(pages_, configuration_);
        const std::uint64_t free = blocks / planes_of(configuration_);  // whole blocks
        device.firmware.state("ftl.free_superblocks", "superblocks", "erased and not in use", free);
    }
    [[nodiscard]] std::string check() const {
        const std::uint64_t pages = configuration_.raw_bytes() / configuration_.nand.geometry.page_bytes;
        return pages_ <= pages ? std::string()
                               : fmt::format(
                                     "{} pages on a drive of {}: garbage collection is not counted; "
                                     "use --timing full",
                                     pages_, pages);
    }

  private:
    const platform::Configuration& configuration_;
    std::uint64_t pages_ = 0;
    std::uint64_t before_ = 0;
};

/// A block-mapped layer, counted without time.
class CountedBlocks {
  public:
    explicit CountedBlocks(const platform::Configuration& configuration)
        : config_(configuration.firmware),
          geometry_(fw::block_geometry(configuration.firmware,
                                       fw::media_layout(configuration.firmware).superblocks())),
          blocks_(configuration.firmware, geometry_) {}

    void write(hal::Lpn lpn) { blocks_.write(lpn); }
    void trim(hal::Lpn lpn) { blocks_.trim(lpn); }
    void forget() { blocks_.reset_counters(); }
    [[nodiscard]] std::optional<double> utilisation() const {
        const fw::BlockMapState now = state();
        return now.data_pages > 0 ? std::optional(100.0 * static_cast<double>(now.data_pages_programmed) /
                                                  static_cast<double>(now.data_pages))
                                  : std::nullopt;
    }
    void read_off(DeviceTelemetry& device) const {
        const fw::BlockMapState now = state();
        const fw::BlockCounters& counters = now.counters;
        device.nand[static_cast<std::size_t>(hal::Cause::host)].programs = counters.host_programs();
        device.nand[static_cast<std::size_t>(hal::Cause::merge)] = {
            counters.merge_reads, counters.merge_programs, counters.erases * geometry_.columns};
        device.block_map = BlockMapTelemetry{std::string(config_.translation.name), geometry_.pages,
                                             fw::log_blocks(config_, geometry_)};
        now.tell(device.firmware);
    }
    [[nodiscard]] std::string check() const { return blocks_.layer().check(); }

  private:
    [[nodiscard]] fw::BlockMapState state() const {
        const fw::BlockLayer& layer = blocks_.layer();
        return {blocks_.counters(), layer.data_blocks(),
                layer.data_blocks() * fw::data_pages(config_.translation, geometry_),
                layer.data_pages_programmed(), layer.log_blocks()};
    }

    const fw::FirmwareConfig& config_;
    fw::BlockGeometry geometry_;
    fw::UntimedBlocks blocks_;
};

/// Writes from the first page on in order, before the load, as ageing does.
template <class Counted>
std::optional<AgeingReport> fill(Counted& counted, const Load& load,
                                 const platform::Configuration& configuration) {
    if (!load.run.precondition) {
        return std::nullopt;
    }
    const std::uint32_t unit_bytes = configuration.firmware.unit_bytes;
    const std::uint64_t units = configuration.exported_bytes() / unit_bytes;
    AgeingReport report;
    report.spec = to_text(*load.run.precondition);
    report.programs = static_cast<std::uint64_t>(load.run.precondition->fill * static_cast<double>(units));
    report.host_bytes = report.programs * unit_bytes;
    for (std::uint64_t unit = 0; unit < report.programs; ++unit) {
        counted.write(hal::Lpn{static_cast<std::uint32_t>(unit)});
    }
    counted.forget();
    report.text = start_text(report);
    return report;
}

/// Trims the whole units of the ranges.
template <class Counted>
void trim(Counted& counted, const Request& request, std::uint32_t unit_bytes) {
    const std::uint64_t unit = unit_bytes / hal::kSectorBytes;
    for (const TrimRange& range : request.ranges) {
        const std::uint64_t end = (range.lba.value + range.sectors) / unit;
        for (std::uint64_t lpn = (range.lba.value + unit - 1) / unit; lpn < end; ++lpn) {
            counted.trim(hal::Lpn{static_cast<std::uint32_t>(lpn)});
        }
    }
}

template <class Counted>
SimulationOutcome count(const platform::Configuration& configuration, const Load& load) {
    const Profile& profile = load.profile;
    const std::uint32_t unit = configuration.firmware.unit_bytes;
    Counted counted(configuration);
    RunInfo run;  // without fields that need simulated time
    run.scenario = kScenario;
    run.seed = configuration.seed;
    run.config = platform::to_json(configuration);
    run.requests = profile.requests;
    run.precondition = fill(counted, load, configuration);
    Json over_time = Json::array();
    const std::uint64_t step = std::max<std::uint64_t>(1, profile.pages_written / kSamples);
    std::uint64_t written = 0;
    Request request;
    for (const auto source = open(load, configuration); source->next(request);) {
        if (request.operation == Operation::trim) {
            trim(counted, request, unit);
        } else if (request.operation == Operation::write) {
            each_unit(request.lba, request.sectors, unit, [&](hal::Lpn lpn) {
                counted.write(lpn);
                if (++written % step == 0 && counted.utilisation()) {
                    over_time.push_back(
                        {static_cast<double>(written * unit) / hal::kGiB, *counted.utilisation()});
                }
            });
        }
    }
    SimulationOutcome outcome;
    if (const std::string contradiction = counted.check(); !contradiction.empty()) {
        outcome.faults.push_back(contradiction);
    }
    DeviceTelemetry device;
    device.page_bytes = configuration.nand.geometry.page_bytes;
    device.host_written_bytes = profile.written_bytes;
    counted.read_off(device);
    outcome.result = make_result(run, HostMetrics{}, device, VerifyCounts{});
    outcome.noted[kOverTime] = std::move(over_time);
    return outcome;
}

/// From the series of a run. For page mapping on an empty drive, it follows from the programmed pages.
Json over_time(const Json& result, const platform::Configuration& configuration) {
    constexpr double kPerMille = 10.0;  // per percent
    Json points = Json::array();
    const Json& series = result["series"];
    if (!series["operations"].contains("write")) {
        return points;
    }
    const bool pages = !series.contains("block_map");
    if (pages && result.contains("precondition")) {
        return points;
    }
    std::uint64_t written = 0;
    const Json& bytes = series["operations"]["write"]["bytes"];
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        written += bytes[i].get<std::uint64_t>();
        const Json& sample = pages ? Json() : series["block_map"]["block_utilization_permille"][i];
        if (pages || !sample.is_null()) {
            const double percent =
                pages ? page_fill_utilisation(written / configuration.nand.geometry.page_bytes, configuration)
                      : sample.get<double>() / kPerMille;
            points.push_back({static_cast<double>(written) / hal::kGiB, percent});
        }
    }
    return points;
}

SimulationOutcome run_timed(const platform::Configuration& configuration, const Load& load,
                            std::uint32_t depth) {
    RunSpec settings = run_of(configuration, depth);
    settings.precondition = load.run.precondition;
    SimulationOutcome outcome =
        simulate(settings, *open(load, configuration), ClosedLoop(depth), {.scenario = kScenario});
    outcome.noted[kOverTime] = over_time(outcome.result, configuration);
    return outcome;
}

std::uint64_t number_in(const Json& section, const char* name) {
    return section[name].get<std::uint64_t>();
}

/// Page mapping: all programmed pages that were not erased since are in blocks that are not free, including
/// those that are still being filled.
std::optional<double> page_map_utilisation(const Json& result, const platform::Configuration& configuration) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    const auto free = result["firmware"]["ftl.free_superblocks"].get<std::uint64_t>();
    const std::uint64_t places = (blocks_of(geometry) - free * planes_of(configuration)) * geometry.pages;
    std::uint64_t programs = number_in(result["nand"], "programs");
    std::uint64_t erases = number_in(result["nand"], "erases");
    if (result.contains("precondition")) {
        programs += number_in(result["precondition"], "programs");
        erases += number_in(result["precondition"], "erases");
    }
    const std::uint64_t pages = programs - erases * geometry.pages;
    return places > 0 ? std::optional(100.0 * static_cast<double>(pages) / static_cast<double>(places))
                      : std::nullopt;
}

}  // namespace

StudyJob system_job(const SystemPoint& point, const Load& load, std::uint32_t depth) {
    const auto& [system, configuration] = point;
    const bool pages = system.layer == "page_map";
    StudyJob job;
    job.name = fmt::format("{}: {}", load.name, system.name());
    job.parameters = {{"load", load.name},
                      {"layer", system.layer},
                      {"striping", system.striping},
                      {"sequential_rule", system.rule},
                      {"log_nand_blocks",
                       pages ? 0 : configuration.firmware.block_map.log_blocks * columns_of(configuration)}};
    if (depth > 0) {
        job.parameters["queue_depth"] = depth;
    }
    job.run = [drive = configuration, load, depth, pages] {
        return depth > 0 ? run_timed(drive, load, depth)
               : pages   ? count<CountedPages>(drive, load)
                         : count<CountedBlocks>(drive, load);
    };
    job.measure = [drive = configuration, bytes = load.profile.bytes](
                      const Json& result, Measured& measured) { measure(drive, bytes, result, measured); };
    return job;
}

void measure(const platform::Configuration& configuration, std::uint64_t bytes, const Json& result,
             Measured& point) {
    constexpr double kBytesPerMb = 1e6;
    const Json& nand = result["nand"];
    const FlashWork work{number_in(nand, "reads"), number_in(nand, "programs"), number_in(nand, "erases")};
    const std::uint64_t by_host = number_in(nand["by_cause"]["host"], "programs");
    const Json map = result.value("block_map", Json());  // null for page mapping
    const auto counted = [&map](const char* section, const char* name) {
        return map.is_null() ? 0 : number_in(map[section], name);
    };
    const std::uint64_t data = map.is_null() ? by_host : counted("writes", "write_data");
    const std::uint64_t pure = counted("writes", "update_pure");
    const std::uint64_t wasted = counted("writes", "update_wasted");
    const std::uint64_t total = data + pure + wasted;
    const auto percent = [total](std::uint64_t part) {
        return total > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(total) : 0.0;
    };
    std::optional<double> utilisation;
    if (map.is_null()) {
        utilisation = page_map_utilisation(result, configuration);
    } else if (const Json& share = map["block_utilization"]; !share.is_null()) {
        utilisation = 100.0 * share.get<double>();
    }
    const double seconds = flash_seconds(work, configuration);
    point.derived = {
        {"pages_written", total},
        {"write_data_share", percent(data) / 100.0},
        {"update_pure_share", percent(pure) / 100.0},
        {"update_wasted_share", percent(wasted) / 100.0},
        {"block_utilisation", utilisation ? Json(*utilisation / 100.0) : Json()},
        {"merges_dropped", counted("merges", "drop")},
        {"merges_switched", counted("merges", "switch")},
        {"merges_partial", counted("merges", "partial")},
        {"merges_full", counted("merges", "full")},
        {"pages_copied", work.programs - by_host},
        {"blocks_erased", work.erases},
        {"write_amplification",
         total > 0 ? static_cast<double>(work.programs) / static_cast<double>(total) : 0.0},
        {"flash_bound_mb_per_s", seconds > 0.0 ? static_cast<double>(bytes) / kBytesPerMb / seconds : 0.0}};
    if (result["host"]["measured_s"].get<double>() > 0.0) {
        point.derived["mb_per_s"] = result["host"]["mb_per_s"];
    }
    point.more = {{"data", percent(data)},
                  {"pure", percent(pure)},
                  {"wasted", percent(wasted)},
                  {"log_pages", pure + wasted},
                  {"over_time", std::move(point.more[kOverTime])}};
    if (utilisation) {
        point.more["utilisation"] = *utilisation;
    }
}

double flash_seconds(const FlashWork& work, const platform::Configuration& configuration) {
    constexpr double kPsPerUs = 1e6;
    constexpr double kUsPerSecond = 1e6;
    const hw::NandConfig& nand = configuration.nand;
    const FlashCost read = read_cost(configuration, 1, nand.geometry.page_bytes);
    const FlashCost program = program_cost(configuration, 1);
    const double erase_us = static_cast<double>(nand.timing.erase.count()) / kPsPerUs;
    const auto reads = static_cast<double>(work.reads);
    const double programs =
        static_cast<double>(work.programs) / configuration.firmware.flash.pages_per_program;
    const double on_bus = reads * read.bus_us + programs * program.bus_us;
    const double on_dies =
        reads * read.die_us + programs * program.die_us + static_cast<double>(work.erases) * erase_us;
    return std::max(on_bus / nand.geometry.channels, on_dies / nand.geometry.total_dies()) / kUsPerSecond;
}

double throughput(const Measured& point) {
    return point.find("mb_per_s").value_or(point.value("flash_bound_mb_per_s"));
}

std::optional<double> cost_of_rule(Points points, const Measured& with) {
    const Json free = testbench::with(with.parameters, "sequential_rule", false);
    const Measured* without = find(points, free);
    if (with.parameters == free || without == nullptr || throughput(*without) <= 0.0) {
        return std::nullopt;
    }
    return 100.0 * (throughput(with) / throughput(*without) - 1.0);
}

}  // namespace solidtlm::testbench::fragmentation
