// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/host_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"
#include "hw/sata/ata.h"
#include "platform/interface_facts.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/host/pacing/recorded_depth.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/sim/load/workload.h"

namespace solidtlm::testbench {
namespace {

bool has_arrival_times(const RunSpec& run) {
    return !run.traces.empty() || fs::is_fs_workload(run.workload) ||
           parse_workload(run.workload, run.configuration.firmware.exported_sectors).arrivals !=
               Arrivals::none;
}

/// Whether a generated load, at its speed, lasts longer than time does. Traces are measured when they are
/// read.
bool too_slow(const RunSpec& run) {
    if (!run.traces.empty() || run.until || fs::is_fs_workload(run.workload)) {
        return false;
    }
    WorkloadConfig workload = parse_workload(run.workload, run.configuration.firmware.exported_sectors);
    if (run.limit != 0) {
        workload.count = std::min(workload.count, run.limit);
    }
    return mean_seconds(workload) / run.speed > hal::kHorizonSeconds;
}

}  // namespace

std::string pacing_of(const RunSpec& run) {
    SOLIDTLM_CHECK(!run.traces.empty() || !run.workload.empty(), "the run has a trace or a workload");
    if (!run.pacing.empty()) {
        return run.pacing;
    }
    return has_arrival_times(run) ? "open" : "closed";
}

std::uint32_t queue_depth_of(const RunSpec& run) {
    return run.queue_depth.value_or(platform::interface_facts(run.configuration).queue_depth);
}

std::string tags_error(const RunSpec& run) {
    const std::uint32_t depth = queue_depth_of(run);
    return run.configuration.has_nvme() || depth <= hw::ata::kTags
               ? ""
               : fmt::format(
                     "--queue-depth: found {}; allowed where the pacing is not closed: at most {}, as "
                     "NCQ has tags",
                     depth, hw::ata::kTags);
}

Errors check_pacing(const RunSpec& run) {
    Errors errors;
    const std::string pacing = pacing_of(run);
    if (pacing != "open" && run.speed != 1.0) {
        errors.push_back("--speed: found with --pacing " + pacing +
                         ", which looks at no arrival times; allowed: with open");
    }
    if (std::string error = tags_error(run); pacing != "closed" && !error.empty()) {
        errors.push_back(std::move(error));
    }
    return errors;
}

std::string speed_error(const RunSpec& run) {
    return pacing_of(run) == "open" && run.speed < 1.0 && too_slow(run)
               ? fmt::format(
                     "--speed: found {}, with which the workload would last longer than {}; allowed: "
                     "a higher speed, or --until",
                     run.speed, hal::kHorizonText)
               : "";
}

std::unique_ptr<Pacing> make_pacing(const RunSpec& run) {
    Errors errors = check_pacing(run);
    if (std::string error = speed_error(run); !error.empty()) {
        errors.push_back(std::move(error));
    }
    if (!errors.empty()) {
        throw InputError(fmt::format("{}", fmt::join(errors, "\n")));
    }
    const std::string pacing = pacing_of(run);
    if (pacing == "open") {
        return std::make_unique<OpenLoop>(run.speed);
    }
    if (pacing == "recorded_depth") {
        return std::make_unique<RecordedDepth>();
    }
    return std::make_unique<ClosedLoop>(queue_depth_of(run));
}

}  // namespace solidtlm::testbench
