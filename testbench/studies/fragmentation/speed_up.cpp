// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/speed_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "testbench/host/pacing/closed_loop.h"
#include "testbench/simulation/simulation.h"
#include "testbench/studies/parts/flash_cost.h"
#include "testbench/studies/parts/variants.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr std::array<std::uint32_t, 3> kChannels{1, 2, 4};
constexpr std::array<const char*, 2> kStriping{"none", "full"};

/// The eight pages at once.
class OneWrite : public RequestSource {
  public:
    explicit OneWrite(std::uint64_t bytes) : sectors_(bytes / hal::kSectorBytes) {}
    bool next(Request& request) override {
        request.clear();
        request.operation = Operation::write;
        request.sectors = sectors_;
        return !std::exchange(done_, true);
    }

  private:
    std::uint64_t sectors_;
    bool done_ = false;
};

platform::Configuration four_dies(const platform::Configuration& base, const std::string& layer,
                                  std::uint32_t channels, const char* striping) {
    constexpr std::uint64_t kBlocks = 64;  // a plane; a third of them exported leaves room for any layer
    const hw::NandGeometry& geometry = base.nand.geometry;
    const std::uint64_t capacity = kBlocks * kSpeedUpDies * geometry.planes / 3 * geometry.block_bytes();
    return variant_of(base, {fmt::format("nand.geometry.channels={}", channels),
                             fmt::format("nand.geometry.dies={}", kSpeedUpDies / channels),
                             "nand.geometry.dies_per_way=1", fmt::format("nand.geometry.blocks={}", kBlocks),
                             fmt::format("ssd.capacity={}", capacity), "firmware.gc.foreground_threshold=1",
                             "firmware.gc.background_threshold=3", "firmware.translation=" + layer,
                             "firmware.block_map.log_blocks=0", "firmware.write_buffer.policy=write_through",
                             fmt::format("firmware.allocation.striping={}", striping)});
}

SimulationOutcome run_write(const platform::Configuration& configuration) {
    OneWrite source(std::uint64_t{kSpeedUpPages} * configuration.nand.geometry.page_bytes);
    SimulationSettings settings;
    settings.scenario = "tb_fragmentation";
    settings.configuration = configuration;
    settings.host.content = configuration.content;
    settings.quiet = true;
    return simulate(settings, source, ClosedLoop(1));
}

/// The part of the write's latency that it spends on flash: the study's simulator has neither link nor DRAM.
double flash_us(const Json& result) {
    double total = 0.0;
    for (const auto& [stage, us] : result["ledger"]["by_operation"]["write"].items()) {
        const bool flash = stage == "array" || stage == "channel_transfer" || stage == "write_buffer_stall" ||
                           stage == "gc_stall" || stage.starts_with("die_wait") ||
                           stage.starts_with("channel_wait");
        total += flash ? us.get<double>() : 0.0;
    }
    return total;
}

}  // namespace

double write_time_us(std::uint32_t pages, std::uint32_t dies, std::uint32_t channels, double transfer_us,
                     double program_us) {
    struct Unit {
        std::uint32_t left = 0;
        double ready = 0.0;  ///< asks for the bus from then on
    };
    std::vector<Unit> units(dies);
    std::vector<double> bus(channels, 0.0);
    for (std::uint32_t page = 0; page < pages; ++page) {
        ++units[page % dies].left;
    }
    double end = 0.0;
    for (std::uint32_t page = 0; page < pages; ++page) {
        std::size_t first = dies;
        for (std::size_t die = 0; die < dies; ++die) {
            if (units[die].left > 0 && (first == dies || units[die].ready < units[first].ready)) {
                first = die;
            }
        }
        double& channel = bus[first % channels];
        channel = std::max(channel, units[first].ready) + transfer_us;
        units[first].ready = channel + program_us;
        --units[first].left;
        end = std::max(end, units[first].ready);
    }
    return end;
}

std::vector<PointJob> speed_up_jobs(const platform::Configuration& base, const std::string& layer) {
    std::vector<PointJob> jobs;
    for (const std::uint32_t channels : kChannels) {
        for (const char* striping : kStriping) {
            const platform::Configuration configuration = four_dies(base, layer, channels, striping);
            jobs.push_back(PointJob{fmt::format("eight pages, {} channels, striping {}", channels, striping),
                                    [configuration] { return run_write(configuration); }});
        }
    }
    return jobs;
}

std::vector<SpeedUp> speed_ups_of(const platform::Configuration& base, const std::string& layer,
                                  std::span<const PointOutcome> outcomes) {
    const FlashCost program = program_cost(base, 1);
    const double transfer_us = program.bus_us;
    const double program_us = program.die_us - program.bus_us;
    std::vector<SpeedUp> speed_ups;
    for (std::size_t i = 0; i < kChannels.size(); ++i) {
        const Json& none = outcomes[2 * i].outcome.result;
        const Json& full = outcomes[2 * i + 1].outcome.result;
        if (none.is_null() || full.is_null()) {
            continue;
        }
        const double expected =
            write_time_us(kSpeedUpPages, 1, 1, transfer_us, program_us) /
            write_time_us(kSpeedUpPages, kSpeedUpDies, kChannels[i], transfer_us, program_us);
        speed_ups.push_back(SpeedUp{layer, kChannels[i], flash_us(none), flash_us(full), expected});
    }
    return speed_ups;
}

}  // namespace solidtlm::testbench::fragmentation
