// SPDX-License-Identifier: Apache-2.0
//
// The flash that holds the translation pages: its own blocks, write frontiers, free list and garbage
// collection. The directory, which lists the place of each translation page, is in DRAM.
//
// A translation page takes one NAND page of one plane. Blocks of all dies are one pool. Collection is greedy
// and changes nothing but the directory: it never uses the map, takes no lock and reserves a free block, so
// that it can always continue, even while programs wait for space. A page that is being rewritten when
// collection examines it stays where it is; of two pages with one translation page number the one with the
// larger sequence number is therefore newer, as in the data area.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"
#include "fw/flash/allocator.h"
#include "fw/flash/page_job.h"
#include "fw/flash/plane_block_table.h"
#include "fw/hal/state_archive.h"
#include "fw/map_cache/cache_policy.h"
#include "fw/map_cache/map_counters.h"
#include "fw/map_cache/needs.h"
#include "fw/runtime/join.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

/// Page of the map area: block * pages per block + page.
using MapPlace = hal::Index<struct MapPlaceTag, std::uint32_t>;
constexpr MapPlace kNoPlace{0xFFFF'FFFF};

/// An operation on a translation page.
struct MapJob : PageJob {
    /// Where to count the next operation. It is counted at the instant when it ends, as in the flash
    /// controller.
    void count_in(std::uint64_t& operations, MapBytes* sum = nullptr, const MapBytes& moved = {}) {
        operations_ = &operations;
        sum_ = sum;
        moved_ = moved;
    }
    /// Counts it.
    hal::Completion counting() {
        return {[](void* self) {
                    auto& job = *static_cast<MapJob*>(self);
                    ++*job.operations_;
                    if (job.sum_ != nullptr) {
                        *job.sum_ += job.moved_;
                    }
                },
                this};
    }

    hal::Ledger ledger;  ///< of the last operation alone

  private:
    std::uint64_t* operations_ = nullptr;
    MapBytes* sum_ = nullptr;
    MapBytes moved_;
};

class MapArea {
  public:
    /// Pages that collection moves at once.
    static constexpr std::uint32_t kMoves = kMapMoves;

    /// `buffers`: DRAM for kMoves pages.
    MapArea(Services& services, Allocator& allocator, const MapAreaSize& size, DramAddress buffers);
    void start();
    /// Called after a loss of power, before start(): all translation pages are forgotten, and written blocks
    /// wait to be erased. Reads the first page of every block; returns the number of pages read.
    Task<std::uint64_t> recover();
    /// The cause of all reads and programs from now on.
    void work_for(Cause cause) { cause_ = cause; }

    /// True if `page` is on flash.
    [[nodiscard]] bool written(Tpn page) const { return directory_[page.value] != kNoPlace; }
    /// Reads the job's pieces of `page`. REQUIRES: written(page).
    Task<hal::FlashStatus> read(Tpn page, MapJob& job);
    /// Waits for a free page and takes it. None if the area is worn out.
    Task<std::optional<MapPlace>> allocate(Tpn page);
    /// Programs the job's pieces. If that succeeds, `page` lies there from then on. REQUIRES: allocate()
    /// returned `place`.
    Task<bool> program(Tpn page, MapPlace place, MapJob& job);

    /// True if no writable block is left.
    [[nodiscard]] bool worn_out() const { return worn_out_; }
    /// None if the area is not worn out, or was so already when its state was loaded.
    [[nodiscard]] std::optional<Ps> worn_out_since() const { return worn_out_since_; }
    /// True if an operation is under way or about to start.
    [[nodiscard]] bool active() const { return active_ > 0; }
    [[nodiscard]] const MapAreaCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = MapAreaCounters{}; }
    [[nodiscard]] std::uint32_t free_blocks() const { return blocks_.free_blocks(); }

    void serialize(hal::StateArchive& archive) {
        archive(directory_, page_at_, blocks_, frontiers_, copy_frontier_, next_frontier_, worn_out_);
    }
    /// Checks all structures; returns a description of the first contradiction, or an empty string.
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
    void point_to(Tpn page, MapPlace place);
    void give_up_if_stuck();
    void wear_out();
    [[nodiscard]] std::optional<BlockIndex> choose_victim() const;
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
    std::vector<Tpn> page_at_;           // by place: the page that was programmed there last
    std::vector<BlockIndex> frontiers_;
    BlockIndex copy_frontier_ = kNoBlock;
    std::uint32_t next_frontier_ = 0;
    std::uint32_t in_flight_ = 0;  // programs by the cache
    std::uint32_t active_ = 0;
    bool asleep_ = false;
    bool worn_out_ = false;
    std::optional<Ps> worn_out_since_;
    bool started_ = false;
    Cause cause_ = Cause::map;
    Signal wake_;   // wakes collection
    Signal space_;  // notified when a block is free or a program has ended
    Join moves_;
    std::array<MapJob, kMoves> jobs_;
    MapAreaCounters counters_;
};

}  // namespace solidtlm::fw
