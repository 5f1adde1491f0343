// SPDX-License-Identifier: Apache-2.0
//
// Writes translation pages: merges the cached entries of a page with those on flash.
//
// Entries remain usable while they are being written. An entry counts as clean from the instant when its
// value is taken for the program, and is dirty again if it changes afterwards. The values on flash change
// only when the program has ended.
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
        std::vector<MapPiece> pieces;     ///< dirty entries from the cache
        std::vector<Ppa> values;          ///< values of `pieces` as they are programmed
        std::vector<MapUpdate*> moved;    ///< changes by data collection to entries that are not cached
        MapListener* listener = nullptr;  ///< listener of `moved`
        MapTime* waits = nullptr;         ///< of the waiting miss, if any
    };

    explicit PageWriter(const MapTools& tools);

    /// Writes a dirty node, and further entries that the policy selects. Returns the time of the merging
    /// read, if any.
    Task<Ps> write_back(Node victim, MapTime* waits);
    /// An empty Rewrite.
    Rewrite& take();
    void give_back(Rewrite& work) { free_.push_back(&work); }
    /// Reads, merges and programs the page, then takes `work` back. Returns the time of the merging read, if
    /// any. REQUIRES: the page's lock is held.
    Task<Ps> rewrite(Tpn page, Rewrite& work);
    /// After a loss of power: writes the translation page as the scan has restored it.
    Task<void> restore(Tpn page);

  private:
    Task<bool> merge(Tpn page, Rewrite& work, MapJob& job);
    Task<bool> program(Tpn page, Rewrite& work, MapJob& job);
    Task<bool> program_at(Tpn page, MapPlace place, MapJob& job);
    void persist(const Rewrite& work);

    MapTools tools_;
    std::vector<std::unique_ptr<Rewrite>> all_;
    std::vector<Rewrite*> free_;
    SectorCover cover_;  // scratch; not used across a wait
};

}  // namespace solidtlm::fw
