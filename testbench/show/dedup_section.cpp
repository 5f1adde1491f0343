// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/dedup_section.h"

#include <algorithm>

#include "testbench/show/json_number.h"

namespace solidtlm::testbench {

Json dedup_section(const DeviceTelemetry& device) {
    SOLIDTLM_CHECK(device.dedup, "the drive deduplicates");
    Json section{{"system", device.dedup->system}};
    for (const auto& [name, metric] : device.firmware.of("dedup").in_order()) {
        std::string path = "/" + name;
        std::ranges::replace(path, '.', '/');
        const double value = metric.in_units();
        section[Json::json_pointer(path)] = metric.unit == "us" ? Json(value) : counter(value);
    }
    const hal::Metrics hash = device.hardware.of("hash");
    section["hash_unit"] = {{"crc32_jobs", hash.count("crc32_jobs")},
                            {"md5_jobs", hash.count("md5_jobs")},
                            {"busy_us", hash.at("busy_us")}};
    return section;
}

}  // namespace solidtlm::testbench
