// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/journal.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fw/hal/horizon.h"

namespace solidtlm::testbench::fs {
namespace {

/// Tags per descriptor block: 16 bytes each, after a header of 12 and the UUID of 16, with a checksum of 4 at
/// the end (jbd2.h: journal_header_t, journal_block_tag3_t, jbd2_journal_block_tail).
constexpr std::uint64_t kTagsPerDescriptor = (kBlockBytes - 12 - 16 - 4) / 16;
/// Numbers per revoke block: 8 bytes each, after a header of 16, with a checksum of 4 at the end.
constexpr std::uint64_t kRevokesPerBlock = (kBlockBytes - 16 - 4) / 8;
/// jbd2: a transaction is at most a quarter of the journal (j_max_transaction_buffers).
constexpr std::uint64_t kLargestShare = 4;
/// jbd2_log_space_left(): 32 blocks and an eighth of the space are reserved for descriptors.
constexpr std::uint64_t kLogReserve = 32;
constexpr std::uint64_t kLogReserveShare = 8;

}  // namespace

Journal::Journal(const FsConfig& config, const Layout& layout, HostScheduler& scheduler, BlockQueue& queue,
                 Allocator& allocator)
    : config_(config),
      layout_(layout),
      scheduler_(scheduler),
      queue_(queue),
      allocator_(allocator),
      log_size_(layout.journal().count - 1),
      largest_(layout.journal().count / kLargestShare),
      wake_(scheduler.executor(), "the journal has something to do"),
      opened_(scheduler.executor(), "there is a running transaction"),
      switched_(scheduler.executor(), "the running transaction is one no more"),
      done_(scheduler.executor(), "a transaction is on disk, or trims have ended"),
      space_lock_(scheduler.executor(), "lock of the log's space", 1),
      home_lock_(scheduler.executor(), "lock of metadata on its way home", 1) {
    scheduler.spawn(daemon());
    scheduler.spawn(timer());
}

bool Journal::log_has_room() const {
    const std::uint64_t free = log_size_ - used_;
    const std::uint64_t left =
        free - std::min(free, kLogReserve + (free - std::min(free, kLogReserve)) / kLogReserveShare);
    return left >= largest_ + (committing_ ? log_blocks(*committing_) : 0);
}

bool Journal::has_room(std::uint64_t credits) const {
    return running_ ? running_->metadata.size() + credits <= largest_ : log_has_room();
}

Task<void> Journal::reserve(std::uint64_t credits) {
    while (!has_room(credits)) {
        if (running_) {
            request(running_->id);
            co_await switched_.wait();
        } else {
            co_await make_space();
        }
    }
    if (!running_) {
        running_ = std::make_shared<Transaction>(next_id_++, scheduler_.now(), scheduler_.executor());
        opened_.notify();
    }
}

void Journal::forget(Block metadata) {
    running_->metadata.erase(metadata);
    running_->revoked.insert(metadata);
}

void Journal::free(const Extent& extent) {
    allocator_.free(extent);
    std::map<Block, std::uint64_t>& freed = running_->freed;
    Extent whole = extent;
    const auto joins = [this](Block left, Block right) {
        return layout_.group_of(left) == layout_.group_of(right);
    };
    auto next = freed.upper_bound(whole.first);
    if (next != freed.end() && next->first == whole.end() && joins(whole.first, next->first)) {
        whole.count += next->second;
        next = freed.erase(next);
    }
    if (next != freed.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == whole.first && joins(before->first, whole.first)) {
            before->second += whole.count;
            return;
        }
    }
    freed.emplace_hint(next, whole.first, whole.count);
}

std::shared_ptr<void> Journal::order_data() {
    if (!running_) {
        return nullptr;
    }
    running_->data.add();
    Transaction* transaction = running_.get();
    return {transaction, [keep = running_](Transaction* done) { done->data.done(); }};
}

void Journal::request(TransactionId id) {
    requested_ = std::max(requested_, id);
    wake_.notify();
}

Task<void> Journal::commit(TransactionId id) {
    while (committed_ < id) {
        request(id);
        co_await done_.wait();
    }
}

Task<void> Journal::commit_all() {
    while (running_ || committing_ || discards_ > 0) {
        if (running_) {
            request(running_->id);
        }
        co_await done_.wait();
    }
}

