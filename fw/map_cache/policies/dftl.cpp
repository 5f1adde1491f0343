// SPDX-License-Identifier: Apache-2.0
//
// DFTL (Gupta, Kim, Urgaonkar 2009): single entries in a segmented LRU, at most half of them protected. When
// a dirty one leaves, all dirty entries of its translation page are written together.
#include <utility>

#include "fw/map_cache/budget.h"
#include "fw/map_cache/indexed_policy.h"
#include "fw/map_cache/segmented_lru.h"

namespace solidtlm::fw {
namespace {

std::uint64_t smallest_dftl(const MapCacheConfig& /*config*/, const MapAreaSize& /*map*/) {
    return kDftlEntryBytes;
}

class Dftl : public IndexedPolicy {
  public:
    Dftl(const MapCacheConfig& config, const MapAreaSize& map)
        : IndexedPolicy(map),
          slots_(slots_in(config.size_bytes, smallest_dftl(config, map))),
          lru_(nodes_, slots_) {}

    void use(Node node, Lpn /*lpn*/) override {
        if (std::exchange(nodes_[node].fresh, false)) {  // this use brought it in
            return;
        }
        lru_.use(node);
    }
    [[nodiscard]] MapFetch plan(Lpn lpn, std::uint32_t /*ahead*/) override {
        return MapFetch{lpn, 1, 0, false};
    }
    bool reserve(const MapFetch& /*fetch*/) override {
        if (lru_.size() + reserved_ >= slots_) {
            return false;
        }
        ++reserved_;
        return true;
    }
    void cancel(const MapFetch& /*fetch*/) override { --reserved_; }
    [[nodiscard]] MapRange window_of(const MapFetch& fetch) const override { return MapRange{fetch.lpn, 1}; }
    Node take_in(const MapFetch& /*fetch*/, const MapRange& window) override {
        --reserved_;
        const Node node = nodes_.take(window);
        nodes_[node].fresh = true;
        lru_.push(node);
        return node;
    }
    [[nodiscard]] Node victim() const override { return lru_.victim(); }
    void discard(Node node) override {
        lru_.remove(node);
        nodes_.release(node);
    }
    void collect(Node node, std::vector<MapPiece>& pieces) const override {
        collect_page(page_of(nodes_[node].first), pieces);
    }
    [[nodiscard]] std::uint64_t bytes_used() const override {
        return (lru_.size() + reserved_) * kDftlEntryBytes;
    }
    void serialize(hal::StateArchive& archive) override {
        IndexedPolicy::serialize(archive);
        archive(lru_);
    }
    [[nodiscard]] std::string check() const override {
        return lru_.size() == nodes_.in_use() && lru_.size() + reserved_ <= slots_ && lru_.balanced()
                   ? check_nodes()
                   : "entries, segments and slots do not agree";
    }

  private:
    std::uint64_t slots_;
    std::uint64_t reserved_ = 0;
    SegmentedLru lru_;
};

}  // namespace

extern const MapCachePolicy kDftlMapCachePolicy{
    {"dftl", "single entries in a segmented LRU"}, make_cache<Dftl>, smallest_dftl};

}  // namespace solidtlm::fw
