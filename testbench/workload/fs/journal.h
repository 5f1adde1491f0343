// SPDX-License-Identifier: Apache-2.0
//
// The journal of ext4 in ordered mode, as jbd2 keeps it (Documentation/filesystems/ext4/journal.rst,
// fs/jbd2).
//
// A running transaction collects changed metadata blocks and freed extents. It is committed when it is
// `commit_interval` old, when it is a quarter of the journal, or when a thread asks: data of newly mapped
// blocks is waited for, then come descriptors, copies of the metadata and revoke records in one stretch, a
// flush, the commit block, a flush. Then the freed blocks are trimmed and may be used again. Metadata goes to
// its own place later (checkpoint): by age, or when the log has no room for another transaction; then the
// tail in the journal's superblock moves on.
//
// A handle is the code between reserve() and the next wait: what it changes belongs to one transaction.
//
// Left out: waiting for a block whose copy is just being written, fast commits, orphans' recovery.
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
#include "testbench/workload/fs/allocator.h"
#include "testbench/workload/fs/block_queue.h"

namespace solidtlm::testbench::fs {

using TransactionId = std::uint64_t;

struct JournalCounts {
    std::uint64_t commits = 0;
    std::uint64_t metadata_blocks = 0;  ///< logged
    std::uint64_t longest_log = 0;      ///< blocks of one transaction, commit block included
    std::uint64_t freed_extents = 0;    ///< of the transactions committed, neighbours joined
    std::uint64_t tail_updates = 0;
    Ps commit_time{0};  ///< from the end of the running state to the last trim waited for, all commits
    Ps trim_time{0};    ///< of it, trims
};

class Journal {
  public:
    /// All references must outlive it.
    Journal(const FsConfig& config, const Layout& layout, HostScheduler& scheduler, BlockQueue& queue,
            Allocator& allocator);

    /// reserve() would not wait.
    [[nodiscard]] bool has_room(std::uint64_t credits) const;
    /// Opens a transaction if necessary; waits until a handle that changes up to `credits` blocks fits.
    Task<void> reserve(std::uint64_t credits);

    // In a handle:
    void dirty(Block metadata) { running_->metadata.insert(metadata); }
    /// A metadata block that is about to be freed: what the log has of it must not be replayed.
    void forget(Block metadata);
    /// Blocks in use are freed; they may be used again after the commit and its trims.
    void free(const Extent& extent);
    [[nodiscard]] TransactionId running() const { return running_->id; }
    /// Hold it until data of blocks mapped in the open transaction is written: the transaction does not
    /// commit before. Null when none is open.
    [[nodiscard]] std::shared_ptr<void> order_data();

    /// Waits until the transaction is on disk (and its trims done, unless in the background).
    Task<void> commit(TransactionId id);
    /// Commits what is changed, if anything is. Waits for trims in the background, too.
    Task<void> commit_all();
    /// Writes metadata committed before `time` to its place.
    Task<void> write_back(Ps time);

    /// The open transaction; 0: none.
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
        fw::Join data;                         ///< writes of newly mapped blocks under way
    };
    /// A committed transaction whose metadata is not all in its place.
    struct Checkpoint {
        TransactionId id = 0;
        std::vector<Block> blocks;
        std::uint64_t unwritten = 0;  ///< of them, those that no later transaction logged
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
    const std::uint64_t largest_;  ///< metadata blocks of a transaction

    std::shared_ptr<Transaction> running_;
    std::shared_ptr<Transaction> committing_;
    TransactionId next_id_ = 1;
    TransactionId requested_ = 0;
    TransactionId committed_ = 0;
    std::deque<Checkpoint> checkpoints_;        ///< by id, without gaps
    std::map<Block, TransactionId> unwritten_;  ///< metadata to be written home, and who logged it last
    std::uint64_t head_ = 0;                    ///< of the log, the next block to be written
    std::uint64_t used_ = 0;                    ///< log blocks from the tail on disk to the head
    std::uint64_t reclaimable_ = 0;             ///< of them, those before the first transaction still needed
    std::uint32_t discards_ = 0;                ///< under way

    fw::Signal wake_;      ///< the daemon has something to do
    fw::Signal opened_;    ///< there is a running transaction
    fw::Signal switched_;  ///< the running transaction is one no more
    fw::Signal done_;      ///< a transaction is on disk, or trims in the background have ended
    fw::Semaphore space_lock_;
    fw::Semaphore home_lock_;  ///< metadata on its way to its place
    JournalCounts counts_;
};

}  // namespace solidtlm::testbench::fs
