// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd_metrics.h"

#include "fw/flash/block_modes.h"
#include "platform/energy.h"

namespace solidtlm::platform {
namespace {

EnergyCounts energy_counts(const Ssd& ssd) {
    EnergyCounts counts;
    for (std::size_t i = 0; i < ssd.channels(); ++i) {
        const hw::FlashControllerStatistics flash = ssd.channel(i).controller.statistics();
        for (std::size_t cause = 0; cause < hal::kCauses; ++cause) {
            counts.page_reads += flash.reads[cause];
            counts.page_programs += flash.programs[cause];
            counts.block_erases += flash.erases[cause];
        }
        counts.page_reads += flash.read_retries;
        counts.slc_reads += flash.slc_reads;
        counts.slc_programs += flash.slc_programs;
        counts.bus_bytes_out += flash.bytes_out;
        counts.bus_bytes_in += flash.bytes_in;
    }
    const hw::DramStatistics dram = ssd.dram.statistics();
    counts.dram_activations = dram.rows.closed + dram.rows.conflicts;
    counts.dram_bytes = dram.core.bytes + dram.host.bytes + dram.hash.bytes;
    for (const hw::DramPortStatistics& port : dram.flash) {
        counts.dram_bytes += port.bytes;
    }
    counts.link_busy = ssd.front_end().link_busy();
    if (const auto sleep = ssd.front_end().link_sleep()) {
        counts.link_asleep = sleep->asleep;
    }
    counts.core_busy = ssd.core.statistics().total_busy();
    using enum hw::PowerModeName;
    const auto modes = ssd.front_end().power_modes();
    const auto in = [&modes](hw::PowerModeName mode) { return modes[static_cast<std::size_t>(mode)]; };
    counts.device_idle = in(idle);
    counts.device_standby = in(standby) + in(sleep);
    counts.powered = ssd.powered_time();
    return counts;
}

}  // namespace

hal::Metrics hardware_metrics(const Ssd& ssd) {
    hal::Metrics metrics;
    ssd.core.statistics().tell(metrics);
    ssd.front_end().tell_commands(metrics);
    ssd.dram.statistics().tell(metrics);
    ssd.hash.statistics().tell(metrics);
    ssd.front_end().tell_link(metrics);
    for (std::size_t i = 0; i < ssd.channels(); ++i) {
        const hw::NandChannel& channel = ssd.channel(i);
        const hw::FlashControllerStatistics statistics = channel.controller.statistics();
        statistics.tell(metrics);
        if (channel.controller.has_retries()) {
            statistics.tell_retries(metrics);
        }
        if (fw::has_slc_blocks(ssd.configuration().firmware)) {
            statistics.tell_slc(metrics);
        }
        channel.tell_faults(metrics);
    }
    tell_energy(ssd.configuration(), energy_counts(ssd), metrics);
    return metrics;
}

}  // namespace solidtlm::platform
