// SPDX-License-Identifier: Apache-2.0
//
// DFTL (Gupta, Kim, Urgaonkar 2009): single entries in a segmented LRU, at most half of them protected. When
// a dirty one leaves, all dirty entries of its translation page are written together.
#include <utility>

#include "fw/ftl/page_map/map_cache/node_table.h"
#include "fw/ftl/page_map/map_cache/policies.h"

namespace solidtlm::fw {
namespace {

class Dftl : public NodePolicy {
  public:
    Dftl(const MapCacheConfig& config, const MapAreaSize& map)
        : NodePolicy(map),
          slots_(slots_in(config.size_bytes, smallest_dftl(config, map))),
          probation_(nodes_, kProbation),
          protected_(nodes_, kProtected) {}

    /// A second use promotes; what that pushes out of the protected segment gets another chance.
    void use(Node node, Lpn /*lpn*/) override {
        if (std::exchange(nodes_[node].fresh, false)) {  // the use that brought it in
            return;
        }
        if (nodes_[node].list == kProtected) {
            protected_.move_to_front(node);
            return;
        }
        probation_.remove(node);
        protected_.push_front(node);
        if (protected_.size() > slots_ / 2) {
            const Node demoted = protected_.last();
            protected_.remove(demoted);
            probation_.push_front(demoted);
        }
    }
    [[nodiscard]] MapFetch plan(Lpn lpn, std::uint32_t /*ahead*/) override {
        return MapFetch{lpn, 1, 0, false};
    }
    bool reserve(const MapFetch& /*fetch*/) override {
        if (probation_.size() + protected_.size() + reserved_ >= slots_) {
            return false;
        }
        ++reserved_;
        return true;
    }
    void cancel(const MapFetch& /*fetch*/) override { --reserved_; }
    [[nodiscard]] MapRange window(const MapFetch& fetch) const override { return MapRange{fetch.lpn, 1}; }
    Node insert(const MapFetch& /*fetch*/, const MapRange& window) override {
        --reserved_;
        const Node node = nodes_.take(window);
        nodes_[node].fresh = true;
        probation_.push_front(node);
        return node;
    }
    [[nodiscard]] Node victim() const override {
        const Node node = probation_.oldest_unpinned();
        return node != kNoNode ? node : protected_.oldest_unpinned();
    }
    void drop(Node node) override {
        (nodes_[node].list == kProtected ? protected_ : probation_).remove(node);
        nodes_.release(node);
    }
    void collect(Node node, std::vector<MapPiece>& pieces) const override {
        collect_page(page_of(nodes_[node].first), pieces);
    }
    [[nodiscard]] std::uint64_t bytes_used() const override {
        return (probation_.size() + protected_.size() + reserved_) * kDftlEntryBytes;
    }
    [[nodiscard]] std::string check() const override {
        const std::uint64_t entries = probation_.size() + protected_.size();
        return entries == nodes_.in_use() && entries + reserved_ <= slots_ && protected_.size() <= slots_ / 2
                   ? check_owners()
                   : "entries, segments and slots do not agree";
    }

  private:
    static constexpr std::uint8_t kProbation = 0;
    static constexpr std::uint8_t kProtected = 1;

    std::uint64_t slots_;
    std::uint64_t reserved_ = 0;
    NodeList probation_;
    NodeList protected_;
};

}  // namespace

std::unique_ptr<CachePolicy> make_dftl(const MapCacheConfig& config, const MapAreaSize& map,
                                       const EntrySource& /*entries*/) {
    return std::make_unique<Dftl>(config, map);
}

std::uint64_t smallest_dftl(const MapCacheConfig& /*config*/, const MapAreaSize& /*map*/) {
    return kDftlEntryBytes;
}

}  // namespace solidtlm::fw
