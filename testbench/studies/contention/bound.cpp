// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "fw/map_cache/needs.h"
#include "testbench/studies/contention/contention.h"
#include "testbench/studies/kit/flash_cost.h"

namespace solidtlm::testbench::contention {
namespace {

/// Counts of a result per completed command.
class Counts {
  public:
    Counts(const Json& result, double completed) : result_(result), completed_(completed) {}

    [[nodiscard]] double nand(const std::string& cause, const char* operation) const {
        return result_["nand"]["by_cause"][cause][operation].get<double>() / completed_;
    }
    /// The sum over all causes except `host` and `map`.
    [[nodiscard]] double background(const char* operation) const {
        const double all = result_["nand"][operation].get<double>() / completed_;
        return all - nand("host", operation) - nand("map", operation);
    }
    [[nodiscard]] bool has_cache() const { return result_.contains("map_cache"); }
    [[nodiscard]] double cache(const char* count) const {
        return has_cache() ? result_["map_cache"][count].get<double>() / completed_ : 0.0;
    }
    [[nodiscard]] double flash(const char* count) const {
        return has_cache() ? result_["map_cache"]["flash"][count].get<double>() / completed_ : 0.0;
    }
    /// Sum over the lookups of a request, microseconds.
    [[nodiscard]] double closed_form(const char* part) const {
        if (!has_cache() || result_["map_cache"]["lookups"] == 0) {
            return 0.0;
        }
        return result_["map_cache"]["penalty_us"]["closed_form"][part].get<double>() * cache("lookups");
    }
    /// Share of the misses that a request waits for because it reads.
    [[nodiscard]] double translating_share() const {
        if (!has_cache() || result_["map_cache"]["misses"] == 0) {
            return 0.0;
        }
        return result_["map_cache"]["miss_us"]["translating"]["misses"].get<double>() /
               result_["map_cache"]["misses"].get<double>();
    }
    [[nodiscard]] double commands(const char* kind) const {
        return result_["host"][kind]["count"].get<double>() / completed_;
    }
    [[nodiscard]] double bytes(const char* kind) const {
        return result_["host"][kind]["bytes"].get<double>() / completed_;
    }

