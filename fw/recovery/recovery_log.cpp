// SPDX-License-Identifier: Apache-2.0
#include "fw/recovery/recovery_log.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fw/limits.h"
#include "fw/media/program_op.h"

namespace solidtlm::fw {

/// A page on its way to or from flash.
struct RecoveryLog::Job {
    hal::FlashOp op;
    hal::FlashPiece piece;
    std::array<std::byte, hal::kMaxSpareBytes> spare{};
    DramAddress buffer;
};

RecoveryLog::RecoveryLog(Environment& environment, Parts parts, DramAddress buffers)
    : environment_(environment),
      parts_(parts),
      wake_(environment.executor),
      progress_(environment.executor),
      credits_(environment.executor, DramMap::kLogJobs) {
    const RecoveryLogSize size = recovery_log_size(environment.config, environment.layout.exported_units());
    bank_blocks_ = size.bank_blocks;
    entries_per_page_ = size.entries_per_page;
    records_per_page_ = size.records_per_page;
    checkpoint_pages_ = size.checkpoint_pages;
    blocks_.resize(std::size_t{2} * bank_blocks_);
    for (std::uint32_t i = 0; i < DramMap::kLogJobs; ++i) {
        jobs_.push_back(std::make_unique<Job>());
        jobs_.back()->buffer = buffers;
        buffers = DramAddress{buffers.value + environment.config.flash.page_bytes};
        free_jobs_.push_back(jobs_.back().get());
    }
}

RecoveryLog::~RecoveryLog() = default;

void RecoveryLog::start() {
    if (superpages_per_checkpoint() > 0) {
        checkpoint_at_ = parts_.allocator.allocated() + superpages_per_checkpoint();
    }
    parts_.allocator.watch(Allocator::Watch{&wake_, &progress_, checkpoint_at_});
    environment_.executor.spawn(run());
}

std::uint64_t RecoveryLog::begin_trim() {
    open_.push_back(++begun_);
    return begun_;
}

void RecoveryLog::end_trim(std::uint64_t trim, Lpn first, std::uint32_t count) {
    std::erase(open_, trim);
    records_.push_back(TrimRecord{first.value, count, parts_.allocator.next_sequence()});
    ++recorded_;
    ++counters_.records;
    if (records_.size() >= records_per_page_) {
        wake_.notify();
    }
    progress_.notify();
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

/// Blocks are numbered plane by plane, so that neighbours lie on different planes and dies.
hal::FlashAddress RecoveryLog::address(std::uint32_t block, std::uint32_t page) const {
    const MediaLayout& layout = environment_.layout;
    const std::uint32_t planes = layout.pus() * layout.planes_per_pu();
    const std::uint32_t plane = block % planes;
    const std::uint32_t first = layout.superblocks() + layout.map_superblocks();
    const SuperpageAddress at{Pu{plane / layout.planes_per_pu()}, Superblock{first + block / planes}, page};
    return layout.address(at, plane % layout.planes_per_pu());
}

/// The next page of the block of the bank that has been written least; none when the bank is full.
std::optional<RecoveryLog::Place> RecoveryLog::next_place() {
    const std::uint32_t first = bank_ * bank_blocks_;
    std::optional<Place> best;
    for (std::uint32_t block = first; block < first + bank_blocks_; ++block) {
        const std::uint32_t page = blocks_[block].written;
        if (!blocks_[block].failed && page < environment_.layout.pages() && (!best || page < best->page)) {
            best = Place{block, page};
        }
    }
    if (best) {
        ++blocks_[best->block].written;
    }
    return best;
}

bool RecoveryLog::full() const {
    const auto bank = std::span(blocks_).subspan(std::size_t{bank_} * bank_blocks_, bank_blocks_);
    return std::all_of(bank.begin(), bank.end(), [this](const Block& block) {
        return block.failed || block.written == environment_.layout.pages();
    });
}

/// 0: only when the journal needs room.
std::uint64_t RecoveryLog::superpages_per_checkpoint() const {
    const std::uint64_t superpage =
        std::uint64_t{environment_.layout.units_per_superpage()} * environment_.layout.unit_bytes();
    return (environment_.config.recovery.checkpoint_interval + superpage - 1) / superpage;
}

Task<void> RecoveryLog::run() {
    while (true) {
        const bool records = persisted_ < wanted_ || records_.size() >= records_per_page_;
        const bool due = parts_.allocator.allocated() >= checkpoint_at_;
        if (!broken_ && (due || (records && full()))) {
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

RecoveryLog::Job& RecoveryLog::take_job() {
    Job& job = *free_jobs_.back();
    free_jobs_.pop_back();
    return job;
}

/// Programs one page at the next place that takes it. False when the bank has none.
Task<bool> RecoveryLog::write_page(Job& job, std::vector<std::byte> content, PageKind kind) {
    const CycleCosts& cycles = environment_.config.cycles;
    const std::uint32_t per_page = environment_.layout.units_per_page();
    std::array<Lpn, hal::kMaxSpareBytes / 4> names{};
    names.fill(kNoLpn);
    while (true) {
        const std::optional<Place> place = next_place();
        if (!place) {
            co_return false;
        }
        job.op = hal::FlashOp{};
        job.op.opcode = hal::FlashOpcode::program;
        job.op.cause = Cause::recovery;
        job.op.address[0] = address(place->block, place->page);
        job.piece = hal::FlashPiece{0, 0, environment_.config.flash.page_bytes, job.buffer};
        job.op.pieces = std::span(&job.piece, 1);
        job.op.spare = std::span(job.spare).first(spare_bytes(per_page));
        encode_spare(SpareHeader{parts_.allocator.next_sequence(), kind}, std::span(names).first(per_page),
                     job.op.spare);
        parts_.pages.put(job.op.address[0], content);
        co_await environment_.executor.spend(cycles.flash_issue, nullptr, Cause::recovery);
        FlashAwaiter done(environment_, job.op);
        const bool ok = co_await done == hal::FlashStatus::ok;
        co_await environment_.executor.spend(cycles.flash_complete, nullptr, Cause::recovery);
        if (ok) {
            co_return true;
        }
        blocks_[place->block].failed = true;
    }
}

/// Records that wait, as many as one page takes.
Task<void> RecoveryLog::write_journal() {
    const std::size_t count = std::min<std::size_t>(records_.size(), records_per_page_);
    const std::span<const TrimRecord> records = std::span<const TrimRecord>(records_).first(count);
    const LogHeader header{0, 0, static_cast<std::uint32_t>(count), {}};
    std::vector<std::byte> content = encode_log_page(header, records);
    co_await credits_.acquire(1);
    Job& job = take_job();
    const bool ok = co_await write_page(job, std::move(content), PageKind::journal);
    free_jobs_.push_back(&job);
    credits_.release(1);
    if (ok) {
        ++counters_.journal_pages;
        records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(count));
        persisted_ += count;
        progress_.notify();
    }
}

/// The other bank begins with the whole map; records older than it need not be kept.
Task<void> RecoveryLog::write_checkpoint() {
    Executor& executor = environment_.executor;
    const std::uint64_t sequence = parts_.allocator.next_sequence();
    if (superpages_per_checkpoint() > 0) {
        checkpoint_at_ = parts_.allocator.allocated() + superpages_per_checkpoint();
        parts_.allocator.watch(Allocator::Watch{&wake_, &progress_, checkpoint_at_});
    }
    const std::uint64_t covered = recorded_;
    while (!parts_.allocator.settled(sequence)) {
        co_await progress_.wait();
    }
    bank_ = 1 - bank_;
    Join join(executor);
    join.add(bank_blocks_);
    for (std::uint32_t i = 0; i < bank_blocks_; ++i) {
        executor.spawn(erase_block(bank_ * bank_blocks_ + i, join));
    }
    co_await join.wait();
    Join written(executor);
    written.add(checkpoint_pages_);
    for (std::uint32_t index = 0; index < checkpoint_pages_; ++index) {
        executor.spawn(write_entries(sequence, index, written));
    }
    co_await written.wait();
    ++counters_.checkpoints;
    if (!broken_ && covered > persisted_) {
        records_.erase(records_.begin(),
                       records_.begin() + static_cast<std::ptrdiff_t>(covered - persisted_));
        persisted_ = covered;
    }
    progress_.notify();
}

Task<void> RecoveryLog::erase_block(std::uint32_t block, Join& join) {
    const CycleCosts& cycles = environment_.config.cycles;
    hal::FlashOp op;
    op.opcode = hal::FlashOpcode::erase;
    op.cause = Cause::recovery;
    op.address[0] = address(block, 0);
    co_await environment_.executor.spend(cycles.flash_issue, nullptr, Cause::recovery);
    FlashAwaiter done(environment_, op);
    blocks_[block] = Block{0, co_await done != hal::FlashStatus::ok};
    ++counters_.erased_blocks;
    co_await environment_.executor.spend(cycles.flash_complete, nullptr, Cause::recovery);
    join.done();
}

Task<void> RecoveryLog::write_entries(std::uint64_t checkpoint, std::uint32_t index, Join& join) {
    co_await credits_.acquire(1);
    Job& job = take_job();
    const std::uint32_t first = index * entries_per_page_;
    const std::uint32_t count = std::min(entries_per_page_, environment_.layout.exported_units() - first);
    std::vector<Ppa> found(count, kUnmapped);
    co_await parts_.map.lookup(Lpn{first}, found, nullptr);
    co_await environment_.executor.spend(0, nullptr, Cause::recovery);
    const LogHeader header{checkpoint, index, count, {}};
    std::vector<std::byte> content = encode_log_page(header, std::span<const Ppa>(found));
    broken_ |= !co_await write_page(job, std::move(content), PageKind::checkpoint);
    ++counters_.checkpoint_pages;
    free_jobs_.push_back(&job);
    credits_.release(1);
    join.done();
}

/// What was found of one block.
struct RecoveryLog::BlockContent {
    std::uint32_t written = 0;  // pages
    std::vector<std::pair<PageKind, std::span<const std::byte>>> pages;
    std::uint64_t last_sequence = 0;
};

Task<LogContent> RecoveryLog::read(RecoveryReport& report) {
    const Ps begin = environment_.executor.now();
    LogContent content;
    std::vector<BlockContent> blocks(std::size_t{2} * bank_blocks_);
    Join join(environment_.executor);
    join.add(static_cast<std::uint32_t>(blocks.size()));
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
        environment_.executor.spawn(read_block(block, blocks[block], join));
    }
    co_await join.wait();
    for (const BlockContent& block : blocks) {
        report.log_pages += block.pages.size();
        content.last_sequence = std::max(content.last_sequence, block.last_sequence);
    }
    resume(blocks, content);
    report.log = environment_.executor.now() - begin;
    co_return content;
}

Task<void> RecoveryLog::read_block(std::uint32_t block, BlockContent& content, Join& join) {
    const CycleCosts& cycles = environment_.config.cycles;
    for (std::uint32_t page = 0; page < environment_.layout.pages(); ++page) {
        co_await credits_.acquire(1);
        Job& job = take_job();
        job.op = hal::FlashOp{};
        job.op.cause = Cause::recovery;
        job.op.address[0] = address(block, page);
        job.piece = hal::FlashPiece{0, 0, environment_.config.flash.page_bytes, job.buffer};
        job.op.pieces = std::span(&job.piece, 1);
        job.op.spare = std::span(job.spare).first(spare_bytes(environment_.layout.units_per_page()));
        co_await environment_.executor.spend(cycles.flash_issue, nullptr, Cause::recovery);
        FlashAwaiter done(environment_, job.op);
        const hal::FlashStatus status = co_await done;
        co_await environment_.executor.spend(cycles.flash_complete, nullptr, Cause::recovery);
        const SpareHeader header = decode_header(job.op.spare);
        free_jobs_.push_back(&job);
        credits_.release(1);
        if (status == hal::FlashStatus::erased) {
            break;
        }
        content.written = page + 1;
        if (status == hal::FlashStatus::ok) {
            content.last_sequence = std::max(content.last_sequence, header.sequence);
            content.pages.emplace_back(header.kind, parts_.pages.get(address(block, page)));
        }
    }
    join.done();
}

/// Finds the newest checkpoint that is whole, and the records since; writing goes on behind them.
void RecoveryLog::resume(std::vector<BlockContent>& blocks, LogContent& content) {
    for (std::uint32_t bank = 0; bank < 2; ++bank) {
        std::map<std::uint64_t, std::map<std::uint32_t, std::span<const std::byte>>> checkpoints;
        for (std::uint32_t i = 0; i < bank_blocks_; ++i) {
            for (const auto& [kind, page] : blocks[bank * bank_blocks_ + i].pages) {
                if (kind == PageKind::checkpoint) {
                    const LogHeader header = decode_log_header(page);
                    checkpoints[header.sequence][header.index] = page;
                }
            }
        }
        for (const auto& [sequence, pages] : checkpoints) {
            content.last_sequence = std::max(content.last_sequence, sequence);
            if (pages.size() < checkpoint_pages_ || sequence <= content.checkpoint) {
                continue;
            }
            content.checkpoint = sequence;
            content.entries.clear();
            for (const auto& [index, page] : pages) {
                const std::vector<std::uint32_t> entries = decode_log_items<std::uint32_t>(page);
                content.entries.insert(content.entries.end(), entries.begin(), entries.end());
            }
            bank_ = bank;
        }
    }
    for (const BlockContent& block : blocks) {
        for (const auto& [kind, page] : block.pages) {
            for (const TrimRecord& record :
                 kind == PageKind::journal ? decode_log_items<TrimRecord>(page) : std::vector<TrimRecord>{}) {
                content.last_sequence = std::max(content.last_sequence, record.sequence);
                if (record.sequence >= content.checkpoint) {
                    content.trims.push_back(record);
                }
            }
        }
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        blocks_[i].written = blocks[i].written;
    }
}

}  // namespace solidtlm::fw
