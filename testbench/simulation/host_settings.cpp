// SPDX-License-Identifier: Apache-2.0
#include "testbench/simulation/host_settings.h"

#include <fmt/format.h>

#include "fw/hal/check.h"
#include "hw/sata/ata.h"
#include "testbench/host/pacing/closed_loop.h"
#include "testbench/host/pacing/open_loop.h"
#include "testbench/host/pacing/recorded_depth.h"
#include "testbench/workload/fs/fs_workload_spec.h"
#include "testbench/workload/workload.h"

namespace solidtlm::testbench {
namespace {

bool has_arrival_times(const CommandLine& line) {
    return !line.traces.empty() || fs::is_fs_workload(line.workload) ||
           parse_workload(line.workload, line.configuration.firmware.exported_sectors).arrivals !=
               Arrivals::none;
}

}  // namespace

std::string pacing_of(const CommandLine& line) {
    SOLIDTLM_CHECK(!line.traces.empty() || !line.workload.empty(), "the line names a trace or a workload");
    if (!line.pacing.empty()) {
        return line.pacing;
    }
    return has_arrival_times(line) ? "open" : "closed";
}

std::uint32_t queue_depth_of(const CommandLine& line) {
    return line.queue_depth.value_or(line.configuration.sata.queue_depth);
}

std::string tags_error(std::uint32_t depth) {
    return depth <= hw::ata::kTags
               ? ""
               : fmt::format(
                     "--queue-depth: found {}; allowed where the pacing is not closed: at most {}, as "
                     "NCQ has tags",
                     depth, hw::ata::kTags);
}

Errors check_pacing(const CommandLine& line) {
    Errors errors;
    const std::string pacing = pacing_of(line);
    if (pacing != "open" && line.speed != 1.0) {
        errors.push_back("--speed: found with --pacing " + pacing +
                         ", which looks at no arrival times; allowed: with open");
    }
    if (std::string error = tags_error(queue_depth_of(line)); pacing != "closed" && !error.empty()) {
        errors.push_back(std::move(error));
    }
    return errors;
}

HostSettings host_settings(const CommandLine& line) {
    if (const Errors errors = check_pacing(line); !errors.empty()) {
        throw InputError(fmt::format("{}", fmt::join(errors, "\n")));
    }
    HostSettings settings;
    settings.config.content = line.configuration.content;
    settings.config.queue_depth = queue_depth_of(line);
    const std::string pacing = pacing_of(line);
    if (pacing == "open") {
        settings.pacing = std::make_unique<OpenLoop>(line.speed);
    } else if (pacing == "recorded") {
        settings.pacing = std::make_unique<RecordedDepth>();
    } else {
        settings.pacing = std::make_unique<ClosedLoop>(settings.config.queue_depth);
    }
    return settings;
}

}  // namespace solidtlm::testbench
