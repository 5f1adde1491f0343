// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/gallery/burst_metrics.h"

#include <optional>

#include "testbench/studies/kit/flash_cost.h"

namespace solidtlm::testbench::gallery {

BurstScale burst_scale_of(const Drive& drive, const platform::Configuration& configuration) {
    const fw::FirmwareConfig& firmware = configuration.firmware;
    return {scale_of(drive), static_cast<double>(divisor_of(drive, "firmware.write_buffer.size")),
            static_cast<double>(firmware.write_buffer.size_bytes),
            firmware.slc_cache.any()
                ? slc_program_mb_per_s(configuration)
                : bound_mb_per_s(configuration, program_cost(configuration, planes_of(configuration)),
                                 superpage_bytes(configuration))};
}

Json burst_metrics(const BurstSource& source, const BurstScale& scale) {
    constexpr double kMbPerGb = 1000.0;
    const double speed = mb_per_s(source.first());
    const std::optional<Knee> knee = knee_of(source.first());
    Json metrics{{"mb_per_s", speed},
                 {"rested_mb_per_s", mb_per_s(source.second())},
                 {"cliff_gb", nullptr},
                 {"before_mb_per_s", knee ? knee->before_mb_per_s : speed},
                 {"behind_mb_per_s", knee ? knee->after_mb_per_s : speed}};
    if (knee && knee->falls()) {
        const double buffered = buffered_bytes(scale.buffer_bytes, scale.flash_mb_per_s, *knee);
        metrics["cliff_gb"] = scaled_knee(*knee, buffered, scale.size, scale.buffer) / kMb / kMbPerGb;
    }
    return metrics;
}

}  // namespace solidtlm::testbench::gallery