Task<void> Journal::timer() {
    while (true) {
        while (!running_) {
            co_await opened_.wait();
        }
        const TransactionId id = running_->id;
        co_await scheduler_.sleep_until(hal::instant_after(running_->opened, config_.commit_interval));
        if (running_ && running_->id == id) {
            request(id);
            co_await switched_.wait();
        }
    }
}

Task<void> Journal::daemon() {
    while (true) {
        while (!running_ || requested_ < running_->id) {
            co_await wake_.wait();
        }
        co_await commit_running();
    }
}

Task<void> Journal::commit_running() {
    const Ps begin = scheduler_.now();
    committing_ = std::move(running_);
    running_.reset();
    switched_.notify();
    const std::shared_ptr<Transaction> transaction = committing_;
    co_await transaction->data.wait();
    const std::uint64_t blocks = log_blocks(*transaction);
    co_await write_log(*transaction);
    co_await write_commit_block();
    co_await retire(*transaction, blocks);
    ++counts_.commits;
    counts_.metadata_blocks += transaction->metadata.size();
    counts_.longest_log = std::max(counts_.longest_log, blocks);
    counts_.freed_extents += transaction->freed.size();
    const Ps trims_begin = scheduler_.now();
    ++discards_;
    if (config_.discard_in_background) {
        scheduler_.spawn(discard(std::move(transaction->freed)));
    } else {
        co_await discard(std::move(transaction->freed));
        counts_.trim_time += scheduler_.now() - trims_begin;
    }
    counts_.commit_time += scheduler_.now() - begin;
    committing_.reset();
    committed_ = transaction->id;
    done_.notify();
}

std::uint64_t Journal::log_blocks(const Transaction& transaction) const {
    const std::uint64_t copies = transaction.metadata.size();
    return copies + divided_up(copies, kTagsPerDescriptor) +
           divided_up(transaction.revoked.size(), kRevokesPerBlock) + 1;
}

std::vector<Extent> Journal::take_log(std::uint64_t blocks) {
    const Block first = layout_.journal().first + 1;
    std::vector<Extent> extents;
    used_ += blocks;
    while (blocks > 0) {
        const std::uint64_t count = std::min(blocks, log_size_ - head_);
        extents.push_back({first + head_, count});
        head_ = (head_ + count) % log_size_;
        blocks -= count;
    }
    return extents;
}

Task<void> Journal::write_log(Transaction& transaction) {
    fw::Join done(scheduler_.executor(), "writes of the log");
    queue_.transfer(Purpose::journal_log, take_log(log_blocks(transaction) - 1), done);
    co_await done.wait();
}

Task<void> Journal::barrier() {
    fw::Join done(scheduler_.executor(), "flushes");
    queue_.flush(done);
    co_await done.wait();
}

Task<void> Journal::write_commit_block() {
    co_await barrier();
    fw::Join done(scheduler_.executor(), "writes of the commit block");
    queue_.transfer(Purpose::journal_commit, take_log(1), done, config_.fua);
    co_await done.wait();
    if (!config_.fua) {
        co_await barrier();
    }
}

// The transaction is on disk: its metadata may be written to its place, and its revoked blocks need not be.
Task<void> Journal::retire(Transaction& transaction, std::uint64_t log_blocks) {
    if (!transaction.revoked.empty()) {
        // an old copy may be on its way to a block that is about to be reused
        co_await home_lock_.acquire(1);
        const fw::Credits hold(home_lock_, 1);
        for (const Block block : transaction.revoked) {
            set_written(block);
        }
    }
    Checkpoint checkpoint{transaction.id, {}, transaction.metadata.size(), log_blocks, scheduler_.now()};
    checkpoint.blocks.assign(transaction.metadata.begin(), transaction.metadata.end());
    for (const Block block : transaction.metadata) {
        set_written(block);
        unwritten_[block] = transaction.id;
    }
    checkpoints_.push_back(std::move(checkpoint));
    drop_written();
}

void Journal::set_written(Block block) {
    const auto found = unwritten_.find(block);
    if (found == unwritten_.end()) {
        return;
    }
    --checkpoints_[found->second - checkpoints_.front().id].unwritten;
    unwritten_.erase(found);
    drop_written();
}

void Journal::drop_written() {
    while (!checkpoints_.empty() && checkpoints_.front().unwritten == 0) {
        reclaimable_ += checkpoints_.front().log_blocks;
        checkpoints_.pop_front();
    }
}

