// SPDX-License-Identifier: Apache-2.0
//
// Flash whose lower pages survive a power cut that tears a later page of their word line
// (WordLineProtection::backup).
//
// - A program of a later page waits until the earlier pages of its word lines have copies (backup_copies.h).
//   Programs of a parallel unit begin in the order in which they come. Before a copy is made, those that have
//   begun end: one of them may be that of the page.
// - If there is no room for a copy, the program is refused, and so are later programs of the superblock until
//   it is erased: a boot takes the first erased page for its end. has_room() keeps that from happening,
//   except where several superblocks for copies fail at once (backup_copies.h).
// - The boot finds the superpages that only a copy has. Reads of these get the copy, so the rest of the
//   firmware finds them in place. Collection moves them soon, and the erase of their superblock ends that.
// - Blocks in SLC mode are not concerned: their word lines have one page each.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fw/drive/flash_layer.h"
#include "fw/drive/split_operation.h"
#include "fw/flash/backup_copies.h"
#include "fw/hal/metrics.h"

namespace solidtlm::fw {

namespace boot_step {
constexpr std::string_view kBackup = "backup";  ///< reads copies of lower pages, if there are some
}  // namespace boot_step
namespace boot_count {
constexpr std::string_view kRestored = "restored_superpages";  ///< superpages that only a copy has
}  // namespace boot_count

class BackupFlash : public FlashLayer {
  public:
    /// All must outlive it. REQUIRES: config.flash.copies_lower_pages().
    BackupFlash(const FirmwareConfig& config, Executor& executor, hal::Flash& flash);
    ~BackupFlash() override;

    /// Before the first operation. `services.flash` is this flash. `buffers`: kBackupBuffers.
    void attach(Services& services, DramAddress buffers);

    void submit(hal::FlashOp& op) override;
    [[nodiscard]] std::uint32_t pending(hal::Channel channel, hal::Die die) const override;

    /// After a loss of power, before anything else. Counts the superpages that only a copy has, and those
    /// read.
    Task<void> recover();
    [[nodiscard]] const BackupCounters& counters() const { return counters_; }
    /// Superpages of the parallel unit that only a copy has.
    [[nodiscard]] std::vector<SuperpageAddress> restored(Pu pu) const;
    /// Where the data of the page that the rest of the firmware knows as `page` can be read.
    [[nodiscard]] hal::FlashAddress place_of(const hal::FlashAddress& page) const {
        return place_of(page, true);
    }

    /// Lower pages of what the host programs in `pu`, or of what collection does, can be copied. May become
    /// true when a superblock of `pu` is erased.
    [[nodiscard]] bool has_room(Pu pu, bool for_host) const;
    /// Some parallel unit has no superblocks for copies left, and never will: the drive takes no more writes.
    [[nodiscard]] bool worn_out() const { return worn_out_; }
    /// As Translation::write_stop().
    [[nodiscard]] std::optional<Ps> worn_out_since() const { return worn_out_since_; }

    [[nodiscard]] bool at_rest() const;
    void tell(hal::Metrics& metrics) const;
    void reset_counters() { counters_ = {}; }
    void serialize(hal::StateArchive& archive);

  private:
    /// A parallel unit.
    struct Unit;
    /// A program under way.
    struct Program {
        hal::FlashOp* op = nullptr;
        hal::Completion done;
        Unit* unit = nullptr;
        SuperpageAddress at;
        BackupFlash* owner = nullptr;
    };
    using Reads = SplitOperation<OperationPart>;

    /// Number of a plane among the places for planes of the drive.
    [[nodiscard]] std::size_t plane_place(const hal::FlashAddress& at) const;
    [[nodiscard]] Unit& unit_of(const hal::FlashAddress& at) const;
    [[nodiscard]] SuperpageAddress superpage_of(const hal::FlashAddress& at) const;
    [[nodiscard]] std::uint32_t plane_slot(const hal::FlashAddress& at) const;
    /// The copy that counts for `page`; null: the page itself does.
    [[nodiscard]] const BackupCopies::Copy* copy_for(const hal::FlashAddress& page) const;
    /// Where the page's spare area or, with `data`, its data, too, can be read: where its copy lies, unless
    /// the copy lacks it.
    [[nodiscard]] hal::FlashAddress place_of(const hal::FlashAddress& page, bool data) const;
    Task<void> work(Unit& unit);
    Task<bool> protect(Unit& unit, const hal::FlashOp& op);
    void begin(Unit& unit, hal::FlashOp& op);
    void refuse(Unit& unit, hal::FlashOp& op);
    void look_for_wear(const Unit& unit);
    void ended(Program& program);
    void read(hal::FlashOp& op);
    Task<void> end_read(hal::FlashOp& op, Reads& reads, std::vector<BackupCopies*> copies);
    Task<void> recover(Unit& unit);

    const FirmwareConfig& config_;
    const std::uint32_t planes_;  // of a parallel unit
    Executor& executor_;
    Services* services_ = nullptr;
    const MediaLayout* layout_ = nullptr;
    std::vector<std::unique_ptr<Unit>> units_;  // by Pu
    std::vector<std::uint32_t> by_place_;       // Pu by plane_place()
    std::vector<bool> last_;                    // by page: it is the last one of its word line
    SplitPool<OperationPart> reads_;
    Join recovered_;
    BackupCounters counters_;
    bool worn_out_ = false;
    std::optional<Ps> worn_out_since_;
};

}  // namespace solidtlm::fw
