// SPDX-License-Identifier: Apache-2.0
//
// The flash area in which firmware records facts that spare areas do not contain. The journal records which
// logical pages were trimmed, and what the indirection, if there is one, notes (indirection.h). A checkpoint,
// written now and then, holds the whole map, so that booting takes bounded time. See log_format.h and
// docs/power-loss.md.
//
// The area is two banks of blocks. Journal pages follow their checkpoint in its bank. When the bank is full,
// or after checkpoint_interval of programs, the other bank is erased and begins with a new checkpoint, after
// which older records are no longer needed. The old bank stays unchanged until then, so that one bank is
// valid after a cut at any instant.
//
// Order. A record gets its sequence number when its logical pages have been unmapped, or in the step in
// which the indirection changes their entries: earlier programs of these pages have smaller numbers, later
// ones larger numbers. No superblock is erased while a record is not on flash: the erase could take away
// the newest copy of a trimmed page and leave an older one that looks valid. A checkpoint waits until every
// program with a smaller number than its own has ended and is mapped. The indirection notes nothing while a
// checkpoint is written: one of its pages could hold an entry whose record has a larger number than the
// checkpoint and never gets to flash.
//
// With a capacitor (RecoveryLogSize::saved_pages), records of the indirection survive although they are not
// on flash: save() writes them when power is lost. The valid bank therefore always keeps room for them; when
// little room is left, a checkpoint is written.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"
#include "fw/flash/allocator.h"
#include "fw/flash/page_job.h"
#include "fw/flash/plane_block_table.h"
#include "fw/hal/check.h"
#include "fw/hal/emergency_flash.h"
#include "fw/hal/metrics.h"
#include "fw/hal/page_store.h"
#include "fw/hal/state_archive.h"
#include "fw/log/boot_report.h"
#include "fw/log/checkpoint_source.h"
#include "fw/log/indirection.h"
#include "fw/log/log_format.h"
#include "fw/log/needs.h"
#include "fw/runtime/join.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

namespace boot_step {
constexpr std::string_view kLog = "recovery_log";  ///< reads the recovery log
}  // namespace boot_step
namespace boot_count {
constexpr std::string_view kLogPages = "log_pages";  ///< pages of the log that were read
}  // namespace boot_count

struct LogCounters {
    std::uint64_t journal_pages = 0;
    std::uint64_t checkpoints = 0;
    std::uint64_t checkpoint_pages = 0;
    std::uint64_t erased_blocks = 0;
    std::uint64_t trim_records = 0;
    std::uint64_t indirection_records = 0;

    void tell(hal::Metrics& metrics, bool with_indirection) const;
};

class RecoveryLog {
  public:
    /// The parts of the firmware that the log works with.
    struct Parts {
        Allocator& allocator;
        CheckpointSource& source;
        hal::PageStore& pages;
        const Indirection* indirection;  ///< null: every map entry is a place
    };
    /// REQUIRES: recovery_log_size(config) is not 0.
    RecoveryLog(Services& services, Parts parts, DramAddress buffers);

    /// After a loss of power, before start().
    Task<LogContent> read(BootReport& report);
    void start();

    /// A TRIM may begin: its record has a place among those that wait, or can never be written.
    [[nodiscard]] bool may_begin_trim() const { return broken_ || may_wait(1); }
    /// Waits until may_begin_trim(); `ledger` (may be null) shows the wait.
    Task<void> wait_for_trim(Ledger* ledger);
    /// Logical pages are about to be unmapped; the returned number names this TRIM in end_trim(). REQUIRES:
    /// may_begin_trim().
    [[nodiscard]] std::uint64_t begin_trim();
    /// The pages have been unmapped, and the host has not written to them since. Some may never have been
    /// mapped.
    void end_trim(std::uint64_t trim, Lpn first, std::uint32_t count);

    /// A record of the indirection, in the step in which it becomes true. REQUIRES: not checkpointing().
    void note(RecordKind kind, std::uint32_t first, std::uint32_t second) {
        SOLIDTLM_CHECK(!checkpointing_, "the indirection does not change while a checkpoint is written");
        note(make_record(kind, first, second, parts_.allocator.next_sequence()));
    }
    /// True while a checkpoint is being written: the indirection may not change.
    [[nodiscard]] bool checkpointing() const { return checkpointing_; }
    [[nodiscard]] bool worn_out() const { return broken_; }  ///< no more records can be written
    /// True if kRecordsAtOnce more records may be noted before the next call. False if as many wait as may,
    /// or room or the whole log is used up, so that a capacitor might not save them.
    [[nodiscard]] bool accepts() const {
        return !broken_ && has_room_for(kRecordsAtOnce) && may_wait(kRecordsAtOnce);
    }
    /// Records that may not be on flash yet, ascending.
    [[nodiscard]] std::span<const LogRecord> waiting() const { return records_; }
    /// Power is being lost and the flash array has stopped: with a capacitor, writes the records of the
    /// indirection that may not be on flash yet. Afterwards only the destructor may be called.
    void save(hal::EmergencyFlash& flash);

