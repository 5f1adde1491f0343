// SPDX-License-Identifier: Apache-2.0
//
// Translation pages on their way to flash: what the cache has of them is merged with what flash has.
//
// What is being written remains usable: it counts as clean from the instant its value is taken for the
// program, and is dirty again if it changes afterwards. What translation pages hold on flash changes only
// when their program has ended.
#pragma once

#include <memory>
#include <vector>

#include "fw/map_cache/map_tools.h"
#include "fw/map_cache/sector_cover.h"

namespace solidtlm::fw {

class PageWriter {
  public:
    /// A translation page that is being written. Reused.
    struct Rewrite {
        std::vector<MapPiece> pieces;     ///< from the cache
        std::vector<Ppa> values;          ///< of these, as they are programmed
        std::vector<MapUpdate*> moved;    ///< entries that are not cached, by data collection
        MapListener* listener = nullptr;  ///< of these
        MapTime* waits = nullptr;         ///< of the miss that waits for it, if any
    };

    explicit PageWriter(const MapTools& tools);

    /// Writes a dirty node, and what the policy writes with it. Returns the time of the merging read, if any.
    Task<Ps> write_back(Node victim, MapTime* waits);
    /// An empty one.
    Rewrite& take();
    void give_back(Rewrite& work) { free_.push_back(&work); }
    /// Read, merge, program. Returns the time of the merging read, if any. REQUIRES: the page's lock is held.
    /// Gives `work` back.
    Task<Ps> rewrite(Tpn page, Rewrite& work);
    /// Writes what flash is to hold, after a loss of power.
    Task<void> restore(Tpn page, Join& join);

  private:
    Task<bool> merge(Tpn page, Rewrite& work, MapJob& job);
    Task<bool> program(Tpn page, Rewrite& work, MapJob& job);
    Task<bool> program_at(Tpn page, MapPlace place, MapJob& job);
    void persist(const Rewrite& work);

    MapTools tools_;
    std::vector<std::unique_ptr<Rewrite>> all_;
    std::vector<Rewrite*> free_;
    SectorCover cover_;  // scratch, never across a wait
};

}  // namespace solidtlm::fw