// Trims the extents that a transaction freed, as configured, and makes them available again.
Task<void> Journal::discard(std::map<Block, std::uint64_t> freed) {
    const bool trims = config_.discard != Discard::none && config_.discard != Discard::fstrim;
    if (!trims) {
        for (const auto& [first, count] : freed) {
            allocator_.release({first, count});
        }
    } else {
        const auto chunks = std::make_shared<std::deque<std::vector<Extent>>>();
        for (const auto& [first, count] : freed) {
            if (chunks->empty() || chunks->back().size() == config_.ranges) {
                chunks->emplace_back();
            }
            chunks->back().push_back({first, count});
        }
        fw::Join done(scheduler_.executor(), "trims of what a transaction freed");
        const std::size_t workers = std::min<std::size_t>(chunks->size(), config_.trims_outstanding);
        for (std::size_t i = 0; i < workers; ++i) {
            done.add();
            scheduler_.spawn(trim_chunks(chunks, done));
        }
        co_await done.wait();
    }
    --discards_;
    done_.notify();
}

Task<void> Journal::trim_chunks(std::shared_ptr<std::deque<std::vector<Extent>>> chunks, fw::Join& done) {
    while (!chunks->empty()) {
        const std::vector<Extent> chunk = std::move(chunks->front());
        chunks->pop_front();
        fw::Join trimmed(scheduler_.executor(), "trims");
        queue_.trim(chunk, config_.discard == Discard::queued, trimmed);
        co_await trimmed.wait();
        for (const Extent& extent : chunk) {
            allocator_.release(extent);
        }
    }
    done.done();
}

// Whether an open transaction has changed the block, which is then written with that transaction.
bool Journal::pinned(Block block) const {
    return (running_ && running_->metadata.contains(block)) ||
           (committing_ && committing_->metadata.contains(block));
}

Task<void> Journal::write_home(std::vector<Block> blocks) {
    co_await home_lock_.acquire(1);
    const fw::Credits hold(home_lock_, 1);
    std::vector<Extent> extents;
    std::vector<std::pair<Block, TransactionId>> written;
    for (const Block block : blocks) {
        const auto found = unwritten_.find(block);
        if (found != unwritten_.end() && !pinned(block)) {
            extents.push_back({block, 1});
            written.emplace_back(block, found->second);
        }
    }
    merge_extents(extents);
    fw::Join done(scheduler_.executor(), "metadata writes");
    queue_.transfer(Purpose::metadata_write, extents, done);
    co_await done.wait();
    for (const auto& [block, id] : written) {
        if (const auto found = unwritten_.find(block); found != unwritten_.end() && found->second == id) {
            set_written(block);
        }
    }
}

Task<void> Journal::write_back(Ps time) {
    std::vector<Block> blocks;
    for (const auto& [block, id] : unwritten_) {
        if (checkpoints_[id - checkpoints_.front().id].committed <= time) {
            blocks.push_back(block);
        }
    }
    if (!blocks.empty()) {
        co_await write_home(std::move(blocks));
    }
}

// Like jbd2's log_do_checkpoint(): the oldest transaction's metadata is written to its place, then the tail
// moves on.
Task<void> Journal::make_space() {
    co_await space_lock_.acquire(1);
    const fw::Credits hold(space_lock_, 1);
    if (running_ || log_has_room()) {
        co_return;  // another thread has made space
    }
    if (reclaimable_ == 0 && !checkpoints_.empty()) {
        const std::vector<Block> blocks = checkpoints_.front().blocks;
        const TransactionId id = checkpoints_.front().id;
        co_await write_home(blocks);
        if (!checkpoints_.empty() && checkpoints_.front().id == id && committing_) {
            co_await done_.wait();  // the rest is in a transaction that is being committed
        }
    }
    if (reclaimable_ > 0) {
        co_await move_tail();
    } else if (checkpoints_.empty() && committing_) {
        co_await done_.wait();
    }
}

Task<void> Journal::move_tail() {
    const std::uint64_t freed = std::exchange(reclaimable_, 0);
    ++counts_.tail_updates;
    co_await barrier();  // metadata at its place must be durable first
    fw::Join done(scheduler_.executor(), "writes of the journal superblock");
    const Extent superblock{layout_.journal().first, 1};
    queue_.transfer(Purpose::journal_superblock, {&superblock, 1}, done, config_.fua);
    co_await done.wait();
    if (!config_.fua) {
        co_await barrier();
    }
    used_ -= freed;
}

}  // namespace solidtlm::testbench::fs
