// SPDX-License-Identifier: Apache-2.0
//
// The common part of policies in which no two dirty nodes begin at the same entry. They are found by their
// translation page through an index.
#pragma once

#include "fw/map_cache/dirty_nodes.h"
#include "fw/map_cache/node_table.h"

namespace solidtlm::fw {

class IndexedPolicy : public NodePolicy {
  public:
    explicit IndexedPolicy(const MapAreaSize& map)
        : NodePolicy(map),
          whole_map_{Lpn{0}, map.translation_pages * map.entries},
          dirty_nodes_(whole_map_.count) {}

    void mark_dirty(Node node, Lpn /*lpn*/) override { set_dirty(node, true); }
    void mark_clean(const MapPiece& piece) override { set_dirty(piece.node, false); }
    void collect_page(Tpn page, std::vector<MapPiece>& pieces) const override {
        dirty_nodes_.visit(MapRange{Lpn{page.value * entries_per_page_}, entries_per_page_}, [&](Lpn first) {
            const Node node = nodes_.find(first);
            SOLIDTLM_CHECK(node != kNoNode && nodes_[node].dirty && nodes_[node].first == first,
                           "a dirty node begins where the index says");
            pieces.push_back(MapPiece{node, range(node)});
        });
    }
    void serialize(hal::StateArchive& archive) override {
        NodePolicy::serialize(archive);
        for (std::uint32_t i = 0; i < nodes_.size() && archive.loading(); ++i) {
            if (in_use(Node{i}) && nodes_[Node{i}].dirty) {
                dirty_nodes_.put(nodes_[Node{i}].first, true);
            }
        }
    }

  protected:
    void set_dirty(Node node, bool dirty) {
        nodes_[node].dirty = dirty;
        dirty_nodes_.put(nodes_[node].first, dirty);
    }
    /// Checks that the index leads to all dirty nodes, and to nothing else.
    [[nodiscard]] std::string check_dirty_nodes() const {
        std::size_t dirty = 0;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            dirty += in_use(Node{i}) && nodes_[Node{i}].dirty ? 1 : 0;
        }
        std::string contradiction;
        dirty_nodes_.visit(whole_map_, [&](Lpn first) {
            const Node node = nodes_.find(first);
            if (node == kNoNode || !nodes_[node].dirty || nodes_[node].first != first) {
                contradiction = "no dirty node begins at LPN " + std::to_string(first.value);
            } else {
                --dirty;
            }
        });
        return contradiction.empty() && dirty != 0 ? "a dirty node that the index lacks" : contradiction;
    }
    /// The same, and that every entry of every node leads to it.
    [[nodiscard]] std::string check_nodes() const {
        const std::string owners = check_owners();
        return owners.empty() ? check_dirty_nodes() : owners;
    }

  private:
    [[nodiscard]] bool in_use(Node node) const { return nodes_[node].count > 0; }

    MapRange whole_map_;
    DirtyNodes dirty_nodes_;
};

}  // namespace solidtlm::fw
