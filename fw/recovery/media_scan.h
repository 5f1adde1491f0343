// SPDX-License-Identifier: Apache-2.0
//
// Finds out from the spare areas alone what the data area holds, after a loss of power: the newest place of
// every logical page, what is free, what is full, where writing stopped.
//
// Rules. Of two readable pages that carry one LPN the larger sequence number is the newer one; equal numbers
// are copies of each other (copy-back), and the lower address is taken. A page that cannot be read was being
// programmed when power went: nobody was told that it is written, so it does not count. A page that is erased
// on every plane ends its superblock, because pages are programmed in order. A superblock of which nothing
// can be read was being erased (or had only begun to be written): it is erased again, at once.
//
// Where the recovery log has a checkpoint, superblocks that were full when it was written are not read again.
//
// Each parallel unit is read by two coroutines, so that its dies always have the next read waiting. Only
// spare areas cross the bus.
#pragma once

#include <memory>
#include <vector>

#include "fw/environment.h"
#include "fw/media/zeroed_memory.h"
#include "fw/recovery/log_format.h"
#include "fw/recovery/spare.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

/// What was found of one superblock.
struct FoundSuperblock {
    std::uint32_t written = 0;   ///< pages before the first one that is erased on every plane; 0: it is free
    std::uint32_t erases = 0;    ///< as its first readable page says; 0 where nothing could be read
    std::uint64_t sequence = 0;  ///< the largest in it
    PageKind kind = PageKind::host;    ///< of its last readable page
    std::uint64_t first_sequence = 0;  ///< of the first page that could be read
    bool readable = false;             ///< at least one page
    bool bad = false;                  ///< it could not be erased again
};

struct ScanCounters {
    std::uint64_t reads = 0;       ///< superpages
    std::uint64_t unreadable = 0;  ///< of these, on one plane or more
    std::uint64_t erased = 0;      ///< superblocks erased again
};

class MediaScan {
  public:
    /// `since`: what pages with smaller sequence numbers hold is known already (a checkpoint); of a
    /// superblock whose last page carries a smaller one, only that page is read. 0: nothing is known.
    explicit MediaScan(Environment& environment, std::uint64_t since = 0);
    MediaScan(const MediaScan&) = delete;
    MediaScan& operator=(const MediaScan&) = delete;
    ~MediaScan();

    Task<void> run();
    /// After run(): what the log knows in addition. Entries of its checkpoint count where nothing newer was
    /// found, and trimmed pages do not.
    void add(const LogContent& log);

    [[nodiscard]] const FoundSuperblock& found(Pu pu, Superblock superblock) const {
        return found_[pu.value * environment_.layout.superblocks() + superblock.value];
    }
    /// The newest place of `lpn`, or kUnmapped.
    [[nodiscard]] Ppa newest(Lpn lpn) const { return Ppa{places_[lpn.value] - 1}; }
    /// Sequence number of what lies at `ppa`. REQUIRES: it was read.
    [[nodiscard]] std::uint64_t sequence(Ppa ppa) const {
        return sequences_[ppa.value / environment_.layout.units_per_superpage()];
    }
    /// The largest sequence number of all; 0 on an empty drive.
    [[nodiscard]] std::uint64_t last_sequence() const { return last_sequence_; }
    [[nodiscard]] const ScanCounters& counters() const { return counters_; }

  private:
    struct Lane;

    Task<void> run_lane(Lane& lane);
    Task<void> read(Lane& lane, const SuperpageAddress& at);
    Task<void> erase_again(Lane& lane, const SuperpageAddress& at, FoundSuperblock& found);
    void take(const Lane& lane, const SuperpageAddress& at, FoundSuperblock& found);
    void take_unit(Lpn lpn, Ppa ppa);
    [[nodiscard]] bool filled_before(const Lane& lane, FoundSuperblock& found) const;
    void add_entry(Lpn lpn, Ppa place, std::uint64_t checkpoint);

    Environment& environment_;
    std::uint64_t since_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    Join join_;
    std::vector<FoundSuperblock> found_;
    ZeroedMemory<std::uint32_t> places_;     // by LPN: Ppa + 1
    ZeroedMemory<std::uint64_t> sequences_;  // by superpage
    std::uint64_t last_sequence_ = 0;
    ScanCounters counters_;
};

}  // namespace solidtlm::fw
