// SPDX-License-Identifier: Apache-2.0
//
// After a loss of power, finds out from the spare areas alone what the data area holds: the newest place of
// every logical page, which superblocks are free or full, and where writing stopped.
//
// Rules. Of two readable pages that carry one LPN, the one with the larger sequence number is newer. A page
// that cannot be read was being programmed when power went: its write was not acknowledged, so it does not
// count. Neither does a page whose header this firmware cannot have written. A page that is erased on every
// plane ends its superblock, because pages are programmed in order. With parity over dies it does so only
// if the next ones are erased, too: one die may have been late when power went, and a later erase may have
// failed on that die alone. A superblock without any readable page was being erased (or had only begun to
// be written): it is erased again at once.
//
// If the recovery log has a checkpoint, superblocks that were full when it was written are not read again.
//
// No record tells the mode of a superblock that may change it. A page that cannot be read in normal mode is
// read again in SLC mode, until one page of the superblock has been read and the mode is known.
//
// What belongs to an indirection goes to its FoundIndirection (indirection.h), which may change entries.
//
// Two coroutines read each parallel unit, so that its dies always have the next read waiting. Only spare
// areas cross the bus.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "fw/drive/services.h"
#include "fw/flash/spare.h"
#include "fw/hal/zeroed_memory.h"
#include "fw/log/found_entries.h"
#include "fw/log/indirection.h"
#include "fw/log/log_format.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

/// The state in which a superblock was found.
struct FoundSuperblock {
    std::uint32_t written = 0;       ///< pages up to the last one that is not erased on every plane; 0: free
    std::uint32_t erases = 0;        ///< according to its first readable page; 0 if no page could be read
    std::uint64_t sequence = 0;      ///< the largest in it
    PageKind kind = PageKind::host;  ///< kind of its last readable page
    std::uint64_t first_sequence = 0;  ///< of its first readable page
    bool readable = false;             ///< at least one page
    bool bad = false;                  ///< erasing it again failed
    bool slc = false;                  ///< it is in SLC mode
};

struct ScanCounters {
    std::uint64_t reads = 0;       ///< superpages read
    std::uint64_t unreadable = 0;  ///< superpages unreadable on at least one plane
    std::uint64_t erased = 0;      ///< superblocks erased again
};

class MediaScan {
  public:
    /// `since`: a checkpoint has the contents of all pages with smaller sequence numbers. If the last page of
    /// a superblock has a smaller one, only that page is read. 0: no checkpoint.
    explicit MediaScan(Services& services, std::uint64_t since = 0, FoundIndirection* indirection = nullptr);
    MediaScan(const MediaScan&) = delete;
    MediaScan& operator=(const MediaScan&) = delete;
    ~MediaScan();

    Task<void> run();
    /// Called once after run(): adds the contents of the log. An entry of its checkpoint counts if no newer
    /// page was found; trimmed pages are dropped.
    void add(const LogContent& log);

    [[nodiscard]] const FoundSuperblock& found(Pu pu, Superblock superblock) const {
        return found_[pu.value * services_.layout.superblocks() + superblock.value];
    }
    /// The map entry of `lpn`: its newest place, a number of the indirection (after add()), or kUnmapped.
    [[nodiscard]] Ppa newest(Lpn lpn) const { return entries_[lpn]; }
    /// All map entries, ascending: `visit`(Lpn, Ppa).
    template <class Visit>
    void each_entry(Visit visit) const {
        entries_.each(visit);
    }

    // For FoundIndirection.
    void set(Lpn lpn, Ppa entry) { entries_.set(lpn, entry); }
    /// True if a record with this number is newer than all that is known of `lpn`.
    [[nodiscard]] bool outdated(Lpn lpn, std::uint64_t sequence) const;
    /// True if `known` is kUnmapped or the place of an older page than `ppa`.
    [[nodiscard]] bool newer(Ppa ppa, Ppa known) const;
    /// True if `place` still holds the page that it held at `sequence`.
    [[nodiscard]] bool still_there(Ppa place, std::uint64_t sequence) const;

    /// Sequence number of the page at `ppa`; 0 if it was not read, because it is older than the checkpoint.
    [[nodiscard]] std::uint64_t sequence(Ppa ppa) const {
        return sequences_[ppa.value / services_.layout.units_per_superpage()];
    }
    /// Planes that no longer answer: none of their pages can be read or found erased.
    [[nodiscard]] std::uint32_t silent_planes() const {
        return static_cast<std::uint32_t>(std::count(answered_.begin(), answered_.end(), false));
    }
    /// The largest sequence number found; 0 on an empty drive.
    [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }
    [[nodiscard]] const ScanCounters& counters() const { return counters_; }

  private:
    struct Lane;

    Task<void> run_lane(Lane& lane);
    Task<void> ask_again(Lane& lane);
    Task<void> read(Lane& lane, SuperpageAddress at, bool slc);
    Task<void> look_through(Lane& lane, SuperpageAddress at, FoundSuperblock& found);
    Task<bool> filled_before(Lane& lane, SuperpageAddress at, FoundSuperblock& found);
    /// Statuses of the pages of the superpage that `lane` has read last.
    [[nodiscard]] std::span<const hal::FlashStatus> pages(const Lane& lane) const;
    Task<void> erase_again(Lane& lane, const SuperpageAddress& at, FoundSuperblock& found);
    void take(const Lane& lane, const SuperpageAddress& at, FoundSuperblock& found);
    void take_unit(Lpn lpn, Ppa ppa);
    void add_entry(Lpn lpn, Ppa entry, std::uint64_t checkpoint);
    bool claim(Ppa place);
    void add_trim(const LogRecord& record);

    Services& services_;
    std::uint64_t since_;
    FoundIndirection* indirection_;  // null: every map entry is a place
    std::uint32_t longest_gap_;      // most erased pages in a row within a superblock
    std::vector<std::unique_ptr<Lane>> lanes_;
    Join join_;
    std::vector<FoundSuperblock> found_;
    std::vector<bool> answered_;  // by plane of each parallel unit: the last read there was answered
    FoundEntries entries_;
    hal::ZeroedMemory<std::uint64_t> sequences_;  // by superpage
    std::vector<bool> claimed_;  // with a checkpoint, by unit: is the newest place of some logical page
    std::uint64_t last_sequence_ = 0;
    ScanCounters counters_;
};

}  // namespace solidtlm::fw
