// SPDX-License-Identifier: Apache-2.0
#include "fw/host/health_log.h"

#include <algorithm>

namespace solidtlm::fw {

HealthLog::HealthLog(const Services& services, const Translation& translation,
                     std::uint32_t spare_superblocks)
    : services_(services),
      translation_(translation),
      spare_superblocks_(spare_superblocks),
      power_on_(services.executor.now()) {}

void HealthLog::ended(const hal::HostCommand& command, hal::HostStatus status) {
    counts_.uncorrectable_errors += status == hal::HostStatus::uncorrectable ? 1 : 0;
    if (status != hal::HostStatus::ok) {
        return;
    }
    if (command.opcode == hal::HostOpcode::read) {
        ++counts_.read_commands;
        counts_.sectors_read += command.sectors;
    } else if (command.opcode == hal::HostOpcode::write) {
        ++counts_.write_commands;
        counts_.sectors_written += command.sectors;
    }
}

hal::HealthReport HealthLog::report() const {
    const MediaLayout& layout = services_.layout;
    const ReliabilityConfig& config = services_.config.reliability;
    const FlashWear wear = translation_.wear();
    const std::uint64_t superblocks = layout.total_superblocks();
    hal::HealthReport report = counts_;
    report.powered = services_.executor.now() - power_on_;
    report.retired_blocks = wear.retired * layout.planes_per_pu();
    const std::uint64_t reserve = std::uint64_t{layout.pus()} * spare_superblocks_;
    if (wear.retired > 0) {
        const std::uint64_t left = reserve > wear.retired ? reserve - wear.retired : 0;
        report.reserve_percent = static_cast<std::uint32_t>(reserve == 0 ? 0 : 100 * left / reserve);
    }
    const std::uint64_t erases = wear.erases + superblocks * config.prior_cycles;
    report.percentage_used = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(100 * erases / (superblocks * config.rated_cycles), 0xFFFF'FFFF));
    if (const auto stop = translation_.write_stop()) {
        report.read_only = true;
        report.read_only_why = stop->why;
        report.read_only_since = stop->since;
    }
    return report;
}

void HealthLog::serialize(hal::StateArchive& archive) {
    Ps powered = services_.executor.now() - power_on_;
    archive(powered, counts_.read_commands, counts_.write_commands, counts_.sectors_read,
            counts_.sectors_written, counts_.uncorrectable_errors, counts_.power_on_resets);
    power_on_ = services_.executor.now() - powered;
}

}  // namespace solidtlm::fw
