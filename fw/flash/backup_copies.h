// SPDX-License-Identifier: Apache-2.0
//
// Copies of superpages that a power cut could destroy because a later page of their word lines is being
// programmed (WordLineProtection::backup), of one parallel unit. They lie in superblocks in SLC mode, whose
// word lines have one page each, so that a cut takes only the copy that is being written.
//
// - The superblocks are written in turn. When few others are free, the copies in the oldest one that still
//   count are written again, and it is erased. One in which an operation has failed takes no more copies;
//   when its turn comes, it is retired.
// - A copy carries the spare area of its superpage, then 12 bytes, little endian: the number of the copy
//   (63:0), the superblock (79:64), the page (93:80), and what could be read when it was made: the spare area
//   (bit 94), the data, too (bit 95). Of two copies of a superpage, the one with the larger number is newer.
//   Data that ECC could not correct is lost, but the spare area still says whose it was: without it, a boot
//   would find older data, or none.
// - A copy counts until its word lines are full, because no cut can take their pages then. Where a boot finds
//   that a cut has taken the superpage, the copy counts until the superblock is erased.
// - A boot takes the newest copy of each superpage. It counts if the superpage cannot be read, nor a later
//   page of its word lines, because a cut takes both. Before a later page is programmed there is a copy from
//   the present life of the superblock, so the newest one is not from an earlier life. If no page of the
//   superblock can be read, its erase was interrupted, and no copy counts: it may be from any life. So a
//   block has two word lines at least (kFewestWordLinesWithCopies, a rule of the configuration), and the last
//   page is not programmed where cuts have taken all word lines but its own. If a page of it can be read in
//   SLC mode, all copies are from earlier lives: pages in that mode need none (fw/flash/block_modes.h).
//
// Room. Copies that count are those that a boot has kept, fewer with each erase, and those of one word line
// of each open superblock. All of them fit into the good superblocks less two: the open one, and one to open
// next. With the good superblocks that remain, has_room() says how many word lines may be in progress:
// - Where there is not enough room for all that can be open, the host waits, until collection has emptied
//   superblocks with kept copies, for which one word line suffices. So what is programmed finds room; it need
//   not wait, nor fail.
// - If cuts in a row leave no room for that either, collection waits too, until TRIM has emptied some.
// - If all that can be open would not fit if nothing were kept, the unit is worn out for good. Where several
//   operations fail at once, programs that have been sent may find no room; they are refused.
//
// Every operation has the cause `recovery`, and is in the ledger of the program that needs the copy.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"
#include "fw/flash/block_table.h"
#include "fw/flash/needs.h"
#include "fw/hal/state_archive.h"
#include "fw/runtime/signal.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

struct BackupCounters {
    std::uint64_t copies = 0;  ///< superpages copied
    std::uint64_t again = 0;   ///< copies written again before an erase
    std::uint64_t erases = 0;
    std::uint64_t retired = 0;   ///< superblocks in which an operation failed
    std::uint64_t refused = 0;   ///< programs
    std::uint64_t restored = 0;  ///< superpages that only a copy has, found at a boot
    std::uint64_t searched = 0;  ///< superpages read at a boot
};

class BackupCopies {
  public:
    /// `buffer`: DRAM for one superpage. All must outlive it.
    BackupCopies(Services& services, Pu pu, DramAddress buffer, BackupCounters& counters);

    /// Planes whose pages could be read when a copy was made; bit i: plane i.
    struct Readable {
        std::uint32_t spare = 0;  ///< spare areas
        std::uint32_t data = 0;   ///< and data

        void serialize(hal::StateArchive& archive) { archive(spare, data); }
    };
    /// A copy of a superpage.
    struct Copy {
        Superblock superblock;  ///< in which it lies
        std::uint32_t page = 0;
        Readable has;
        bool kept = false;  ///< until the superblock of the superpage is erased

        void serialize(hal::StateArchive& archive) { archive(superblock, page, has, kept); }
    };
    /// The copy of `at` that counts; null: none. REQUIRES: `at` lies in this parallel unit.
    [[nodiscard]] const Copy* find(const SuperpageAddress& at) const {
        const auto found = copies_.find(key(at));
        return found == copies_.end() ? nullptr : &found->second;
    }
    /// There is room for the copies of so many word lines in progress, one in each open superblock.
    [[nodiscard]] bool has_room(std::uint32_t word_lines) const {
        return !full_ && kept_ + word_lines * per_word_line_ <= most_;
    }
    /// There is no room any more, nor will there be.
    [[nodiscard]] bool worn_out() const { return full_ || kOpenSuperblocks * per_word_line_ > most_; }

