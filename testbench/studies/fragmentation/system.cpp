// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "testbench/sim/request_source.h"
#include "testbench/studies/fragmentation/fragmentation.h"
#include "testbench/studies/kit/flash_cost.h"
#include "testbench/studies/kit/grid.h"

namespace solidtlm::testbench::fragmentation {
namespace {

std::uint64_t scaled(std::uint64_t value, double scale) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * scale));
}

std::vector<std::string> drive_settings(const System& system, const Sweep& sweep,
                                        const platform::Configuration& base) {
    const double scale = sweep.scale * sweep.drive;
    const std::uint64_t blocks = scaled(base.nand.geometry.blocks, scale);
    const std::uint64_t unit = base.firmware.unit_bytes;
    const std::uint64_t capacity = scaled(base.exported_bytes(), scale) / unit * unit;
    const fw::GcConfig& gc = base.firmware.gc;
    const std::uint64_t threshold =
        std::max<std::uint64_t>(scaled(gc.background_threshold, scale), gc.foreground_threshold + 1);
    return {fmt::format("nand.geometry.blocks={}", system.layer == "mtbs" ? 2 * blocks : blocks),
            fmt::format("ssd.capacity={}", std::max(capacity, unit)),
            fmt::format("firmware.gc.background_threshold={}", threshold),
            fmt::format("firmware.translation={}", system.layer),
            fmt::format("firmware.allocation.striping={}", system.striping),
            fmt::format("nand.rules.sequential_pages={}", system.rule)};
}

constexpr double kBytesPerMib = 1U << 20U;
constexpr double kBytesPerKib = 1U << 10U;

/// "desktop" for traces/desktop.trace.xz, "desktop_2" for another file with this name.
std::string trace_name(const std::string& path, const std::vector<Load>& before) {
    const std::string file = std::filesystem::path(path).filename().string();
    const std::string stem = file.substr(0, std::max<std::size_t>(1, file.find('.')));
    std::string name = stem;
    const auto taken = [&](const Load& load) { return load.name == name; };
    for (int number = 2; std::ranges::any_of(before, taken); ++number) {
        name = fmt::format("{}_{}", stem, number);
    }
    return name;
}

bool moves_data(const Request& request) {
    return request.operation == Operation::read || request.operation == Operation::write;
}

/// Adds the request's bytes, place by place.
void add_to_pattern(const Request& request, std::uint64_t sectors_per_place, std::size_t time,
                    Profile& profile) {
    const std::uint64_t end = request.lba.value + request.sectors;
    for (std::uint64_t at = request.lba.value; at < end;) {
        const std::uint64_t place = std::min<std::uint64_t>(at / sectors_per_place, Profile::kPlaces - 1);
        const std::uint64_t stop =
            place + 1 < Profile::kPlaces ? std::min(end, (place + 1) * sectors_per_place) : end;
        profile.pattern[place][time] += static_cast<double>((stop - at) * hal::kSectorBytes) / kBytesPerMib;
        at = stop;
    }
}

}  // namespace

const std::vector<std::string>& layer_names() {
    static const std::vector<std::string> names{"page_map", "fast", "bast", "fmax", "mtbs"};
    return names;
}

std::string System::name() const {
    return fmt::format("{}, striping {}, rule {}", layer, striping, rule ? "on" : "off");
}

std::uint32_t columns_of(const platform::Configuration& configuration) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    const fw::AllocationConfig& allocation = configuration.firmware.allocation;
    if (allocation.striping == fw::StripingMode::full) {
        return geometry.channels * geometry.dies * geometry.planes;
    }
    return planes_of(configuration);
}

