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
// A dynamic SLC cache leaves no record of the mode of a superblock. A page that cannot be read in normal mode
// is read again in SLC mode, until one page of the superblock has been read and the mode is known.
//
// Shared pages (docs/dedup.md). The spare area of a page that collection has moved names a virtual block;
// of these, too, the larger sequence number is newer. A virtual block lies at the newest page that carries
// its name and has a larger number than its newest share record. If there is no such page, it lies where the
// record says, provided that page is still there. A logical page refers to it if its refer record is newer
// than its own pages, its TRIMs and the share record. A logical page whose newest page is that of a virtual
// block in use refers to it, too, recorded or not.
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
#include "fw/log/log_format.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

/// What was found of one superblock.
struct FoundSuperblock {
    std::uint32_t written = 0;  ///< pages up to the last one that is not erased on every plane; 0: it is free
    std::uint32_t erases = 0;   ///< as its first readable page says; 0 where nothing could be read
    std::uint64_t sequence = 0;        ///< the largest in it
    PageKind kind = PageKind::host;    ///< of its last readable page
    std::uint64_t first_sequence = 0;  ///< of the first page that could be read
    bool readable = false;             ///< at least one page
    bool bad = false;                  ///< it could not be erased again
    bool slc = false;                  ///< it is in SLC mode
};

struct ScanCounters {
    std::uint64_t reads = 0;       ///< superpages
    std::uint64_t unreadable = 0;  ///< of these, on one plane or more
    std::uint64_t erased = 0;      ///< superblocks erased again
};

/// A virtual block in use.
struct FoundShared {
    VirtualBlock block;
    Ppa place;
};

class MediaScan {
  public:
    /// `since`: what pages with smaller sequence numbers hold is known already (a checkpoint); of a
    /// superblock whose last page carries a smaller one, only that page is read. 0: nothing is known.
    explicit MediaScan(Services& services, std::uint64_t since = 0);
    MediaScan(const MediaScan&) = delete;
    MediaScan& operator=(const MediaScan&) = delete;
    ~MediaScan();

    Task<void> run();
    /// After run(), once: what the log knows in addition. Entries of its checkpoint count where nothing newer
    /// was found, and trimmed pages do not; references to shared pages take the place of what is older.
    void add(const LogContent& log);

    [[nodiscard]] const FoundSuperblock& found(Pu pu, Superblock superblock) const {
        return found_[pu.value * services_.layout.superblocks() + superblock.value];
    }
    /// The map entry of `lpn`: its newest place, its virtual block (after add()), or kUnmapped.
    [[nodiscard]] Ppa newest(Lpn lpn) const { return entries_[lpn]; }
    /// All map entries, ascending: `visit`(Lpn, Ppa).
    template <class Visit>
    void each_entry(Visit visit) const {
        entries_.each(visit);
    }
    /// After add(): the virtual blocks that some logical page refers to, ascending.
    [[nodiscard]] std::span<const FoundShared> shared() const { return shared_; }
    /// After add(): logical pages that refer to one though no record says so. That has to be noted, because
    /// the page will go under the name of its virtual block once collection has moved it.
    [[nodiscard]] std::span<const Lpn> implied() const { return implied_; }
    /// Sequence number of what lies at `ppa`; 0 where it was not read, which is older than the checkpoint.
    [[nodiscard]] std::uint64_t sequence(Ppa ppa) const {
        return sequences_[ppa.value / services_.layout.units_per_superpage()];
    }
    /// Planes that do not answer any more: nothing can be read there, not even that it is erased.
    [[nodiscard]] std::uint32_t silent_planes() const {
        return static_cast<std::uint32_t>(std::count(answered_.begin(), answered_.end(), false));
    }
    /// The largest sequence number of all; 0 on an empty drive.
    [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }
    [[nodiscard]] const ScanCounters& counters() const { return counters_; }

  private:
    struct Lane;

    Task<void> run_lane(Lane& lane);
    Task<void> ask_again(Lane& lane);
    Task<void> read(Lane& lane, SuperpageAddress at, bool slc);
    Task<void> look_through(Lane& lane, SuperpageAddress at, FoundSuperblock& found);
    Task<bool> filled_before(Lane& lane, SuperpageAddress at, FoundSuperblock& found);
    /// What the pages said of the superpage that `lane` has read last.
    [[nodiscard]] std::span<const hal::FlashStatus> pages(const Lane& lane) const;
    Task<void> erase_again(Lane& lane, const SuperpageAddress& at, FoundSuperblock& found);
    void take(const Lane& lane, const SuperpageAddress& at, FoundSuperblock& found);
    void take_unit(Lpn lpn, Ppa ppa);
    [[nodiscard]] bool newer(Ppa ppa, Ppa known) const;
    /// Whether a map entry, or the name in a spare area, names a page that several logical pages share.
    template <class Name>
    [[nodiscard]] bool is_shared(Name name) const {
        return fw::is_shared(name, static_cast<std::uint32_t>(virtual_.size()));
    }
    /// Whether `place` still holds what it held at `sequence`.
    [[nodiscard]] bool still_there(Ppa place, std::uint64_t sequence) const;
    /// Whether a record with this number is newer than what is known of `lpn`.
    [[nodiscard]] bool outdated(Lpn lpn, std::uint64_t sequence) const;
    void add_entry(Lpn lpn, Ppa entry, std::uint64_t checkpoint);
    bool claim(Ppa place);
    void add_trim(const LogRecord& record);
    void add_reference(Lpn lpn, VirtualBlock block, std::uint64_t sequence);
    void resolve_shared();

    /// What is known of a virtual block.
    struct Shared {
        Ppa named = kUnmapped;       // the newest page that carries its name
        Ppa place = kUnmapped;       // as the newest share record says
        std::uint64_t sequence = 0;  // of that
        std::uint32_t references = 0;
    };

    Services& services_;
    std::uint64_t since_;
    std::uint32_t longest_gap_;  // pages
    std::vector<std::unique_ptr<Lane>> lanes_;
    Join join_;
    std::vector<FoundSuperblock> found_;
    std::vector<bool> answered_;  // by plane of each parallel unit: when it was read last
    FoundEntries entries_;
    hal::ZeroedMemory<std::uint64_t> sequences_;  // by superpage
    std::vector<Shared> virtual_;                 // by virtual block; empty where nothing is deduplicated
    hal::ZeroedMemory<std::uint64_t> referred_;   // by LPN: sequence number of its reference; or empty
    std::vector<bool> claimed_;  // by unit, with a checkpoint: newest place of a logical page
    std::vector<FoundShared> shared_;
    std::vector<Lpn> implied_;
    std::uint64_t last_sequence_ = 0;
    ScanCounters counters_;
};

}  // namespace solidtlm::fw
