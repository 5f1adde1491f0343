// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/telemetry.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "fw/block_map/needs.h"
#include "fw/hal/check.h"
#include "fw/map_cache/needs.h"
#include "hw/tlm/time.h"
#include "platform/ssd_metrics.h"

namespace solidtlm::testbench {
namespace {

double fraction(hal::Ps busy, hal::Ps of) {
    return of > hal::Ps{0} ? static_cast<double>(busy.count()) / static_cast<double>(of.count()) : 0.0;
}

void collect_channel(const hw::NandChannel& channel, DeviceTelemetry& telemetry, hal::Ps elapsed) {
    const hw::FlashControllerStatistics statistics = channel.controller.statistics();
    hal::Ps bus_busy{0};
    for (std::size_t cause = 0; cause < hal::kCauses; ++cause) {
        telemetry.nand[cause] +=
            NandCounts{statistics.reads[cause], statistics.programs[cause], statistics.erases[cause]};
        bus_busy += statistics.bus_busy[cause];
        (*telemetry.channels_by_holder)[cause] += fraction(statistics.bus_busy[cause], elapsed);
    }
    telemetry.channels.push_back(fraction(bus_busy, elapsed));
    for (const hal::Die die : channel.present()) {
        const hal::HolderTimes times = channel.controller.die_times(die);
        for (std::size_t holder = 0; holder < hal::kHolders; ++holder) {
            (*telemetry.dies_by_holder)[holder] += fraction(times[holder], elapsed);
        }
        telemetry.dies.push_back(fraction(std::accumulate(times.begin(), times.end(), hal::Ps{0}), elapsed));
    }
}

void add_violations(const hw::ViolationLog& log, DeviceTelemetry& telemetry) {
    for (std::size_t kind = 0; kind < hw::kViolations; ++kind) {
        const std::uint64_t count = log.count(static_cast<hw::Violation>(kind));
        if (count > 0) {
            telemetry.violations[std::string(hw::kViolationNames[kind])] += count;
        }
    }
}

std::optional<MapCacheTelemetry> collect_map_cache(const platform::Ssd& ssd) {
    const fw::FirmwareConfig& config = ssd.configuration().firmware;
    if (config.by_block() || config.map_cache.whole_map()) {
        return std::nullopt;
    }
    return MapCacheTelemetry{config.map_cache.policy, config.map_cache.size_bytes,
                             fw::map_area_size(config).translation_pages, config.map_cache.times};
}

std::optional<BlockMapTelemetry> collect_block_map(const platform::Ssd& ssd) {
    const fw::FirmwareConfig& config = ssd.configuration().firmware;
    if (!config.by_block()) {
        return std::nullopt;
    }
    const fw::BlockGeometry geometry = fw::block_geometry(config, ssd.firmware().layout().superblocks());
    return BlockMapTelemetry{std::string(config.translation.name), geometry.pages,
                             fw::log_blocks(config, geometry)};
}

std::optional<DedupTelemetry> collect_dedup(const platform::Ssd& ssd) {
    if (!ssd.firmware().dedup()) {
        return std::nullopt;
    }
    return DedupTelemetry{std::string(ssd.configuration().firmware.dedup.system.name)};
}

}  // namespace

DeviceTelemetry collect_telemetry(const platform::Ssd& ssd) {
    DeviceTelemetry telemetry;
    const hal::Ps elapsed = hw::now();
    telemetry.page_bytes = ssd.configuration().nand.geometry.page_bytes;
    telemetry.host_written_bytes = ssd.front_end().written_bytes();
    telemetry.link = fraction(ssd.front_end().link_busy(), elapsed);
    const hw::CoreStatistics core = ssd.core.statistics();
    telemetry.core = fraction(core.total_busy(), elapsed);
    telemetry.core_by_cause.emplace();
    for (std::size_t cause = 0; cause < hal::kCauses; ++cause) {
        (*telemetry.core_by_cause)[cause] = fraction(core.busy[cause], elapsed);
    }
    telemetry.dram = fraction(ssd.dram.statistics().busy(), elapsed);
    telemetry.channels_by_holder.emplace();
    telemetry.dies_by_holder.emplace();
    for (std::size_t i = 0; i < ssd.channels(); ++i) {
        collect_channel(ssd.channel(i), telemetry, elapsed);
        add_violations(ssd.channel(i).controller.violations(), telemetry);
        for (std::size_t die = 0; die < ssd.channel(i).dies(); ++die) {
            add_violations(ssd.channel(i).array(hal::Die{static_cast<std::uint16_t>(die)}).violations(),
                           telemetry);
        }
    }
    for (double& share : *telemetry.dies_by_holder) {
        share /= static_cast<double>(telemetry.dies.size());
    }
    for (double& share : *telemetry.channels_by_holder) {
        share /= static_cast<double>(telemetry.channels.size());
    }
    telemetry.firmware = ssd.firmware().metrics();
    telemetry.hardware = platform::hardware_metrics(ssd);
    telemetry.map_cache = collect_map_cache(ssd);
    telemetry.block_map = collect_block_map(ssd);
    telemetry.dedup = collect_dedup(ssd);
    return telemetry;
}

DeviceTelemetry telemetry_between(const DeviceTelemetry& begin, hal::Ps begin_at, const DeviceTelemetry& end,
                                  hal::Ps end_at) {
    SOLIDTLM_CHECK(begin_at <= end_at, "the end is not before the begin");
    const auto from = static_cast<double>(begin_at.count());
    const auto to = static_cast<double>(end_at.count());
    const auto between = [from, to](double before, double after) {
        return to > from ? std::max(0.0, after * to - before * from) / (to - from) : 0.0;
    };
    const auto all_between = [&between](const auto& before, auto& after) {
        for (std::size_t i = 0; i < after.size(); ++i) {
            after[i] = between(before[i], after[i]);
        }
    };
    DeviceTelemetry result = end;
    for (std::size_t cause = 0; cause < hal::kCauses; ++cause) {
        result.nand[cause] = end.nand[cause].since(begin.nand[cause]);
    }
    result.host_written_bytes -= begin.host_written_bytes;
    result.firmware = end.firmware.since(begin.firmware);
    result.hardware = end.hardware.since(begin.hardware);
    result.link = between(begin.link, end.link);
    result.core = between(begin.core, end.core);
    result.dram = between(begin.dram, end.dram);
    all_between(begin.channels, result.channels);
    all_between(begin.dies, result.dies);
    all_between(*begin.channels_by_holder, *result.channels_by_holder);
    all_between(*begin.dies_by_holder, *result.dies_by_holder);
    all_between(*begin.core_by_cause, *result.core_by_cause);
    return result;
}

void sample_device(const platform::Ssd& ssd, DeviceSample& sample) {
    sample.link = ssd.front_end().link_busy();
    sample.core = ssd.core.statistics().total_busy();
    sample.dram = ssd.dram.statistics().busy();
    sample.channels.resize(ssd.channels());
    sample.dies.clear();
    for (std::size_t i = 0; i < ssd.channels(); ++i) {
        const hw::NandChannel& channel = ssd.channel(i);
        std::ranges::copy(channel.controller.bus_busy(), sample.channels[i].begin());
        for (const hal::Die die : channel.present()) {
            sample.dies.push_back(channel.controller.die_times(die));
        }
    }
    sample.unwritten_units = ssd.firmware().unwritten_units();
    sample.free_superblocks = ssd.firmware().free_superblocks();
    sample.block_map = ssd.firmware().block_map();
    sample.dedup = ssd.firmware().dedup();
}

FlashWork flash_work(const platform::Ssd& ssd) {
    std::uint64_t programs = 0;
    std::uint64_t erases = 0;
    for (std::size_t i = 0; i < ssd.channels(); ++i) {
        const hw::FlashControllerStatistics& statistics = ssd.channel(i).controller.counts();
        programs = std::accumulate(statistics.programs.begin(), statistics.programs.end(), programs);
        erases = std::accumulate(statistics.erases.begin(), statistics.erases.end(), erases);
    }
    const hw::NandGeometry& geometry = ssd.configuration().nand.geometry;
    return {programs * geometry.page_bytes, erases * geometry.block_bytes()};
}

std::uint64_t count_violations(const platform::Ssd& ssd) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < ssd.channels(); ++i) {
        total += ssd.channel(i).violations();
    }
    return total;
}

std::string first_violation(const platform::Ssd& ssd) {
    for (std::size_t i = 0; i < ssd.channels(); ++i) {
        if (ssd.channel(i).violations() > 0) {
            return ssd.channel(i).first_violation();
        }
    }
    return {};
}

}  // namespace solidtlm::testbench
