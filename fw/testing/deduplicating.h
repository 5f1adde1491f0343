// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {

/// `config` with deduplication, small tables, and a fifth of what it may export left free.
inline FirmwareConfig deduplicating(FirmwareConfig config, DedupSystem system, Ps idle_threshold) {
    config.dedup.system = system;
    config.dedup.table_bytes = 64ULL << 10;
    config.dedup.shared_bytes = 16ULL << 10;
    config.dedup.idle_threshold = idle_threshold;
    export_everything(config);
    config.exported_sectors = config.exported_sectors * 8 / 10 / 16 * 16;
    return config;
}

}  // namespace solidtlm::fw::testing
