// SPDX-License-Identifier: Apache-2.0
#include "fw/log/needs.h"

#include <algorithm>

namespace solidtlm::fw {

RecoveryLogSize recovery_log_size(const FirmwareConfig& config, std::uint64_t exported_units) {
    if (config.recovery.trims == TrimPersistence::lazy && config.recovery.checkpoint_interval == 0 &&
        !config.dedup.any()) {
        return {};
    }
    const FlashLayout& flash = config.flash;
    RecoveryLogSize size;
    const std::uint32_t room = flash.page_bytes - kLogHeaderBytes;
    size.entries_per_page = room / kMapEntryBytes;
    size.records_per_page = room / kLogRecordBytes;
    size.waiting_records = kLogJobs * size.records_per_page;
    size.map_pages = parts_of(std::max<std::uint64_t>(1, exported_units), size.entries_per_page);
    size.table_entries = config.dedup.shared_pages();
    size.checkpoint_pages = size.map_pages + parts_of(size.table_entries, size.entries_per_page);
    size.saved_pages =
        config.dedup.saved_by_capacitor() ? parts_of(kRecordsAtOnce, size.records_per_page) + kSparePages : 0;
    const std::uint32_t planes = flash.total_planes();
    const std::uint64_t blocks =
        std::uint64_t{parts_of(size.checkpoint_pages + size.saved_pages, flash.area_pages())} + 1;
    size.superblocks = parts_of(2 * blocks, planes);
    size.bank_blocks = size.superblocks * planes / 2;
    return size;
}

RecoveryLogSize recovery_log_size(const FirmwareConfig& config) {
    return recovery_log_size(config, config.exported_units());
}

}  // namespace solidtlm::fw