    /// Makes a copy of `at`. False if there is no room, so that the unit is worn out. At most one call at a
    /// time.
    Task<bool> add(SuperpageAddress at, Ledger* ledger);
    /// The word lines of `at` are full, or no program of `at` will be under way: no cut takes its lower
    /// pages.
    void finished(SuperpageAddress at);
    /// `at` is the last page of its superblock, and cuts have taken all other word lines.
    [[nodiscard]] bool spoiled_but_for(const SuperpageAddress& at) const;
    /// The superblock is about to be erased.
    void forget(Superblock superblock);
    /// Where a copy lies.
    [[nodiscard]] SuperpageAddress place(const Copy& copy) const {
        return SuperpageAddress{pu_, copy.superblock, copy.page};
    }

    /// A read of a copy begins and ends: its superblock is not erased meanwhile.
    void begin_read() { ++reads_; }
    void end_read();

    /// After a loss of power.
    Task<void> recover();
    /// Superpages that only a copy has, after recover().
    [[nodiscard]] std::vector<SuperpageAddress> restored() const;
    /// Some copies are kept: reads have to look.
    [[nodiscard]] bool any_kept() const { return kept_ > 0; }

    void serialize(hal::StateArchive& archive);

  private:
    using Key = std::pair<std::uint32_t, std::uint32_t>;  // superblock, page
    struct Found {
        std::uint64_t number = 0;
        Copy copy;
    };
    /// Of a superblock at a boot.
    struct FoundBlock {
        BlockIndex block = 0;
        std::uint32_t written = 0;  // pages; 0: free
        std::uint64_t first = 0;    // number of its first copy
        std::uint64_t last = 0;
    };

    [[nodiscard]] static Key key(const SuperpageAddress& at) { return {at.superblock.value, at.page}; }
    [[nodiscard]] Superblock superblock(BlockIndex block) const { return Superblock{first_.value + block}; }
    [[nodiscard]] BlockInfo& info(const Copy& copy) {
        return blocks_.info(copy.superblock.value - first_.value);
    }
    void count_room();
    [[nodiscard]] bool open_one();
    [[nodiscard]] std::optional<BlockIndex> oldest(std::uint32_t most_valid) const;
    void set(Key of, const Copy& copy);
    void drop(std::map<Key, Copy>::iterator copy);
    Task<void> read_spare(SuperpageAddress at, bool slc, Ledger* ledger);
    Task<Readable> read(SuperpageAddress at, bool slc, Ledger* ledger);
    [[nodiscard]] hal::PlaneSet planes_with(hal::FlashStatus status) const;
    Task<std::optional<Copy>> program(Key of, Readable has, bool kept, Ledger* ledger);
    Task<bool> find_room(Ledger* ledger);
    Task<bool> clean(BlockIndex victim, Ledger* ledger);
    Task<void> erase(BlockIndex victim, Ledger* ledger);
    Task<void> look_through(FoundBlock& found, std::map<Key, Found>& newest);
    void adopt(std::vector<FoundBlock>& found);
    Task<bool> taken_by_cut(SuperpageAddress at);
    Task<bool> in_slc_mode(SuperpageAddress at);
    Task<bool> erase_interrupted(SuperpageAddress at);

    Services& services_;
    const Pu pu_;
    const Superblock first_;  // of the area
    const std::uint32_t planes_;
    const hal::PlaneSet all_;        // planes
    const std::size_t spare_bytes_;  // of a page of data
    const std::uint32_t per_word_line_;
    BackupCounters& counters_;
    BlockTable blocks_;               // superblocks; `valid` copies count
    std::optional<BlockIndex> open_;  // has room
    std::uint32_t most_ = 0;          // copies that count
    bool full_ = false;               // a copy has found no room
    std::uint64_t number_ = 1;        // of the next copy
    std::map<Key, Copy> copies_;
    std::uint32_t kept_ = 0;   // of copies_
    std::uint32_t reads_ = 0;  // of copies, under way
    Signal read_ended_;
    hal::FlashOp op_;
    std::vector<hal::FlashPiece> pieces_;  // the superpage in the buffer
    std::vector<std::byte> spare_;         // its spare areas
    std::vector<std::byte> records_;       // spare areas of a copy
};

}  // namespace solidtlm::fw
