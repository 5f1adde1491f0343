// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/dedup/deduplicator.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {

/// `config` with deduplication (or "none"), small tables, and four fifths of the possible capacity exported.
inline FirmwareConfig deduplicating(FirmwareConfig config, std::string_view system, Ps idle_threshold) {
    if (system != "none") {
        config.dedup.system = dedup_system(system);
    }
    config.dedup.table_bytes = 64ULL << 10;
    config.dedup.shared_bytes = 16ULL << 10;
    config.idle_threshold = idle_threshold;
    export_everything(config);
    config.exported_sectors = config.exported_sectors * 8 / 10 / 16 * 16;
    return config;
}

}  // namespace solidtlm::fw::testing
