// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/point.h"
#include "testbench/studies/parts/flash_cost.h"

namespace solidtlm::testbench::fragmentation {
namespace {

std::uint64_t count(const Json& section, const char* name) {
    return section[name].get<std::uint64_t>();
}

/// Page mapping: everything programmed that was not erased since lies in blocks that are not free, those that
/// are still being filled among them.
std::optional<double> page_map_utilisation(const Json& result, const platform::Configuration& configuration) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    const std::uint64_t blocks = std::uint64_t{geometry.total_dies()} * geometry.planes * geometry.blocks;
    const std::uint64_t planes = planes_of(configuration);
    const auto free = result["firmware"]["ftl.free_superblocks"].get<double>();
    const std::uint64_t places = (blocks - static_cast<std::uint64_t>(free) * planes) * geometry.pages;
    std::uint64_t programs = count(result["nand"], "programs");
    std::uint64_t erases = count(result["nand"], "erases");
    if (result.contains("precondition")) {
        programs += count(result["precondition"], "programs");
        erases += count(result["precondition"], "erases");
    }
    const std::uint64_t pages = programs - erases * geometry.pages;
    return places > 0 ? std::optional(100.0 * static_cast<double>(pages) / static_cast<double>(places))
                      : std::nullopt;
}

void read_block_map(const Json& map, Observed& observed) {
    const Json& writes = map["writes"];
    observed.writes = {count(writes, "write_data"), count(writes, "update_pure"),
                       count(writes, "update_wasted")};
    const Json& merges = map["merges"];
    observed.merges = {count(merges, "drop"), count(merges, "switch"), count(merges, "partial"),
                       count(merges, "full")};
    if (const Json& utilisation = map["block_utilization"]; !utilisation.is_null()) {
        observed.utilisation = 100.0 * utilisation.get<double>();
    }
}

}  // namespace

Observed observed_of(const SystemPoint& point, const std::string& load, std::uint64_t bytes, Json& result) {
    constexpr double kBytesPerMb = 1e6;
    Observed observed;
    observed.system = point.system;
    observed.load = load;
    const Json& nand = result["nand"];
    observed.work = {count(nand, "reads"), count(nand, "programs"), count(nand, "erases")};
    observed.copies = observed.work.programs - count(nand["by_cause"]["host"], "programs");
    if (result.contains("block_map")) {
        read_block_map(result["block_map"], observed);
    } else {
        observed.writes.data = count(nand["by_cause"]["host"], "programs");
        observed.utilisation = page_map_utilisation(result, point.configuration);
    }
    if (result["host"]["measured_s"].get<double>() > 0.0) {
        observed.mb_per_s = result["host"]["mb_per_s"].get<double>();
    }
    observed.utilisation_over_time = result[kOverTime].get<std::vector<std::pair<double, double>>>();
    result.erase(kOverTime);
    const double seconds = flash_seconds(observed.work, point.configuration);
    observed.flash_bound_mb_per_s = seconds > 0.0 ? static_cast<double>(bytes) / kBytesPerMb / seconds : 0.0;
    return observed;
}

}  // namespace solidtlm::testbench::fragmentation
