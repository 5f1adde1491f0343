// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/pacing/closed_loop.h"
#include "testbench/studies/fragmentation/page_fill.h"
#include "testbench/studies/fragmentation/point.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr double kPerMille = 10.0;  ///< of a percent

/// From the series of a run. That of page mapping follows from what it has programmed, on an empty drive.
Json over_time(const Json& result, const platform::Configuration& configuration) {
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

}  // namespace

SimulationOutcome run_timed(const SystemPoint& point, const Load& load, std::uint32_t depth) {
    const platform::Configuration& configuration = point.configuration;
    const std::unique_ptr<RequestSource> source = open(load, configuration);
    SimulationSettings settings;
    settings.scenario = "tb_fragmentation";
    settings.configuration = configuration;
    settings.host.content = configuration.content;
    settings.host.queue_depth = depth;
    settings.quiet = true;
    settings.precondition = load.line.precondition;
    SimulationOutcome outcome = simulate(settings, *source, ClosedLoop(depth));
    outcome.result[kOverTime] = over_time(outcome.result, configuration);
    return outcome;
}

}  // namespace solidtlm::testbench::fragmentation
