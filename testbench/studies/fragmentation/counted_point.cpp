// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "fw/block_map/untimed_blocks.h"
#include "fw/drive/block_needs.h"
#include "testbench/studies/fragmentation/page_fill.h"
#include "testbench/studies/fragmentation/point.h"
#include "testbench/studies/parts/flash_cost.h"

namespace solidtlm::testbench::fragmentation {
namespace {

/// Page mapping on an empty drive: nothing but writes.
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
        const hw::NandGeometry& geometry = configuration_.nand.geometry;
        const std::uint64_t planes = planes_of(configuration_);
        const std::uint64_t blocks = std::uint64_t{geometry.total_dies()} * geometry.planes * geometry.blocks;
        device.nand[static_cast<std::size_t>(hal::Cause::host)].programs = pages_ - before_;
        const std::uint64_t free =
            (blocks - page_fill_blocks(pages_, configuration_)) / planes;  // whole ones
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

/// A block-mapped layer.
class CountedBlocks {
  public:
    explicit CountedBlocks(const platform::Configuration& configuration)
        : config_(configuration.firmware),
          geometry_(fw::block_geometry(configuration.firmware,
                                       fw::MediaLayout(configuration.firmware).superblocks())),
          blocks_(configuration.firmware, geometry_) {}

    void write(hal::Lpn lpn) { blocks_.write(lpn); }
    void trim(hal::Lpn lpn) { blocks_.trim(lpn); }
    void forget() { before_ = blocks_.counters(); }
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
        device.block_map = BlockMapTelemetry{std::string(fw::translation_layer_name(config_.translation)),
                                             geometry_.pages, fw::log_blocks(config_, geometry_), now};
    }
    [[nodiscard]] std::string check() const { return blocks_.layer().check(); }

  private:
    [[nodiscard]] fw::BlockMapState state() const {
        const fw::BlockLayer& layer = blocks_.layer();
        return {since(before_), layer.data_blocks(),
                layer.data_blocks() * fw::data_pages(config_.translation, geometry_),
                layer.data_pages_programmed(), layer.log_blocks()};
    }
    /// What was counted behind a snapshot.
    [[nodiscard]] fw::BlockCounters since(const fw::BlockCounters& before) const {
        fw::BlockCounters counters = blocks_.counters();
        counters.write_data -= before.write_data;
        counters.update_pure -= before.update_pure;
        counters.update_pure_unused_place -= before.update_pure_unused_place;
        counters.update_wasted -= before.update_wasted;
        counters.merge_reads -= before.merge_reads;
        counters.merge_programs -= before.merge_programs;
        counters.erases -= before.erases;
        for (std::size_t kind = 0; kind < fw::kMergeKinds; ++kind) {
            counters.merges[kind] -= before.merges[kind];
        }
        return counters;
    }

    const fw::FirmwareConfig& config_;
    fw::BlockGeometry geometry_;
    fw::UntimedBlocks blocks_;
    fw::BlockCounters before_;
};

/// Before the load, from the first page on in order, as ageing does it.
template <class Counted>
std::optional<AgeingReport> fill(Counted& counted, const Load& load,
                                 const platform::Configuration& configuration) {
    if (!load.line.precondition) {
        return std::nullopt;
    }
    const std::uint32_t unit_bytes = configuration.firmware.unit_bytes;
    const std::uint64_t units = configuration.exported_bytes() / unit_bytes;
    AgeingReport report;
    report.spec = to_text(*load.line.precondition);
    report.programs = static_cast<std::uint64_t>(load.line.precondition->fill * static_cast<double>(units));
    report.host_bytes = report.programs * unit_bytes;
    for (std::uint64_t unit = 0; unit < report.programs; ++unit) {
        counted.write(hal::Lpn{static_cast<std::uint32_t>(unit)});
    }
    counted.forget();
    return report;
}

/// Whole units of the ranges.
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

/// What a result says about the run, without what takes time.
RunInfo run_info(const Profile& profile, const platform::Configuration& configuration) {
    RunInfo run;
    run.scenario = "tb_fragmentation";
    run.seed = configuration.seed;
    run.config = platform::to_json(configuration);
    run.requests = profile.requests;
    return run;
}

template <class Counted>
SimulationOutcome count(const SystemPoint& point, const Load& load, const Profile& profile) {
    const platform::Configuration& configuration = point.configuration;
    const std::uint32_t unit = configuration.firmware.unit_bytes;
    Counted counted(configuration);
    RunInfo run = run_info(profile, configuration);
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
    outcome.result[kOverTime] = std::move(over_time);
    return outcome;
}

}  // namespace

SimulationOutcome run_counted(const SystemPoint& point, const Load& load, const Profile& profile) {
    return point.system.layer == "page_map" ? count<CountedPages>(point, load, profile)
                                            : count<CountedBlocks>(point, load, profile);
}

}  // namespace solidtlm::testbench::fragmentation
