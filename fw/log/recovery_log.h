// SPDX-License-Identifier: Apache-2.0
//
// The flash on which firmware records what spare areas do not tell. The journal says which logical pages
// were trimmed and which share a physical one; a checkpoint, written now and then, holds the whole map, so
// that booting takes bounded time. See log_format.h, docs/power-loss.md and docs/dedup.md.
//
// The area is two banks of blocks. Journal pages follow their checkpoint in its bank. When the bank is
// full, or after checkpoint_interval of programs, the other bank is erased and begins with a new
// checkpoint, which makes every older record superfluous. The old bank stays as it is until then, so that a
// cut at any instant leaves one bank that counts.
//
// Order. A record gets its sequence number when its logical pages have been unmapped, or in the step in
// which they come to refer to a shared page: earlier programs of these pages have smaller numbers, later
// ones larger numbers. No superblock is erased while a record is not on flash: the erase could take away
// the newest copy of a trimmed page and leave an older one that looks valid. A checkpoint waits until every
// program with a smaller number than its own has ended and is mapped. Nothing is shared while a checkpoint
// is written: one of its pages could name a virtual block whose record has a larger number than the
// checkpoint and never gets to flash.
//
// With a capacitor (dedup.protection), records of duplicates survive although they are not on flash: save()
// writes them when power is lost. The bank that counts therefore always keeps room for them; when room gets
// scarce, a checkpoint is written.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"
#include "fw/flash/allocator.h"
#include "fw/flash/plane_block_table.h"
#include "fw/hal/check.h"
#include "fw/hal/emergency_flash.h"
#include "fw/hal/metrics.h"
#include "fw/hal/page_store.h"
#include "fw/hal/state_archive.h"
#include "fw/log/boot_report.h"
#include "fw/log/checkpoint_source.h"
#include "fw/log/log_format.h"
#include "fw/runtime/join.h"
#include "fw/runtime/semaphore.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

struct LogCounters {
    std::uint64_t journal_pages = 0;
    std::uint64_t checkpoints = 0;
    std::uint64_t checkpoint_pages = 0;
    std::uint64_t erased_blocks = 0;
    std::uint64_t trim_records = 0;
    std::uint64_t dedup_records = 0;  ///< share, refer

    void tell(hal::Metrics& metrics, bool deduplicates) const;
};

class RecoveryLog {
  public:
    /// What the log works with.
    struct Parts {
        Allocator& allocator;
        CheckpointSource& source;
        hal::PageStore& pages;
    };
    /// REQUIRES: recovery_log_size(config) is not 0.
    RecoveryLog(Services& services, Parts parts, DramAddress buffers);
    ~RecoveryLog();

    /// After a loss of power, before start().
    Task<LogContent> read(BootReport& report);
    void start();

    /// Logical pages are about to be unmapped; the returned number names this TRIM in end_trim().
    std::uint64_t begin_trim();
    /// They have been unmapped, and the host has not written to them since. Some may never have been
    /// mapped.
    void end_trim(std::uint64_t trim, Lpn first, std::uint32_t count);

    /// `block` lies at `place` from now on. In the step in which that happens; REQUIRES: not checkpointing().
    void note_share(VirtualBlock block, Ppa place) {
        SOLIDTLM_CHECK(!checkpointing_, "nothing is shared while a checkpoint is written");
        note(share_record(block, place, parts_.allocator.next_sequence()));
    }
    /// `lpn` refers to `block` from now on. In the step in which that happens; REQUIRES: not
    /// checkpointing().
    void note_refer(Lpn lpn, VirtualBlock block) {
        SOLIDTLM_CHECK(!checkpointing_, "nothing is shared while a checkpoint is written");
        note(refer_record(lpn, block, parts_.allocator.next_sequence()));
    }
    /// A checkpoint is being written: nothing may be shared.
    [[nodiscard]] bool checkpointing() const { return checkpointing_; }
    [[nodiscard]] bool worn_out() const { return broken_; }  ///< nothing more can be noted
    /// kRecordsAtOnce more may be noted before this is asked again. False: they might not survive a loss of
    /// power as `dedup.protection` says, because room, or the whole log, is gone.
    [[nodiscard]] bool accepts() const { return !broken_ && has_room_for(kRecordsAtOnce); }
    /// Logical pages whose references are not known to be on flash, in order, some more than once.
    [[nodiscard]] std::vector<Lpn> unwritten_references() const;
    /// Power is being lost, the flash array has stopped: with a capacitor, writes the records of duplicates
    /// that are not known to be on flash. Nothing but the destructor may be called afterwards.
    void save(hal::EmergencyFlash& flash);

