// SPDX-License-Identifier: Apache-2.0
//
// Reading the recovery log after a loss of power.
#include <algorithm>
#include <map>
#include <utility>

#include "fw/log/recovery_log.h"

namespace solidtlm::fw {

/// The contents of one block.
struct RecoveryLog::BlockContent {
    std::uint32_t written = 0;  // pages
    std::vector<std::pair<PageKind, std::span<const std::byte>>> pages;
    std::uint64_t last_sequence = 0;
};

Task<LogContent> RecoveryLog::read(BootReport& report) {
    report.begin_step(services_, boot_step::kLog);
    LogContent content;
    std::uint64_t pages = 0;
    std::vector<BlockContent> blocks(std::size_t{2} * bank_blocks_);
    Join join(services_.executor, "blocks of the log that are read");
    join.add(static_cast<std::uint32_t>(blocks.size()));
    for (BlockIndex block = 0; block < blocks.size(); ++block) {
        services_.executor.spawn(read_block(block, blocks[block], join));
    }
    co_await join.wait();
    for (const BlockContent& block : blocks) {
        pages += block.pages.size();
        content.last_sequence = std::max(content.last_sequence, block.last_sequence);
    }
    resume(blocks, content);
    report.found(boot_count::kLogPages, pages);
    co_return content;
}

Task<void> RecoveryLog::read_block(BlockIndex block, BlockContent& content, Join& join) {
    for (std::uint32_t page = 0; page < services_.layout.area_pages(); ++page) {
        co_await jobs_.acquire();
        PageJob& job = jobs_.take();
        job.move(services_.config.flash.page_bytes);
        job.prepare(services_, hal::FlashOpcode::read, blocks_.address(block, page), true);
        const hal::FlashStatus status = co_await carry_out(services_, job.op, Cause::recovery);
        const SpareHeader header = decode_header(job.op.spare);
        jobs_.give_back(job);
        if (status == hal::FlashStatus::erased) {
            break;
        }
        content.written = page + 1;
        const auto bytes = parts_.pages.get(blocks_.address(block, page));
        if (status == hal::FlashStatus::ok && is_written(header.sequence) && is_sound(header.kind, bytes)) {
            content.last_sequence = std::max(content.last_sequence, header.sequence);
            content.pages.emplace_back(header.kind, bytes);
        }
    }
    join.done();
}

bool RecoveryLog::is_sound(PageKind kind, std::span<const std::byte> page) const {
    if (kind == PageKind::checkpoint) {
        return holds_items<std::uint32_t>(page) && is_sound_checkpoint(page);
    }
    if (kind != PageKind::journal || !holds_items<LogRecord>(page)) {
        return false;
    }
    const std::vector<LogRecord> records = decode_log_items<LogRecord>(page);
    return std::all_of(records.begin(), records.end(),
                       [this](const LogRecord& record) { return is_sound_record(record); });
}

/// Pages before map_pages_ hold map entries, the others hold the table of the indirection.
bool RecoveryLog::is_sound_checkpoint(std::span<const std::byte> page) const {
    const LogHeader header = decode_log_header(page);
    const bool of_map = header.index < map_pages_;
    const std::uint64_t first =
        std::uint64_t{of_map ? header.index : header.index - map_pages_} * entries_per_page_;
    const std::uint64_t all = of_map ? services_.layout.exported_units() : table_entries_;
    if (header.index >= checkpoint_pages_ || !is_written(header.sequence) ||
        header.items != std::min<std::uint64_t>(entries_per_page_, all - first)) {
        return false;
    }
    const std::vector<std::uint32_t> entries = decode_log_items<std::uint32_t>(page);
    return std::all_of(entries.begin(), entries.end(), [this, of_map](std::uint32_t entry) {
        return entry == kUnmapped.value || services_.layout.is_place(Ppa{entry}) ||
               (of_map && parts_.indirection != nullptr && parts_.indirection->denotes(Ppa{entry}));
    });
}

bool RecoveryLog::is_sound_record(const LogRecord& record) const {
    if (!is_written(record.sequence())) {
        return false;
    }
    if (record.kind() == RecordKind::trim) {
        return std::uint64_t{record.first} + record.second <= services_.layout.exported_units();
    }
    return parts_.indirection != nullptr && parts_.indirection->is_sound(record);
}

/// Takes the newest complete checkpoint of a bank, if it is newer than the one in `content`.
bool RecoveryLog::adopt_checkpoint(std::span<const BlockContent> blocks, LogContent& content) const {
    std::map<std::uint64_t, std::map<std::uint32_t, std::span<const std::byte>>> checkpoints;
    for (const BlockContent& block : blocks) {
        for (const auto& [kind, page] : block.pages) {
            if (kind == PageKind::checkpoint) {
                const LogHeader header = decode_log_header(page);
                checkpoints[header.sequence][header.index] = page;
            }
        }
    }
    bool adopted = false;
    for (const auto& [sequence, pages] : checkpoints) {
        content.last_sequence = std::max(content.last_sequence, sequence);
        if (pages.size() < checkpoint_pages_ || sequence <= content.checkpoint) {
            continue;
        }
        content.checkpoint = sequence;
        content.entries.clear();
        content.table.clear();
        for (const auto& [index, page] : pages) {
            const std::vector<std::uint32_t> items = decode_log_items<std::uint32_t>(page);
            std::vector<std::uint32_t>& to = index < map_pages_ ? content.entries : content.table;
            to.insert(to.end(), items.begin(), items.end());
        }
        adopted = true;
    }
    return adopted;
}

/// Finds the newest complete checkpoint and the records after it; writing continues after these.
void RecoveryLog::resume(std::vector<BlockContent>& blocks, LogContent& content) {
    for (std::uint32_t bank = 0; bank < 2; ++bank) {
        const auto first = std::size_t{bank} * bank_blocks_;
        if (adopt_checkpoint(std::span(blocks).subspan(first, bank_blocks_), content)) {
            bank_ = bank;
        }
    }
    for (const BlockContent& block : blocks) {
        for (const auto& [kind, page] : block.pages) {
            for (const LogRecord& record :
                 kind == PageKind::journal ? decode_log_items<LogRecord>(page) : std::vector<LogRecord>{}) {
                content.last_sequence = std::max(content.last_sequence, record.sequence());
                if (record.sequence() >= content.checkpoint) {
                    content.records.push_back(record);
                }
            }
        }
    }
    std::stable_sort(content.records.begin(), content.records.end(),
                     [](const LogRecord& a, const LogRecord& b) { return a.sequence() < b.sequence(); });
    for (BlockIndex block = 0; block < blocks.size(); ++block) {
        adopt(block, blocks[block].written);
    }
    counting_ = bank_;
    measure_room();
}

/// The first `written` pages of the block have been written, or cannot be used.
void RecoveryLog::adopt(BlockIndex block, std::uint32_t written) {
    const bool full = written == services_.layout.area_pages();
    const BlockState in_use = full ? BlockState::closed : BlockState::open;
    blocks_.adopt(block, written == 0 ? BlockState::free : in_use, 0);
    blocks_.info(block).next_page = written;
}

}  // namespace solidtlm::fw
