// SPDX-License-Identifier: Apache-2.0
#include "fw/log/recovery_log.h"

#include <algorithm>
#include <utility>

#include "fw/hal/check.h"
#include "fw/runtime/share_out.h"

namespace solidtlm::fw {
namespace {

bool of_indirection(const LogRecord& record) {
    return record.kind() != RecordKind::trim;
}

}  // namespace

void LogCounters::tell(hal::Metrics& metrics, bool with_indirection) const {
    metrics.counter("log.trim_records", "records", "records of trims noted in the recovery log",
                    trim_records);
    if (with_indirection) {
        metrics.counter("log.dedup_records", "records", "records of shared pages noted in the recovery log",
                        indirection_records);
    }
    metrics.counter("log.journal_pages", "pages", "journal pages programmed", journal_pages);
    metrics.counter("log.checkpoints", "checkpoints", "checkpoints begun", checkpoints);
    metrics.counter("log.checkpoint_pages", "pages", "pages programmed for checkpoints", checkpoint_pages);
    metrics.counter("log.erased_blocks", "blocks", "blocks of the recovery log erased", erased_blocks);
}

RecoveryLog::RecoveryLog(Services& services, Parts parts, DramAddress buffers)
    : services_(services),
      parts_(parts),
      bank_blocks_(recovery_log_size(services.config, services.layout.exported_units()).bank_blocks),
      blocks_(services.layout, services.layout.first(kLogArea), 2 * bank_blocks_),
      wake_(services.executor, "the log has something to write"),
      progress_(services.executor, "the log has come further"),
      jobs_(services.executor, "buffers of the log", kLogJobs, buffers, services.config.flash.page_bytes) {
    const RecoveryLogSize size = recovery_log_size(services.config, services.layout.exported_units());
    SOLIDTLM_CHECK(size.superblocks > 0, "there is room for a recovery log");
    entries_per_page_ = size.entries_per_page;
    records_per_page_ = size.records_per_page;
    waiting_records_ = size.waiting_records;
    map_pages_ = size.map_pages;
    checkpoint_pages_ = size.checkpoint_pages;
    table_entries_ = size.table_entries;
    saves_ = size.saved_pages > 0;
    measure_room();
}

void RecoveryLog::start() {
    if (rows_per_checkpoint() > 0 && checkpoint_at_ == kNever) {
        checkpoint_at_ = parts_.allocator.allocated() + rows_per_checkpoint();
    }
    parts_.allocator.watch(Allocator::Watch{&wake_, &progress_, checkpoint_at_});
    services_.executor.spawn(run());
}

Task<void> RecoveryLog::wait_for_trim(Ledger* ledger) {
    if (ledger != nullptr) {
        ledger->enter(Stage::write_buffer_stall, services_.executor.now());
    }
    while (!may_begin_trim()) {
        co_await progress_.wait();
    }
    if (ledger != nullptr) {
        ledger->enter(Stage::firmware_wait, services_.executor.now());
    }
}

std::uint64_t RecoveryLog::begin_trim() {
    SOLIDTLM_CHECK(may_begin_trim(), "the record of a TRIM has a place");
    SOLIDTLM_CHECK(open_.size() < services_.config.command_slots, "each command trims one stretch at a time");
    open_.push_back(++begun_);
    return begun_;
}

void RecoveryLog::end_trim(std::uint64_t trim, Lpn first, std::uint32_t count) {
    std::erase(open_, trim);
    note(trim_record(first, count, parts_.allocator.next_sequence()));
    progress_.notify();
}

void RecoveryLog::note(const LogRecord& record) {
    ++recorded_;
    ++(of_indirection(record) ? counters_.indirection_records : counters_.trim_records);
    if (broken_) {
        return;  // it will never be on flash
    }
    // A boot notes a reference for each virtual block at most, before anything is trimmed.
    SOLIDTLM_CHECK(records_.size() + open_.size() < waiting_records_ + std::uint64_t{table_entries_},
                   "no more records wait than may");
    records_.push_back(record);
    unsaved_ += of_indirection(record) ? 1 : 0;
    if (records_.size() >= records_per_page_ || cramped()) {
        wake_.notify();
    }
}

/// The first `count` records are on flash: removes them.
void RecoveryLog::forget(std::size_t count) {
    const auto end = records_.begin() + static_cast<std::ptrdiff_t>(count);
    unsaved_ -= static_cast<std::uint64_t>(std::count_if(records_.begin(), end, of_indirection));
    records_.erase(records_.begin(), end);
    persisted_ += count;
}

/// True if `more` records of the indirection would survive a loss of power. Always true if no capacitor has
/// to save them.
bool RecoveryLog::has_room_for(std::uint32_t more) const {
    const std::uint64_t pages = (unsaved_ + more + records_per_page_ - 1) / records_per_page_;
    return !saves_ || room_ >= pages + kSparePages;
}

void RecoveryLog::measure_room() {
    room_ = 0;
    for (std::uint32_t i = 0; i < bank_blocks_; ++i) {
        room_ += blocks_.room(counting_ * bank_blocks_ + i);
    }
}

Task<bool> RecoveryLog::persist() {
    const std::uint64_t begun = begun_;
    while (!open_.empty() && open_.front() <= begun) {
        co_await progress_.wait();
    }
    const std::uint64_t target = recorded_;
    while (persisted_ < target && !broken_) {
        wanted_ = std::max(wanted_, target);
        wake_.notify();
        co_await progress_.wait();
    }
    co_return persisted_ >= target;
}

/// The least written block of `bank`; none if the bank is full.
std::optional<BlockIndex> RecoveryLog::emptiest(std::uint32_t bank) const {
    return blocks_.least([this, bank](BlockIndex block) {
        const bool has_room = block / bank_blocks_ == bank && blocks_.room(block) > 0;
        return has_room ? std::optional(blocks_.info(block).next_page) : std::nullopt;
    });
}

std::optional<RecoveryLog::Place> RecoveryLog::next_place(std::uint32_t bank) {
    const std::optional<BlockIndex> best = emptiest(bank);
    if (!best) {
        return std::nullopt;
    }
    if (!blocks_.in_use(*best)) {
        blocks_.open(*best);
    }
    const Place place{*best, blocks_.begin_program(*best)};
    measure_room();
    return place;
}

/// 0: a checkpoint is due only when the journal needs room.
std::uint64_t RecoveryLog::rows_per_checkpoint() const {
    const MediaLayout& layout = services_.layout;
    const std::uint64_t superpage = std::uint64_t{layout.units_per_superpage()} * layout.unit_bytes();
    const std::uint64_t superpages =
        (services_.config.recovery.checkpoint_interval + superpage - 1) / superpage;
    return superpages * layout.rows();
}

Task<void> RecoveryLog::run() {
    while (true) {
        const bool records = persisted_ < wanted_ || records_.size() >= records_per_page_;
        const bool due = parts_.allocator.allocated() >= checkpoint_at_;
        if (!broken_ && (due || cramped() || (records && !emptiest(bank_)))) {
            services_.decided({.deed = hal::Deed::checkpoint,
                               .reason = due         ? hal::Reason::interval
                                         : cramped() ? hal::Reason::capacitor
                                                     : hal::Reason::log_full,
                               .area = hal::Area::log,
                               .count = checkpoint_pages_});
            co_await write_checkpoint();
        } else if (!broken_ && records) {
            co_await write_journal();
        } else {
            asleep_ = true;
            co_await wake_.wait();
            asleep_ = false;
        }
    }
}

/// Programs one page at the next place, and at further places if that fails. False if the bank has no place
/// left.
Task<bool> RecoveryLog::write_page(PageJob& job, std::vector<std::byte> content, PageKind kind) {
    while (kind == PageKind::checkpoint || has_room_for(0)) {
        const std::optional<Place> place = next_place(bank_);
        if (!place) {
            break;
        }
        const SpareHeader header{parts_.allocator.next_sequence(), kind};
        job.move(services_.config.flash.page_bytes);
        job.prepare_program(services_, blocks_.address(place->block, place->page), header);
        parts_.pages.put(job.op.address[0], content);
        const hal::FlashStatus status = co_await carry_out(services_, job.op, Cause::recovery);
        blocks_.end_program(place->block, status == hal::FlashStatus::ok);
        if (status == hal::FlashStatus::ok) {
            co_return true;
        }
        measure_room();
    }
    co_return false;
}

/// Writes waiting records, as many as one page holds.
Task<void> RecoveryLog::write_journal() {
    const std::size_t count = std::min<std::size_t>(records_.size(), records_per_page_);
    services_.decided({.deed = hal::Deed::journal,
                       .reason = count == records_per_page_ ? hal::Reason::full : hal::Reason::flush,
                       .area = hal::Area::log,
                       .count = static_cast<std::uint32_t>(count)});
    const std::span<const LogRecord> records = std::span<const LogRecord>(records_).first(count);
    fresh_ = false;
    if (co_await write_records(records)) {
        forget(count);
        progress_.notify();
    }
}

/// Writes one page of the journal. False if the bank has no place left.
Task<bool> RecoveryLog::write_records(std::span<const LogRecord> records) {
    const LogHeader header{0, 0, static_cast<std::uint32_t>(records.size()), {}};
    std::vector<std::byte> content = encode_log_page(header, records);
    co_await jobs_.acquire();
    PageJob& job = jobs_.take();
    const bool ok = co_await write_page(job, std::move(content), PageKind::journal);
    jobs_.give_back(job);
    counters_.journal_pages += ok ? 1 : 0;
    co_return ok;
}

/// Begins the other bank with a checkpoint of the whole map; older records are then no longer needed.
Task<void> RecoveryLog::write_checkpoint() {
    Executor& executor = services_.executor;
    const std::uint64_t sequence = parts_.allocator.next_sequence();
    checkpointing_ = true;
    next_checkpoint_later();
    while (!parts_.allocator.settled(sequence)) {
        co_await progress_.wait();
    }
    const auto older = [sequence](const LogRecord& record) { return record.sequence() < sequence; };
    const auto covered = std::ranges::count_if(records_, older);
    bank_ = 1 - bank_;
    Join join(executor, "blocks of the log that are erased");
    join.add(bank_blocks_);
    for (std::uint32_t i = 0; i < bank_blocks_; ++i) {
        executor.spawn(erase_block(bank_ * bank_blocks_ + i, join));
    }
    co_await join.wait();
    const auto write = [this, sequence](std::uint32_t index) { return write_entries(sequence, index); };
    co_await share_out(executor, "buffers of pages of the checkpoint", checkpoint_pages_, kLogJobs, write);
    ++counters_.checkpoints;
    if (!broken_) {
        counting_ = bank_;
        fresh_ = true;
        measure_room();
        forget(static_cast<std::size_t>(covered));
    }
    checkpointing_ = false;
    progress_.notify();
}

/// checkpoint_interval begins again.
void RecoveryLog::next_checkpoint_later() {
    if (rows_per_checkpoint() > 0) {
        checkpoint_at_ = parts_.allocator.allocated() + rows_per_checkpoint();
        parts_.allocator.watch(Allocator::Watch{&wake_, &progress_, checkpoint_at_});
    }
}

/// Erases the block even if it was not written, because a loss of power may have interrupted its last erase.
/// A block whose erase fails is tried again when its bank is used next.
Task<void> RecoveryLog::erase_block(BlockIndex block, Join& join) {
    if (!blocks_.in_use(block)) {
        blocks_.open(block);
    }
    blocks_.begin_erase(block);
    hal::FlashOp op = plane_op(services_, hal::FlashOpcode::erase, blocks_.address(block, 0));
    const hal::FlashStatus status = co_await carry_out(services_, op, Cause::recovery);
    ++blocks_.info(block).erases;
    if (status == hal::FlashStatus::ok) {
        blocks_.recycle(block);
    } else {
        blocks_.fail(block);
    }
    ++counters_.erased_blocks;
    join.done();
}

Task<void> RecoveryLog::write_entries(std::uint64_t checkpoint, std::uint32_t index) {
    co_await jobs_.acquire();
    PageJob& job = jobs_.take();
    std::vector<Ppa> found;
    Charge charge;
    co_await find_entries(index, found, charge);
    co_await services_.executor.spend(charge, 0, nullptr, Cause::recovery);
    const LogHeader header{checkpoint, index, static_cast<std::uint32_t>(found.size()), {}};
    std::vector<std::byte> content = encode_log_page(header, std::span<const Ppa>(found));
    broken_ |= !co_await write_page(job, std::move(content), PageKind::checkpoint);
    ++counters_.checkpoint_pages;
    jobs_.give_back(job);
}

/// Collects the contents of page `index` of a checkpoint.
Task<void> RecoveryLog::find_entries(std::uint32_t index, std::vector<Ppa>& found, Charge& charge) {
    const bool of_map = index < map_pages_;
    const std::uint32_t first = (of_map ? index : index - map_pages_) * entries_per_page_;
    const std::uint32_t all = of_map ? services_.layout.exported_units() : table_entries_;
    found.assign(std::min(entries_per_page_, all - first), kUnmapped);
    if (!of_map) {
        parts_.indirection->read_table(first, found, charge);
    } else {
        co_await parts_.source.read_map(Lpn{first}, found, charge);
    }
}

void RecoveryLog::save(hal::EmergencyFlash& flash) {
    if (!saves_) {
        return;
    }
    std::erase_if(records_, [](const LogRecord& record) { return !of_indirection(record); });
    const BlockTable before = blocks_;
    blocks_.forget();
    for (BlockIndex block = counting_ * bank_blocks_; block < (counting_ + 1) * bank_blocks_; ++block) {
        std::uint32_t written = before.info(block).next_page;  // the last program may not have begun
        while (written > 0 && flash.erased(blocks_.address(block, written - 1))) {
            --written;
        }
        adopt(block, before.info(block).failed ? services_.layout.area_pages() : written);
    }
    std::vector<std::byte> spare(spare_bytes(services_.layout.units_per_page()));
    for (std::span<const LogRecord> left = records_; !left.empty();) {
        const std::size_t count = std::min<std::size_t>(left.size(), records_per_page_);
        const LogHeader header{0, 0, static_cast<std::uint32_t>(count), {}};
        const std::optional<Place> place = next_place(counting_);
        if (!place) {
            return;  // more programs have failed than the spare room allows for
        }
        encode_spare(SpareHeader{parts_.allocator.next_sequence(), PageKind::journal}, kNoLpn, spare);
        parts_.pages.put(blocks_.address(place->block, place->page),
                         encode_log_page(header, left.first(count)));
        const bool ok = flash.program(blocks_.address(place->block, place->page), spare);
        left = ok ? left.subspan(count) : left;
    }
}

void RecoveryLog::serialize(hal::StateArchive& archive) {
    archive(blocks_, bank_, counting_, fresh_, room_, broken_, hal::list(records_), unsaved_, begun_,
            recorded_, persisted_, wanted_, checkpoint_at_, jobs_);
}

}  // namespace solidtlm::fw
