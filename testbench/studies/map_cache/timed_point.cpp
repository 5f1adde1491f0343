// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "testbench/host/pacing/closed_loop.h"
#include "testbench/studies/map_cache/point.h"

namespace solidtlm::testbench::map_cache {
namespace {

constexpr std::uint64_t kFillUnits = 64;

/// Units in ascending order, each once.
std::vector<std::uint32_t> touched_units(const Load& load, const platform::Configuration& configuration) {
    const std::uint32_t unit_sectors = configuration.firmware.unit_bytes / hal::kSectorBytes;
    std::vector<bool> touched(configuration.firmware.exported_sectors / unit_sectors + 1);
    for (const Access& access : load.accesses) {
        each_page_request(access, unit_sectors,
                          [&touched](hal::Lpn lpn, bool, std::uint32_t) { touched[lpn.value] = true; });
    }
    std::vector<std::uint32_t> units;
    for (std::uint32_t unit = 0; unit < touched.size(); ++unit) {
        if (touched[unit]) {
            units.push_back(unit);
        }
    }
    return units;
}

/// Writes of whole units that lie side by side, each small enough to be one command.
std::vector<Access> fill_of(const std::vector<std::uint32_t>& units, std::uint32_t unit_sectors) {
    std::vector<Access> fill;
    for (std::size_t begin = 0; begin < units.size();) {
        std::size_t end = begin + 1;
        while (end < units.size() && units[end] == units[end - 1] + 1 && end - begin < kFillUnits) {
            ++end;
        }
        fill.push_back(Access{Lba{std::uint64_t{units[begin]} * unit_sectors},
                              static_cast<std::uint32_t>(end - begin) * unit_sectors, true});
        begin = end;
    }
    return fill;
}

/// The fill, a flush, the load.
class LoadSource : public RequestSource {
  public:
    LoadSource(const Load& load, std::vector<Access> fill) : load_(load), fill_(std::move(fill)) {}

    /// Commands before the first one of the load.
    [[nodiscard]] std::uint64_t warm_up() const { return fill_.size() + 1; }
    [[nodiscard]] std::optional<std::uint64_t> size() const override {
        return warm_up() + load_.accesses.size();
    }
    bool next(Request& request) override {
        request.clear();
        const std::uint64_t number = next_++;
        if (number == fill_.size()) {
            request.operation = Operation::flush;
            return true;
        }
        if (number >= warm_up() + load_.accesses.size()) {
            return false;
        }
        const Access& access = number < fill_.size() ? fill_[number] : load_.accesses[number - warm_up()];
        request.operation = access.write ? Operation::write : Operation::read;
        request.lba = access.lba;
        request.sectors = access.sectors;
        return true;
    }

  private:
    const Load& load_;
    std::vector<Access> fill_;
    std::uint64_t next_ = 0;
};

}  // namespace

SimulationOutcome run_timed(const platform::Configuration& configuration, const Load& load,
                            std::uint32_t depth) {
    const std::uint32_t unit_sectors = configuration.firmware.unit_bytes / hal::kSectorBytes;
    LoadSource source(load, fill_of(touched_units(load, configuration), unit_sectors));
    SimulationSettings settings;
    settings.scenario = "tb_map_cache";
    settings.configuration = configuration;
    settings.host.content = configuration.content;
    settings.host.queue_depth = depth;
    settings.quiet = true;
    settings.warm_up_commands = source.warm_up();
    return simulate(settings, source, ClosedLoop(depth));
}

}  // namespace solidtlm::testbench::map_cache