  private:
    const Json& result_;
    double completed_;
};

double us(hal::Ps time) {
    return static_cast<double>(time.count()) / 1e6;
}

double ratio(double a, double b) {
    return b > 0.0 ? a / b : 0.0;
}

/// Costs of operations on translation pages.
struct MapCosts {
    double reads = 0.0;  ///< operations per request
    double programs = 0.0;
    FlashCost read;  ///< cost of one operation
    FlashCost program;
};

/// A miss reads what the closed form says, at least one codeword. All other operations are assumed to read
/// one codeword.
MapCosts map_costs(const platform::Configuration& configuration, const Counts& counts) {
    MapCosts costs;
    const double misses = counts.flash("miss_reads");
    costs.reads = counts.nand("map", "reads");
    costs.programs = counts.nand("map", "programs");
    const bool slc = configuration.firmware.flash.slc_areas();
    costs.program = program_cost(configuration, 1, slc);
    costs.read = read_cost(configuration, 1, 1, slc);
    const double array_us = costs.read.die_us - costs.read.bus_us;
    const double moving_us = std::max(0.0, ratio(counts.closed_form("rm"), misses) - array_us);
    const double longer_us = std::max(0.0, moving_us - costs.read.bus_us) * ratio(misses, costs.reads);
    costs.read.bus_us += longer_us;
    costs.read.die_us += longer_us;
    return costs;
}

/// Reads for the host; each reads as many planes as a request may reach together.
struct HostReads {
    double operations = 0.0;  ///< operations per request
    FlashCost cost;
};

HostReads host_reads(const platform::Configuration& configuration, const Counts& counts) {
    const double pages = counts.nand("host", "reads");
    HostReads reads;
    if (pages <= 0.0 || counts.commands("read") <= 0.0) {
        return reads;
    }
    const auto most = static_cast<double>(planes_of(configuration));
    const double planes = std::clamp(std::ceil(pages / counts.commands("read") - 1e-9), 1.0, most);
    reads.operations = pages / planes;
    // Linear in the bytes, which come in whole codewords.
    const double page = configuration.nand.geometry.page_bytes;
    const std::uint32_t unit = configuration.firmware.unit_bytes;
    const auto count = static_cast<std::uint32_t>(planes);
    const FlashCost least = read_cost(configuration, count, unit);
    const FlashCost most_bytes = read_cost(configuration, count, configuration.nand.geometry.page_bytes);
    const double bytes = std::clamp(counts.bytes("read") / pages, 1.0 * unit, page);
    const double more =
        page > unit ? (bytes - unit) / (page - unit) * (most_bytes.bus_us - least.bus_us) : 0.0;
    reads.cost.bus_us = least.bus_us + more;
    reads.cost.die_us = least.die_us + more;
    return reads;
}

double core_us(const platform::Configuration& configuration, const Counts& counts, const HostReads& reads) {
    const fw::CycleCosts& cycles = configuration.firmware.cycles;
    const double unit = configuration.firmware.unit_bytes;
    const double read_units = counts.bytes("read") / unit;
    const double written_units = counts.bytes("write") / unit;
    const double programs = counts.nand("host", "programs") / planes_of(configuration);
    const double flash =
        reads.operations + programs + counts.nand("map", "reads") + counts.nand("map", "programs");
    double sum = cycles.command_fetch + cycles.command_complete + cycles.transfer_issue;
    sum += (read_units + written_units) * cycles.buffer_lookup + read_units * cycles.unit_lookup;
    sum += written_units * (cycles.buffer_insert + cycles.map_update) + programs * cycles.allocate;
    sum += flash * (cycles.flash_issue + cycles.flash_complete);
    sum += counts.cache("lookups") * (cycles.cache_search + cycles.cache_order);
    sum += counts.cache("misses") * cycles.cache_search + counts.flash("miss_reads") * cycles.cache_insert +
           counts.cache("evictions") * cycles.cache_evict;
    return sum / configuration.core.frequency_mhz;
}

double link_of(const platform::Configuration& configuration, const Counts& counts) {
    double sum = 0.0;
    for (const auto& [kind, operation] :
         {std::pair("read", Operation::read), std::pair("write", Operation::write)}) {
        const double commands = counts.commands(kind);
        if (commands > 0.0) {
            sum += commands * link_us(configuration, operation,
                                      static_cast<std::uint32_t>(counts.bytes(kind) / commands));
        }
    }
    return sum;
}

}  // namespace

Demand demand_of(const platform::Configuration& configuration, const Json& result, std::uint32_t depth) {
    const Counts counts(result, result["host"]["completed"].get<double>());
    const MapCosts map = map_costs(configuration, counts);
    const HostReads reads = host_reads(configuration, counts);
    const double planes = planes_of(configuration);
    const FlashCost program = program_cost(configuration, planes_of(configuration));
    const FlashCost unit = read_cost(configuration, 1, configuration.firmware.unit_bytes);
    const double programs = (counts.nand("host", "programs") + counts.background("programs")) / planes /
                            configuration.firmware.flash.pages_per_program;
    const double moves = counts.background("reads");  // at least one unit per read
    const double erases =
        result["nand"]["erases"].get<double>() / result["host"]["completed"].get<double>() / planes;
    Demand demand;
    demand.bytes = counts.bytes("read") + counts.bytes("write");
    demand.link_us = link_of(configuration, counts);
    demand.bus_us = reads.operations * reads.cost.bus_us + programs * program.bus_us + moves * unit.bus_us +
                    map.reads * map.read.bus_us + map.programs * map.program.bus_us;
    demand.map_us = map.reads * map.read.die_us + map.programs * map.program.die_us;
    demand.die_us = reads.operations * reads.cost.die_us + programs * program.die_us + moves * unit.die_us +
                    erases * us(configuration.nand.timing.erase) + demand.map_us;
    demand.core_us = core_us(configuration, counts, reads);
    // Misses whose entry was present when their turn came did not read.
    const double read_misses = counts.flash("miss_reads") * counts.translating_share();
    const double write_backs =
        counts.translating_share() *
        (counts.flash("merge_reads") * map.read.die_us + counts.flash("write_backs") * map.program.die_us);
    demand.miss_us = read_misses * (map.read.die_us + decode_us(configuration)) + write_backs;
    const double with_data = reads.operations > 0.0 ? counts.commands("read") : 0.0;
    demand.series_us = demand.miss_us + demand.link_us + demand.core_us +
                       with_data * (reads.cost.die_us + decode_us(configuration));
    const bool reads_only = counts.commands("read") > 1.0 - 1e-9;
    demand.dies_wanted =
        reads_only ? depth * std::max(1.0, reads.operations) : std::numeric_limits<double>::infinity();
    demand.map_jobs = reads_only ? std::min<double>(depth, fw::kMapJobs) : fw::kMapJobs;
    return demand;
}

std::string_view Bounds::binding() const {
    return kResourceNames[static_cast<std::size_t>(std::ranges::min_element(mb_per_s) - mb_per_s.begin())];
}

double Bounds::least() const {
    return *std::ranges::min_element(mb_per_s);
}

Bounds bounds_of(const Demand& demand, double channels, double dies, double depth) {
    const double working = std::isfinite(demand.dies_wanted) ? busy_dies(demand.dies_wanted, dies) : dies;
    const auto rate = [&demand](double parallel, double time_us) {
        return bound_mb_per_s(parallel, demand.bytes, time_us);
    };
    Bounds bounds;
    bounds.mb_per_s = {
        rate(1.0, demand.link_us), rate(channels, demand.bus_us),        rate(working, demand.die_us),
        rate(1.0, demand.core_us), rate(demand.map_jobs, demand.map_us), rate(depth, demand.series_us)};
    return bounds;
}

}  // namespace solidtlm::testbench::contention
