// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fw/ftl/block_map/block_needs.h"
#include "fw/ftl/block_map/untimed_blocks.h"
#include "testbench/studies/fragmentation/page_fill.h"
#include "testbench/studies/fragmentation/point.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr double kBytesPerGib = 1ULL << 30U;

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
    void read_off(Observed& observed) const {
        observed.writes.data = pages_ - before_;
        observed.work.programs = observed.writes.data;
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
        : geometry_(fw::block_geometry(configuration.firmware,
                                       fw::MediaLayout(configuration.firmware).superblocks())),
          blocks_(configuration.firmware, geometry_) {}

    void write(hal::Lpn lpn) { blocks_.write(lpn); }
    void trim(hal::Lpn lpn) { blocks_.trim(lpn); }
    void forget() { before_ = blocks_.counters(); }
    [[nodiscard]] std::optional<double> utilisation() const {
        const fw::BlockLayer& layer = blocks_.layer();
        const std::uint64_t pages = layer.data_blocks() * geometry_.pages;
        return pages > 0 ? std::optional(100.0 * static_cast<double>(layer.data_pages_programmed()) /
                                         static_cast<double>(pages))
                         : std::nullopt;
    }
    void read_off(Observed& observed) const {
        const fw::BlockCounters& now = blocks_.counters();
        const auto merges = [&](fw::MergeKind kind) { return now.of(kind) - before_.of(kind); };
        observed.writes = {now.write_data - before_.write_data, now.update_pure - before_.update_pure,
                           now.update_wasted - before_.update_wasted};
        observed.merges = {merges(fw::MergeKind::drop), merges(fw::MergeKind::switched),
                           merges(fw::MergeKind::partial), merges(fw::MergeKind::full)};
        observed.copies = now.merge_programs - before_.merge_programs;
        observed.work = {now.merge_reads - before_.merge_reads, now.programs() - before_.programs(),
                         (now.erases - before_.erases) * geometry_.columns};
    }
    [[nodiscard]] std::string check() const { return blocks_.layer().check(); }

  private:
    fw::BlockGeometry geometry_;
    fw::UntimedBlocks blocks_;
    fw::BlockCounters before_;
};

/// Before the load, from the first page on in order, as ageing does it.
template <class Counted>
void fill(Counted& counted, const Load& load, const platform::Configuration& configuration) {
    if (load.line.precondition) {
        const std::uint64_t units = configuration.exported_bytes() / configuration.firmware.unit_bytes;
        const auto filled =
            static_cast<std::uint64_t>(load.line.precondition->fill * static_cast<double>(units));
        for (std::uint64_t unit = 0; unit < filled; ++unit) {
            counted.write(hal::Lpn{static_cast<std::uint32_t>(unit)});
        }
        counted.forget();
    }
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

/// As simulate() makes it, without what takes time.
Json counted_result(const Observed& observed, const Profile& profile,
                    const platform::Configuration& configuration) {
    RunInfo run;
    run.scenario = "tb_fragmentation";
    run.seed = configuration.seed;
    run.config = platform::to_json(configuration);
    run.requests = profile.requests;
    DeviceTelemetry device;
    device.page_bytes = configuration.nand.geometry.page_bytes;
    device.host_written_bytes = profile.written_bytes;
    device.nand[static_cast<std::size_t>(hal::Cause::host)].programs = observed.writes.total();
    device.nand[static_cast<std::size_t>(hal::Cause::merge)] = {
        observed.work.reads, observed.work.programs - observed.writes.total(), observed.work.erases};
    return make_result(run, HostMetrics{}, device, VerifyCounts{});
}

template <class Counted>
SimulationOutcome count(const SystemPoint& point, const Load& load, const Profile& profile) {
    const platform::Configuration& configuration = point.configuration;
    const std::uint32_t unit = configuration.firmware.unit_bytes;
    Counted counted(configuration);
    fill(counted, load, configuration);
    Observed observed;
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
                    observed.utilisation_over_time.emplace_back(
                        static_cast<double>(written * unit) / kBytesPerGib, *counted.utilisation());
                }
            });
        }
    }
    counted.read_off(observed);
    observed.utilisation = counted.utilisation();
    SimulationOutcome outcome;
    if (const std::string contradiction = counted.check(); !contradiction.empty()) {
        outcome.faults.push_back(contradiction);
    }
    outcome.result = counted_result(observed, profile, configuration);
    attach(observed, outcome.result);
    return outcome;
}

}  // namespace

SimulationOutcome run_counted(const SystemPoint& point, const Load& load, const Profile& profile) {
    return point.system.layer == "page_map" ? count<CountedPages>(point, load, profile)
                                            : count<CountedBlocks>(point, load, profile);
}

}  // namespace solidtlm::testbench::fragmentation
