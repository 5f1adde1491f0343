// SPDX-License-Identifier: Apache-2.0
//
// The journal of ext4 in ordered mode, as jbd2 keeps it (Documentation/filesystems/ext4/journal.rst,
// fs/jbd2).
//
// A running transaction collects changed metadata blocks and freed extents. It is committed when it is
// `commit_interval` old, when it fills a quarter of the journal, or when a thread asks for it. The commit
// waits for the data of newly mapped blocks, then writes descriptors, copies of the metadata and revoke
// records in sequence, then a flush, the commit block, and a flush. Then the freed blocks are trimmed and may
// be used again. Metadata is written to its own place later (checkpoint): by age, or when the log has no room
// for another transaction; then the tail in the journal's superblock moves on.
//
// A handle is the code between reserve() and the next wait: its changes belong to one transaction.
//
// Left out: waiting for a block whose copy is just being written, fast commits, recovery of orphans.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "fw/runtime/join.h"
#include "fw/runtime/semaphore.h"
#include "fw/runtime/signal.h"
#include "testbench/sim/load/fs/allocator.h"
#include "testbench/sim/load/fs/block_queue.h"

namespace solidtlm::testbench::fs {

using TransactionId = std::uint64_t;

struct JournalCounts {
    std::uint64_t commits = 0;
    std::uint64_t metadata_blocks = 0;  ///< blocks logged
    std::uint64_t longest_log = 0;      ///< most blocks of one transaction, including its commit block
    std::uint64_t freed_extents = 0;    ///< by committed transactions, with neighbours joined
    std::uint64_t tail_updates = 0;
    /// sum over all commits, from the end of the running state to the last trim waited for
    Ps commit_time{0};
    Ps trim_time{0};  ///< part of commit_time: trims
};

class Journal {
  public:
    /// All references must outlive the journal.
    Journal(const FsConfig& config, const Layout& layout, HostScheduler& scheduler, BlockQueue& queue,
            Allocator& allocator);

    /// Whether reserve() would return without waiting.
    [[nodiscard]] bool has_room(std::uint64_t credits) const;
    /// Opens a transaction if necessary, and waits until a handle that changes up to `credits` blocks fits.
    Task<void> reserve(std::uint64_t credits);

    // In a handle: the transaction changes this block.
    void dirty(Block metadata) { running_->metadata.insert(metadata); }
    /// A metadata block is about to be freed: its copy in the log must not be replayed.
    void forget(Block metadata);
    /// Frees blocks in use; they may be used again after the commit and its trims.
    void free(const Extent& extent);
    [[nodiscard]] TransactionId running() const { return running_->id; }
    /// Keep the returned object until the data of blocks mapped in the open transaction is written: the
    /// transaction does not commit before that. Null if no transaction is open.
    [[nodiscard]] std::shared_ptr<void> order_data();

    /// Waits until the transaction is on disk (and its trims are done, unless they run in the background).
    Task<void> commit(TransactionId id);
    /// Commits all changes, if there are any. Also waits for trims in the background.
    Task<void> commit_all();
    /// Writes metadata that was committed before `time` to its place.
    Task<void> write_back(Ps time);

    /// The open transaction's id; 0: none.
    [[nodiscard]] TransactionId open() const { return running_ ? running_->id : 0; }
    [[nodiscard]] TransactionId committed() const { return committed_; }
    [[nodiscard]] const JournalCounts& counts() const { return counts_; }

  private:
    struct Transaction {
        Transaction(TransactionId number, Ps now, fw::Executor& executor)
            : id(number), opened(now), data(executor, "writes of newly mapped blocks") {}
        TransactionId id;
        Ps opened;
        std::set<Block> metadata;
        std::set<Block> revoked;
        std::map<Block, std::uint64_t> freed;  ///< extents, joined within a group
        fw::Join data;                         ///< outstanding writes of newly mapped blocks
    };
    /// A committed transaction with metadata that is not yet at its place.
    struct Checkpoint {
        TransactionId id = 0;
        std::vector<Block> blocks;
        std::uint64_t unwritten = 0;  ///< metadata blocks that no later transaction logged
        std::uint64_t log_blocks = 0;
        Ps committed{0};
    };

    Task<void> daemon();
    Task<void> timer();
    Task<void> commit_running();
    Task<void> write_log(Transaction& transaction);
    Task<void> write_commit_block();
    Task<void> barrier();
    Task<void> retire(Transaction& transaction, std::uint64_t log_blocks);
    Task<void> discard(std::map<Block, std::uint64_t> freed);
    Task<void> trim_chunks(std::shared_ptr<std::deque<std::vector<Extent>>> chunks, fw::Join& done);
    Task<void> make_space();
    Task<void> write_home(std::vector<Block> blocks);
    Task<void> move_tail();
    void request(TransactionId id);
    void set_written(Block block);
    void drop_written();
    [[nodiscard]] bool pinned(Block block) const;
    [[nodiscard]] bool log_has_room() const;
    [[nodiscard]] std::uint64_t log_blocks(const Transaction& transaction) const;
    std::vector<Extent> take_log(std::uint64_t blocks);

    const FsConfig& config_;
    const Layout& layout_;
    HostScheduler& scheduler_;
    BlockQueue& queue_;
    Allocator& allocator_;
    const std::uint64_t log_size_;
    const std::uint64_t largest_;  ///< most metadata blocks per transaction

    std::shared_ptr<Transaction> running_;
    std::shared_ptr<Transaction> committing_;
    TransactionId next_id_ = 1;
    TransactionId requested_ = 0;
    TransactionId committed_ = 0;
    std::deque<Checkpoint> checkpoints_;  ///< by id, without gaps
    /// metadata to be written to its place, with the last transaction that logged it
    std::map<Block, TransactionId> unwritten_;
    std::uint64_t head_ = 0;         ///< next block of the log to be written
    std::uint64_t used_ = 0;         ///< log blocks from the tail on disk to the head
    std::uint64_t reclaimable_ = 0;  ///< part of used_ before the first transaction that is still needed
    std::uint32_t discards_ = 0;     ///< outstanding trims

    fw::Signal wake_;      ///< the daemon has work to do
    fw::Signal opened_;    ///< a transaction was opened
    fw::Signal switched_;  ///< the running transaction was closed
    fw::Signal done_;      ///< a transaction is on disk, or trims in the background have ended
    fw::Semaphore space_lock_;
    fw::Semaphore home_lock_;  ///< held while metadata is written to its place
    JournalCounts counts_;
};

}  // namespace solidtlm::testbench::fs
