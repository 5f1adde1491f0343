// SPDX-License-Identifier: Apache-2.0
//
// What the files of the page map share.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "fw/ftl/buffer_fill.h"
#include "fw/ftl/page_map/page_map.h"
#include "fw/ftl/unit_reader.h"

namespace solidtlm::fw {

/// Reads logical pages through the map.
class PageMap::Reader : public UnitReader {
  public:
    Reader(PageMap& owner) : UnitReader(owner.environment_), owner_(owner) {}

    Task<void> begin_read(std::span<LogicalRead> reads, Join& join, Ledger* ledger,
                          bool single_on_trunk) override {
        co_await find(reads, ledger);
        find_shared();
        co_await owner_.environment_.executor.spend(prepare(reads, found_), ledger);
        submit(join, ledger, single_on_trunk);
    }

  private:
    Task<void> find(std::span<const LogicalRead> reads, Ledger* ledger) {
        lpns_.clear();
        for (const LogicalRead& read : reads) {
            lpns_.push_back(read.lpn);
        }
        found_.assign(reads.size(), kUnmapped);
        const MapWatch watch(*owner_.map_, lpns_, found_);
        for (std::size_t i = 0; i < reads.size();) {
            std::size_t run = 1;  // consecutive logical pages are looked up together
            while (i + run < reads.size() && reads[i + run].lpn.value == reads[i].lpn.value + run) {
                ++run;
            }
            co_await owner_.map_->lookup(reads[i].lpn, std::span(found_).subspan(i, run), ledger);
            i += run;
        }
    }

    /// The places of those that are shared: one more table to look into.
    void find_shared() {
        if (!owner_.shared_) {
            return;
        }
        for (Ppa& entry : found_) {
            if (is_shared(entry)) {
                owner_.dedup_->sharing().look_up(block_of(entry));
                entry = owner_.place_of(entry);
            }
        }
    }

    PageMap& owner_;
    std::vector<Lpn> lpns_;
    std::vector<Ppa> found_;
};

/// A superpage being written.
struct PageMap::Batch {
    Batch(PageMap& owner) : reader(owner), fill(owner.environment_, owner.buffer_) {}
    std::vector<Slot> slots;
    std::vector<UnitWrite> units;
    std::vector<MapUpdate> updates;
    ProgramOp program;
    Reader reader;
    BufferFill fill;
    Ledger ledger;
    Stream stream = Stream::host;
    bool sorted = false;  // filled and hashed already; the ledger has begun
};

/// Pages that were hashed wait here until their superpage is full, or somebody waits for them.
struct PageMap::Sorting {
    /// What is reserved for the pages of a dirty list.
    struct Lane {
        std::array<SortedBatch, kHostStreams.size()> open;  // by kind of page
        std::vector<Pu> reserved;  // for the next batches, in the order of the stripe
    };
    /// It equals what is in slot `leader`, and waits for its program to end.
    struct Follower {
        Slot leader;
        Slot slot;
    };
    std::vector<Lane> lanes;  // by dirty list
    std::vector<Follower> followers;
    std::uint32_t held = 0;  // reservations, those of open batches included
};

}  // namespace solidtlm::fw