SystemPoint system_point(const System& system, const Sweep& sweep, const platform::Configuration& base) {
    std::vector<std::string> settings = drive_settings(system, sweep, base);
    SystemPoint point{system, variant_of(base, settings)};
    if (system.layer == "page_map") {
        return point;
    }
    const std::uint32_t columns = columns_of(point.configuration);
    const std::uint64_t logs = scaled(sweep.log_blocks, sweep.scale) / columns;
    // 0 would mean a share of the drive.
    if (logs == 0) {
        throw platform::ConfigurationError({platform::ConfigurationIssue{
            "--log-blocks", 0, "",
            fmt::format(
                "{} NAND blocks times a scale of {} are no whole block of {} with striping {}; allowed: "
                "at least {}",
                sweep.log_blocks, sweep.scale, columns, system.striping,
                static_cast<std::uint64_t>(std::ceil(columns / sweep.scale)))}});
    }
    settings.push_back(fmt::format("firmware.block_map.log_blocks={}", logs));
    point.configuration = variant_of(base, settings);
    return point;
}

std::vector<SystemPoint> systems_of(const Sweep& sweep, const platform::Configuration& base) {
    std::vector<SystemPoint> points;
    VariantIssues issues;
    for (const std::string& striping : sweep.striping) {
        for (const std::string& layer : sweep.layers) {
            for (const std::string& rule : sweep.rules) {
                const System system{layer, striping, rule == "on"};
                if (layer == "page_map" && rule != sweep.rules.front()) {
                    continue;
                }
                issues.attempt([&] { points.push_back(system_point(system, sweep, base)); });
            }
        }
    }
    issues.report();
    return points;
}

std::uint64_t page_fill_blocks(std::uint64_t pages, const platform::Configuration& configuration) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    // Blocks that are filled in parallel.
    const std::uint64_t open = columns_of(configuration);
    const std::uint64_t row = open * geometry.pages;
    return pages / row * open + std::min(pages % row, open);
}

double page_fill_utilisation(std::uint64_t pages, const platform::Configuration& configuration) {
    const std::uint64_t places = page_fill_blocks(pages, configuration) * configuration.nand.geometry.pages;
    return pages > 0 ? 100.0 * static_cast<double>(pages) / static_cast<double>(places) : 0.0;
}

std::vector<Load> loads_of(const std::vector<std::string>& names, const RunSpec& run, double scale) {
    std::vector<Load> loads;
    RunSpec one = run;
    one.traces.clear();
    for (const std::string& name : names) {
        one.workload = fmt::format("{},scale={}", name, scale);
        loads.push_back(Load{name, one});
    }
    if (!run.workload.empty()) {
        one.workload = run.workload;
        loads.push_back(Load{run.workload, one});
    }
    for (const std::string& trace : run.traces) {
        one = run.with_trace(trace);
        one.workload.clear();
        loads.push_back(Load{trace_name(trace, loads), one});
    }
    return loads;
}

std::unique_ptr<RequestSource> open(const Load& load, const platform::Configuration& configuration) {
    RunSpec run = load.run;
    run.configuration = configuration;
    return make_request_source(run);
}

double Profile::mean_kib() const {
    return requests > 0 ? static_cast<double>(bytes) / static_cast<double>(requests) / kBytesPerKib : 0.0;
}

Profile profile_of(const Load& load, const platform::Configuration& configuration) {
    Profile profile;
    Request request;
    const std::uint32_t unit = configuration.firmware.unit_bytes;
    for (const auto source = open(load, configuration); source->next(request);) {
        if (!moves_data(request)) {
            continue;
        }
        const std::uint64_t bytes = request.sectors * hal::kSectorBytes;
        ++profile.requests;
        profile.bytes += bytes;
        if (request.operation == Operation::write) {
            profile.written_bytes += bytes;
            each_unit(request.lba, request.sectors, unit, [&](hal::Lpn) { ++profile.pages_written; });
        }
    }
    const std::uint64_t per_place =
        std::max<std::uint64_t>(1, configuration.firmware.exported_sectors / Profile::kPlaces);
    std::uint64_t number = 0;
    for (const auto source = open(load, configuration); source->next(request);) {
        if (moves_data(request)) {
            add_to_pattern(request, per_place, number++ * Profile::kTimes / profile.requests, profile);
        }
    }
    return profile;
}

}  // namespace solidtlm::testbench::fragmentation