    /// True if some record is not on flash yet.
    [[nodiscard]] bool pending() const { return !open_.empty() || persisted_ < recorded_; }
    /// Waits until all records noted before are on flash. False if they can no longer be written.
    Task<bool> persist();

    [[nodiscard]] bool at_rest() const { return asleep_; }
    [[nodiscard]] const LogCounters& counters() const { return counters_; }
    void tell(hal::Metrics& metrics) const { counters_.tell(metrics, parts_.indirection != nullptr); }
    void reset_counters() { counters_ = LogCounters{}; }

    void serialize(hal::StateArchive& archive);

  private:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    struct BlockContent;

    /// A page of a bank.
    struct Place {
        BlockIndex block = 0;
        std::uint32_t page = 0;
    };
    [[nodiscard]] std::uint64_t rows_per_checkpoint() const;
    void next_checkpoint_later();
    void note(const LogRecord& record);
    [[nodiscard]] bool has_room_for(std::uint32_t more) const;
    /// True if `more` records may wait besides those of the TRIMs under way.
    [[nodiscard]] bool may_wait(std::uint32_t more) const {
        return records_.size() + open_.size() + more <= waiting_records_;
    }
    [[nodiscard]] bool cramped() const { return !fresh_ && !has_room_for(kRecordsAtOnce); }
    void measure_room();
    void forget(std::size_t count);
    [[nodiscard]] std::optional<BlockIndex> emptiest(std::uint32_t bank) const;
    std::optional<Place> next_place(std::uint32_t bank);
    Task<void> run();
    Task<bool> write_page(PageJob& job, std::vector<std::byte> content, PageKind kind);
    Task<void> write_journal();
    Task<bool> write_records(std::span<const LogRecord> records);
    Task<void> write_checkpoint();
    Task<void> erase_block(BlockIndex block, Join& join);
    Task<void> write_entries(std::uint64_t checkpoint, std::uint32_t index);
    Task<void> find_entries(std::uint32_t index, std::vector<Ppa>& found, Charge& charge);
    Task<void> read_block(BlockIndex block, BlockContent& content, Join& join);
    void resume(std::vector<BlockContent>& blocks, LogContent& content);
    void adopt(BlockIndex block, std::uint32_t written);
    /// True if this firmware can have written the page.
    [[nodiscard]] bool is_sound(PageKind kind, std::span<const std::byte> page) const;
    [[nodiscard]] bool is_sound_checkpoint(std::span<const std::byte> page) const;
    [[nodiscard]] bool is_sound_record(const LogRecord& record) const;
    bool adopt_checkpoint(std::span<const BlockContent> blocks, LogContent& content) const;

    Services& services_;
    Parts parts_;
    std::uint32_t bank_blocks_;
    std::uint32_t entries_per_page_;
    std::uint32_t records_per_page_;
    std::uint32_t waiting_records_;
    std::uint32_t map_pages_;
    std::uint32_t checkpoint_pages_;
    std::uint32_t table_entries_;
    bool saves_;                  // a capacitor gives save() the energy
    PlaneBlockTable blocks_;      // blocks of both banks
    std::uint32_t bank_ = 0;      // the bank that is being written
    std::uint32_t counting_ = 0;  // the bank valid at a boot; not bank_ while a checkpoint is written
    bool checkpointing_ = false;
    bool fresh_ = false;               // the bank has no journal page after its checkpoint
    std::uint64_t room_ = 0;           // pages left in the valid bank
    bool broken_ = false;              // no writable block is left
    std::vector<LogRecord> records_;   // not on flash, ascending; none that came after broken_
    std::uint64_t unsaved_ = 0;        // how many of records_ are of the indirection
    std::vector<std::uint64_t> open_;  // numbers of TRIMs that have begun, ascending
    std::uint64_t begun_ = 0;
    std::uint64_t recorded_ = 0;            // all records
    std::uint64_t persisted_ = 0;           // those on flash
    std::uint64_t wanted_ = 0;              // persist() waits until persisted_ reaches this
    std::uint64_t checkpoint_at_ = kNever;  // Allocator::allocated() at which the next one is due
    bool asleep_ = false;
    Signal wake_;
    Signal progress_;
    JobPool<PageJob> jobs_;
    LogCounters counters_;
};

}  // namespace solidtlm::fw