    /// True if something was noted that is not on flash.
    [[nodiscard]] bool pending() const { return !open_.empty() || persisted_ < recorded_; }
    /// Waits until everything that was noted before is on flash. False if it cannot be written any more.
    Task<bool> persist();

    [[nodiscard]] bool at_rest() const { return asleep_; }
    [[nodiscard]] const LogCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = LogCounters{}; }

    void serialize(hal::StateArchive& archive);

  private:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    struct Job;
    struct BlockContent;

    /// A page of the bank.
    struct Place {
        BlockIndex block = 0;
        std::uint32_t page = 0;
    };
    [[nodiscard]] std::uint64_t superpages_per_checkpoint() const;
    void note(const LogRecord& record);
    [[nodiscard]] bool has_room_for(std::uint32_t more) const;
    [[nodiscard]] bool cramped() const { return !fresh_ && !has_room_for(kRecordsAtOnce); }
    void measure_room();
    void forget(std::size_t count);
    std::optional<Place> next_place(std::uint32_t bank);
    void encode_page_spare(PageKind kind, std::span<std::byte> spare);
    [[nodiscard]] bool full() const;
    Task<void> run();
    Task<bool> write_page(Job& job, std::vector<std::byte> content, PageKind kind);
    Task<void> write_journal();
    Task<void> write_checkpoint();
    Task<void> erase_block(BlockIndex block, Join& join);
    Task<void> write_entries(std::uint64_t checkpoint, std::uint32_t index, Join& join);
    Task<void> find_entries(std::uint32_t index, std::vector<Ppa>& found, Charge& charge);
    Task<void> read_block(BlockIndex block, BlockContent& content, Join& join);
    void resume(std::vector<BlockContent>& blocks, LogContent& content);
    void adopt(BlockIndex block, std::uint32_t written);
    /// Whether this firmware can have written it.
    [[nodiscard]] bool is_sound(PageKind kind, std::span<const std::byte> page) const;
    [[nodiscard]] bool is_sound_checkpoint(std::span<const std::byte> page) const;
    [[nodiscard]] bool is_sound_record(const LogRecord& record) const;
    [[nodiscard]] bool is_place(std::uint32_t entry) const;
    bool adopt_checkpoint(std::span<const BlockContent> blocks, LogContent& content) const;
    Job& take_job();

    Services& services_;
    Parts parts_;
    std::uint32_t bank_blocks_;
    std::uint32_t entries_per_page_;
    std::uint32_t records_per_page_;
    std::uint32_t map_pages_;
    std::uint32_t checkpoint_pages_;
    PlaneBlockTable blocks_;      // of both banks
    std::uint32_t bank_ = 0;      // is written
    std::uint32_t counting_ = 0;  // counts at a boot: the same, but while a checkpoint is written
    bool checkpointing_ = false;
    bool fresh_ = false;               // no journal page since the checkpoint
    std::uint64_t room_ = 0;           // pages of the bank that counts
    bool broken_ = false;              // no block is left that could be written
    std::vector<LogRecord> records_;   // not on flash, ascending
    std::uint64_t unsaved_ = 0;        // of these, of duplicates
    std::vector<std::uint64_t> open_;  // trims begun, ascending
    std::uint64_t begun_ = 0;
    std::uint64_t recorded_ = 0;
    std::uint64_t persisted_ = 0;
    std::uint64_t wanted_ = 0;              // persist() waits until this many are persisted
    std::uint64_t checkpoint_at_ = kNever;  // allocated superpages at which the next one is due
    bool asleep_ = false;
    Signal wake_;
    Signal progress_;
    Semaphore credits_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<Job*> free_jobs_;
    LogCounters counters_;
};

}  // namespace solidtlm::fw
