// SPDX-License-Identifier: Apache-2.0
//
// The flash that holds the translation pages: its own blocks, write frontiers, free list and garbage
// collection. The directory, which says where each translation page lies, is in DRAM.
//
// A translation page takes one NAND page of one plane. Blocks of all dies are one pool. Collection is
// greedy and changes nothing but the directory: it never asks the map for anything, takes no lock and keeps
// a free block to itself, so that it can always go on, even while programs wait for space. A page that is
// being rewritten when collection examines it is left behind; of two pages with one translation page number
// the one with the larger sequence number is therefore newer, as in the data area.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"
#include "fw/flash/allocator.h"
#include "fw/flash/plane_block_table.h"
#include "fw/hal/state_archive.h"
#include "fw/map_cache/cache_policy.h"
#include "fw/map_cache/map_counters.h"
#include "fw/runtime/join.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

/// Page of the map area: block * pages per block + page.
using MapPlace = hal::Index<struct MapPlaceTag, std::uint32_t>;
constexpr MapPlace kNoPlace{0xFFFF'FFFF};

/// What one flash operation on a translation page needs; its DRAM holds one page.
struct MapJob {
    /// Where the next operation is counted, at the instant that it ends, as the flash controller does.
    void count_in(std::uint64_t& operations, MapBytes* sum = nullptr, const MapBytes& moved = {}) {
        operations_ = &operations;
        sum_ = sum;
        moved_ = moved;
    }
    void count() {
        ++*operations_;
        if (sum_ != nullptr) {
            *sum_ += moved_;
        }
    }

    hal::FlashOp op;
    hal::Ledger ledger;  ///< of the last operation
    std::vector<hal::FlashPiece> pieces;
    std::array<std::byte, hal::kMaxSpareBytes> spare{};
    DramAddress buffer;

  private:
    std::uint64_t* operations_ = nullptr;
    MapBytes* sum_ = nullptr;
    MapBytes moved_;
};

class MapArea {
  public:
    /// Pages that collection moves at once.
    static constexpr std::uint32_t kMoves = DramMap::kMapMoves;

    /// `buffers`: DRAM for kMoves pages.
    MapArea(Services& services, Allocator& allocator, const MapAreaSize& size, DramAddress buffers);
    void start();
    /// After a loss of power, before start(): no translation page is known, and what was written to is
    /// waiting to be erased. Reads the first page of every block; returns how many.
    Task<std::uint64_t> recover();
    /// On whose behalf pages are read and programmed from now on.
    void work_for(Cause cause) { cause_ = cause; }

    /// On flash at all?
    [[nodiscard]] bool written(Tpn page) const { return directory_[page.value] != kNoPlace; }
    /// Reads the job's pieces of `page`. REQUIRES: written(page).
    Task<hal::FlashStatus> read(Tpn page, MapJob& job);
    /// Waits for a free page and takes it. None: the area is worn out.
    Task<std::optional<MapPlace>> allocate(Tpn page);
    /// Programs the job's pieces. `page` lies there from now on, unless that fails. REQUIRES: allocated.
    Task<bool> program(Tpn page, MapPlace place, MapJob& job);

    /// No block is left that could be written.
    [[nodiscard]] bool worn_out() const { return worn_out_; }
    /// None: it is not, or it was when it was loaded.
    [[nodiscard]] std::optional<Ps> worn_out_since() const { return worn_out_since_; }
    /// Something is read, programmed or erased, or about to be.
    [[nodiscard]] bool active() const { return active_ > 0; }
    [[nodiscard]] const MapAreaCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = MapAreaCounters{}; }
    [[nodiscard]] std::uint32_t free_blocks() const { return blocks_.free_blocks(); }

    void serialize(hal::StateArchive& archive) {
        archive(directory_, page_at_, blocks_, frontiers_, copy_frontier_, next_frontier_, worn_out_);
    }
    /// Walks through everything; a description of the first contradiction, or empty.
    [[nodiscard]] std::string check() const;

  private:
    static constexpr BlockIndex kNoBlock = 0xFFFF'FFFF;

    [[nodiscard]] hal::FlashAddress address(MapPlace place) const {
        return blocks_.address(place.value / pages_, place.value % pages_);
    }
    [[nodiscard]] std::uint32_t die_of(BlockIndex block) const;
    [[nodiscard]] std::uint32_t pending(BlockIndex block) const;
    [[nodiscard]] bool valid(MapPlace place) const;
    BlockIndex open_block(std::uint32_t preferred_die, std::uint32_t keep);
    MapPlace next_place(BlockIndex& frontier);
    std::optional<MapPlace> try_allocate();
    std::optional<MapPlace> try_allocate_copy();
    void settle(MapPlace place, bool ok);
    void set_invalid(MapPlace place);
    void give_up_if_stuck();
    void wear_out();
    [[nodiscard]] BlockIndex choose_victim() const;
    Task<hal::FlashStatus> run(MapJob& job, Cause cause);
    Task<hal::FlashStatus> run_program(Tpn page, MapPlace place, MapJob& job);
    Task<void> recover_plane(std::uint32_t plane, std::uint64_t& reads, Join& join);
    Task<void> collect();
    Task<void> empty(BlockIndex victim);
    Task<void> move(MapPlace from, MapJob& job);
    Task<void> erase(BlockIndex victim);
    void tell(hal::Deed deed, hal::Reason reason, BlockIndex block) const;

    Services& services_;
    Allocator& allocator_;
    std::uint32_t pages_;
    PlaneBlockTable blocks_;
    std::vector<MapPlace> directory_;    // by translation page
    std::vector<std::uint8_t> writing_;  // programs under way, by translation page
    std::vector<Tpn> page_at_;           // by place: whose page was programmed there last
    std::vector<BlockIndex> frontiers_;
    BlockIndex copy_frontier_ = kNoBlock;
    std::uint32_t next_frontier_ = 0;
    std::uint32_t in_flight_ = 0;  // programs of the cache
    std::uint32_t active_ = 0;
    bool asleep_ = false;
    bool worn_out_ = false;
    std::optional<Ps> worn_out_since_;
    bool started_ = false;
    Cause cause_ = Cause::map;
    Signal wake_;   // of collection
    Signal space_;  // a block is free, or a program ended
    Join moves_;
    std::array<MapJob, kMoves> jobs_;
    MapAreaCounters counters_;
};

}  // namespace solidtlm::fw
