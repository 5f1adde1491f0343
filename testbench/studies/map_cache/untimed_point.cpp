// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "fw/map_cache/untimed_map.h"
#include "platform/flash_times.h"
#include "testbench/results/map_cache_section.h"
#include "testbench/studies/map_cache/point.h"

namespace solidtlm::testbench::map_cache {
namespace {

/// The windows that bsb chose, interval by interval.
class WindowHistory {
  public:
    explicit WindowHistory(const fw::MapCounters& counters) : counters_(counters) {}

    void end_interval() {
        for (std::size_t i = 0; i < counters_.windows.size(); ++i) {
            history_[i].push_back(counters_.windows[i].chosen - before_[i]);
            before_[i] = counters_.windows[i].chosen;
        }
    }
    /// In the order of the counters; empty if nothing was chosen.
    [[nodiscard]] Json to_json() const {
        Json json = Json::array();
        for (std::size_t i = 0; i < counters_.windows.size() && counters_.windows[i].entries != 0; ++i) {
            json.push_back(history_[i]);
        }
        return json;
    }

  private:
    static constexpr std::size_t kMost = std::tuple_size_v<decltype(fw::MapCounters::windows)>;
    const fw::MapCounters& counters_;
    std::array<std::uint64_t, kMost> before_{};
    std::array<std::vector<std::uint64_t>, kMost> history_;
};

}  // namespace

SimulationOutcome run_untimed(const platform::Configuration& configuration, const Load& load) {
    fw::FirmwareConfig firmware = configuration.firmware;
    firmware.map_cache.times = platform::flash_times(configuration.nand);
    fw::UntimedMap map(firmware);
    WindowHistory windows(map.counters());
    const std::uint32_t unit_sectors = firmware.unit_bytes / hal::kSectorBytes;
    std::size_t interval = 1;
    for (const Access& access : load.accesses) {
        each_page_request(access, unit_sectors, [&map](fw::Lpn lpn, bool write, std::uint32_t ahead) {
            map.access(lpn, write, ahead);
        });
        for (; map.counters().lookups * kIntervals >= interval * load.page_requests; ++interval) {
            windows.end_interval();
        }
    }
    SimulationOutcome outcome;
    outcome.result["map_cache"] =
        map_cache_section(MapCacheTelemetry{std::string(fw::policy_name(firmware.map_cache.policy)),
                                            firmware.map_cache.size_bytes,
                                            map.map().translation_pages,
                                            map.counters(),
                                            {},
                                            firmware.map_cache.times});
    outcome.result["map_cache"]["penalty_us"]["measured"] = penalty_section({}, 0);  // nothing took time
    outcome.result["windows_over_time"] = windows.to_json();
    if (const std::string contradiction = map.policy().check(); !contradiction.empty()) {
        outcome.faults.push_back(contradiction);
    }
    return outcome;
}

}  // namespace solidtlm::testbench::map_cache
