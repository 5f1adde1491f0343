// SPDX-License-Identifier: Apache-2.0
//
// Static wear levelling in one parallel unit: when the superblock that was erased least is emptied although
// it gains no space, so that cold data do not keep it from being erased as often as the others.
//
// It empties at most one for each superblock that the host programs, and so adds at most one program of
// collection to each of the host: where the host waits for collection, none, so that it cannot use up what
// that gains. It does not ask for free superblocks, as a drive under load has none to spare: the victim is
// taken where the room that collection has without an erase holds the valid units of all victims, this one
// among them. Emptying it gives back as much room as it takes.
#pragma once

#include <cstdint>
#include <optional>

#include "fw/drive/layout.h"
#include "fw/flash/superblock_table.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

class StaticWear {
  public:
    /// `threshold`: firmware.wear.static_threshold.
    StaticWear(std::uint32_t threshold, const MediaLayout& layout, const SuperblockTable& table, Pu pu)
        : threshold_(threshold), layout_(layout), table_(table), pu_(pu) {}

    /// An erase has ended: the erase counts may differ by more than the threshold now. `host_programs`: those
    /// that have ended in all parallel units.
    void erase_ended(std::uint64_t host_programs) {
        host_programs_ = host_programs;
        due_ = host_programs - last_ >= std::uint64_t{layout_.pages()} * layout_.pus() && least_erased();
    }
    /// True if a superblock may be emptied.
    [[nodiscard]] bool due() const { return due_; }
    /// The superblock to empty; none if there is none, or if its valid units and `others`, those of the
    /// victims that are being emptied, do not fit into `room` superpages. Nothing is due then until the next
    /// erase.
    std::optional<Superblock> take(std::uint64_t others, std::uint64_t room);

    void serialize(hal::StateArchive& archive) { archive(host_programs_, last_, due_); }

  private:
    [[nodiscard]] std::optional<Superblock> least_erased() const;

    std::uint32_t threshold_;
    const MediaLayout& layout_;
    const SuperblockTable& table_;
    Pu pu_;
    std::uint64_t host_programs_ = 0;  // at the last erase
    std::uint64_t last_ = 0;           // when a victim was taken last
    bool due_ = false;
};

}  // namespace solidtlm::fw
