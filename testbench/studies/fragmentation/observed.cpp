// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/observed.h"

#include <algorithm>

#include "testbench/studies/parts/flash_cost.h"

namespace solidtlm::testbench::fragmentation {
namespace {

constexpr double kPsPerUs = 1e6;
constexpr double kUsPerSecond = 1e6;

template <class Value>
std::vector<std::string> values_of(std::span<const Observed> all, Value value) {
    std::vector<std::string> found;
    for (const Observed& observed : all) {
        if (std::ranges::find(found, value(observed)) == found.end()) {
            found.push_back(value(observed));
        }
    }
    return found;
}

}  // namespace

double PageWrites::share(std::uint64_t part) const {
    return total() > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(total()) : 0.0;
}

double Observed::write_amplification() const {
    return writes.total() > 0 ? static_cast<double>(work.programs) / static_cast<double>(writes.total())
                              : 0.0;
}

Json Observed::derived() const {
    Json json{{"pages_written", writes.total()},
              {"write_data_share", writes.share(writes.data) / 100.0},
              {"update_pure_share", writes.share(writes.pure) / 100.0},
              {"update_wasted_share", writes.share(writes.wasted) / 100.0},
              {"block_utilisation", utilisation ? Json(*utilisation / 100.0) : Json()},
              {"merges_dropped", merges.drops},
              {"merges_switched", merges.switches},
              {"merges_partial", merges.partial},
              {"merges_full", merges.full},
              {"pages_copied", copies},
              {"blocks_erased", work.erases},
              {"write_amplification", write_amplification()},
              {"flash_bound_mb_per_s", flash_bound_mb_per_s}};
    if (mb_per_s) {
        json["mb_per_s"] = *mb_per_s;
    }
    return json;
}

const Observed* find(std::span<const Observed> all, const System& system, const std::string& load) {
    const auto found = std::ranges::find_if(
        all, [&](const Observed& each) { return each.system == system && each.load == load; });
    return found == all.end() ? nullptr : &*found;
}

std::optional<double> cost_of_rule(std::span<const Observed> all, const Observed& with) {
    System free = with.system;
    free.rule = false;
    const Observed* without = find(all, free, with.load);
    if (!with.system.rule || without == nullptr || without->throughput() <= 0.0) {
        return std::nullopt;
    }
    return 100.0 * (with.throughput() / without->throughput() - 1.0);
}

std::vector<std::string> loads_of(std::span<const Observed> all) {
    return values_of(all, [](const Observed& each) { return each.load; });
}

std::vector<std::string> layers_of(std::span<const Observed> all) {
    return values_of(all, [](const Observed& each) { return each.system.layer; });
}

std::vector<std::string> stripings_of(std::span<const Observed> all) {
    return values_of(all, [](const Observed& each) { return each.system.striping; });
}

double flash_seconds(const FlashWork& work, const platform::Configuration& configuration) {
    const hw::NandConfig& nand = configuration.nand;
    const FlashCost read = read_cost(configuration, 1, nand.geometry.page_bytes);
    const FlashCost program = program_cost(configuration, 1);
    const double erase_us = static_cast<double>(nand.timing.erase.count()) / kPsPerUs;
    const auto reads = static_cast<double>(work.reads);
    const auto programs = static_cast<double>(work.programs);
    const double on_bus = reads * read.bus_us + programs * program.bus_us;
    const double on_dies =
        reads * read.die_us + programs * program.die_us + static_cast<double>(work.erases) * erase_us;
    return std::max(on_bus / nand.geometry.channels, on_dies / nand.geometry.total_dies()) / kUsPerSecond;
}

}  // namespace solidtlm::testbench::fragmentation
