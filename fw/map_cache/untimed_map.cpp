// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/untimed_map.h"

namespace solidtlm::fw {
UntimedMap::UntimedMap(const FirmwareConfig& config)
    : map_(map_area_size(config)),
      places_(std::size_t{map_.translation_pages} * map_.entries, "the map of a drive that is aged"),
      next_place_(map_.translation_pages * map_.entries),
      policy_(map_cache_policy(config.map_cache.policy).make(config.map_cache, map_, *this)),
      cover_(map_, config.map_cache.times) {
    SOLIDTLM_CHECK(config.map_cache.size_bytes >= smallest_cache(config), "the cache has room for one miss");
}

bool UntimedMap::access(Lpn lpn, bool write, std::uint32_t ahead) {
    ++counters_.lookups;
    Node node = policy_->find(lpn);
    const bool hit = node != kNoNode;
    ++(hit ? counters_.hits : counters_.misses);
    if (!hit) {
        node = fetch(lpn, ahead);
    }
    policy_->use(node, lpn);
    if (write) {
        places_[lpn.value] = ++next_place_;
        policy_->mark_dirty(node, lpn);
    }
    while (policy_->over_budget()) {
        evict();
    }
    return hit;
}

Node UntimedMap::fetch(Lpn lpn, std::uint32_t ahead) {
    const MapFetch fetch = policy_->plan(lpn, ahead);
    if (policy_->window_entries() != 0) {
        counters_.choose_window(fetch.count);
    }
    while (!policy_->reserve(fetch)) {
        evict();
    }
    const MapRange window = policy_->window(fetch);
    cover_.clear();
    cover_.add(window);
    ++counters_.miss_reads;
    counters_.miss_bytes += cover_.bytes_to_read();
    return policy_->insert(fetch, window);
}

void UntimedMap::evict() {
    const Node victim = policy_->victim();
    ++counters_.evictions;
    if (policy_->demote(victim)) {
        return;
    }
    if (policy_->dirty(victim)) {
        ++counters_.dirty_evictions;
        pieces_.clear();
        policy_->collect(victim, pieces_);
        cover_.clear();
        for (const MapPiece& piece : pieces_) {
            cover_.add(piece.range);
            policy_->mark_clean(piece);
        }
        if (!cover_.whole_page()) {
            ++counters_.merge_reads;
            counters_.merge_bytes += cover_.bytes_to_merge();
        }
        ++counters_.write_backs;
        counters_.program_bytes += cover_.bytes_to_program();
    }
    policy_->drop(victim);
}

}  // namespace solidtlm::fw
