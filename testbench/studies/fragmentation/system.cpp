// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "testbench/studies/parts/flash_cost.h"
#include "testbench/studies/parts/variants.h"

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

}  // namespace

const std::vector<std::string>& layer_names() {
    static const std::vector<std::string> names{"page_map", "fast", "bast",      "fmax",
                                                "kast",     "mtbs", "superblock"};
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
    // 0 would stand for a share of the drive.
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
                try {
                    points.push_back(system_point(system, sweep, base));
                } catch (const platform::ConfigurationError& error) {
                    issues.add(error);
                }
            }
        }
    }
    issues.report();
    return points;
}

}  // namespace solidtlm::testbench::fragmentation
