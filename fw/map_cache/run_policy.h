// SPDX-License-Identifier: Apache-2.0
//
// Runs of entries in slots of one size, plain LRU, one dirty bit per run: the common part of full_page,
// half_page and tafp, which differ in the window.
#pragma once

#include "fw/map_cache/indexed_policy.h"

namespace solidtlm::fw {

class RunPolicy : public IndexedPolicy {
  public:
    /// `slot_bytes`: a run of full length, including the structures that find and order it.
    RunPolicy(const MapAreaSize& map, std::uint64_t budget_bytes, std::uint64_t slot_bytes)
        : IndexedPolicy(map),
          slots_(slots_in(budget_bytes, slot_bytes)),
          slot_bytes_(slot_bytes),
          runs_(nodes_) {}

    void use(Node node, Lpn /*lpn*/) override { runs_.move_to_front(node); }
    bool reserve(const MapFetch& /*fetch*/) override {
        if (runs_.size() + reserved_ >= slots_) {
            return false;
        }
        ++reserved_;
        return true;
    }
    void cancel(const MapFetch& /*fetch*/) override { --reserved_; }
    [[nodiscard]] MapRange window_of(const MapFetch& fetch) const override {
        return fetch.aligned ? MapRange{Lpn{fetch.lpn.value / fetch.count * fetch.count}, fetch.count}
                             : free_run(fetch.lpn, fetch.count);
    }
    Node take_in(const MapFetch& fetch, const MapRange& window) override {
        --reserved_;
        const Node node = nodes_.take(fetch.aligned ? window : free_run(window.first, window.count));
        runs_.push_front(node);
        return node;
    }
    [[nodiscard]] Node victim() const override { return runs_.oldest_unpinned(); }
    void discard(Node node) override {
        runs_.remove(node);
        nodes_.release(node);
    }
    void collect(Node node, std::vector<MapPiece>& pieces) const override {
        pieces.push_back(MapPiece{node, range(node)});
    }
    [[nodiscard]] std::uint64_t bytes_used() const override {
        return (runs_.size() + reserved_) * slot_bytes_;
    }
    void serialize(hal::StateArchive& archive) override {
        IndexedPolicy::serialize(archive);
        archive(runs_);
    }
    [[nodiscard]] std::string check() const override {
        return runs_.size() == nodes_.in_use() && runs_.size() + reserved_ <= slots_
                   ? check_nodes()
                   : "runs and slots do not agree";
    }

  private:
    std::uint64_t slots_;
    std::uint64_t slot_bytes_;
    std::uint64_t reserved_ = 0;
    NodeList runs_;
};

}  // namespace solidtlm::fw
