// SPDX-License-Identifier: Apache-2.0
//
// Segmented LRU of single entries (DFTL, Gupta 2009): new entries are on probation, those used again are
// protected.
#pragma once

#include "fw/map_cache/node_table.h"

namespace solidtlm::fw {

class SegmentedLru {
  public:
    static constexpr std::uint8_t kProbation = 0;  ///< NodeState::list
    static constexpr std::uint8_t kProtected = 1;

    /// At most half of `slots` are protected.
    SegmentedLru(NodeTable& nodes, std::uint64_t slots)
        : nodes_(nodes),
          most_protected_(slots / 2),
          probation_(nodes, kProbation),
          protected_(nodes, kProtected) {}

    void push(Node node) { probation_.push_front(node); }
    /// A second use protects the node; a node that this pushes out of the protected segment is on probation
    /// again.
    void use(Node node) {
        if (nodes_[node].list == kProtected) {
            protected_.move_to_front(node);
            return;
        }
        probation_.remove(node);
        protected_.push_front(node);
        if (protected_.size() > most_protected_) {
            const Node demoted = protected_.last();
            protected_.remove(demoted);
            probation_.push_front(demoted);
        }
    }
    void remove(Node node) { (nodes_[node].list == kProtected ? protected_ : probation_).remove(node); }
    [[nodiscard]] Node victim() const {
        const Node node = probation_.oldest_unpinned();
        return node != kNoNode ? node : protected_.oldest_unpinned();
    }
    [[nodiscard]] std::uint64_t size() const { return std::uint64_t{probation_.size()} + protected_.size(); }
    [[nodiscard]] bool balanced() const { return protected_.size() <= most_protected_; }
    void serialize(hal::StateArchive& archive) { archive(probation_, protected_); }

  private:
    NodeTable& nodes_;
    std::uint64_t most_protected_;
    NodeList probation_;
    NodeList protected_;
};

}  // namespace solidtlm::fw
