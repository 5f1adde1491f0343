// SPDX-License-Identifier: Apache-2.0
//
// The common part of all cache policies: nodes, the node of each entry, pins. Internal to the policies.
//
// In the model an entry finds its node through an array over all LPNs (memory only where it was touched);
// what a real cache needs for that, a hash table, is counted in bytes by each policy.
#pragma once

#include <string>
#include <utility>

#include "fw/hal/zeroed_memory.h"
#include "fw/map_cache/cache_policy.h"

namespace solidtlm::fw {

struct NodeState {
    Lpn first;
    std::uint32_t count = 0;  ///< entries; 0: the node is free
    Node previous = kNoNode;  ///< used more recently
    Node next = kNoNode;
    std::uint32_t bytes = 0;
    std::uint16_t pins = 0;
    bool dirty = false;
    std::uint8_t list = 0;    ///< which list it is in
    std::uint64_t stamp = 0;  ///< last use, for policies that need it
    std::uint32_t last = 0;   ///< bsb: position used last
    bool fresh = false;       ///< not used since it came in
    bool passed = false;      ///< NodeList::oldest_unpinned() has passed it

    void serialize(hal::StateArchive& archive) {
        archive(first, count, previous, next, bytes, pins, dirty, list, stamp, last, fresh);
    }
};

class NodeTable {
  public:
    explicit NodeTable(std::uint64_t entries) : owner_(entries, "nodes of the map cache, by logical page") {}

    [[nodiscard]] NodeState& operator[](Node node) { return nodes_[node.value]; }
    [[nodiscard]] const NodeState& operator[](Node node) const { return nodes_[node.value]; }
    [[nodiscard]] Node find(Lpn lpn) const { return Node{owner_[lpn.value] - 1}; }  // 0 wraps to kNoNode

    /// Takes a node for those entries of `range` that have no node yet.
    Node take(const MapRange& range) {
        Node node{static_cast<std::uint32_t>(nodes_.size())};
        if (free_.empty()) {
            nodes_.emplace_back();
        } else {
            node = free_.back();
            free_.pop_back();
        }
        nodes_[node.value] = NodeState{};
        nodes_[node.value].first = range.first;
        nodes_[node.value].count = range.count;
        own(range, 0, node.value + 1);
        return node;
    }
    void release(Node node) {
        disown(node);
        free(node);
    }
    /// The node's entries no longer lead to it.
    void disown(Node node) {
        NodeState& state = nodes_[node.value];
        own(MapRange{state.first, state.count}, node.value + 1, 0);
        state.count = 0;
    }
    void free(Node node) { free_.push_back(node); }
    /// The entry of `lpn`, which is in the node's range, leads to the node from now on, unless it leads to
    /// another node.
    void adopt(Node node, Lpn lpn) { own(MapRange{lpn, 1}, 0, node.value + 1); }
    void unpin(Node node) {
        NodeState& state = nodes_[node.value];
        if (--state.pins == 0) {
            leaves_place(state);
        }
    }
    /// A node was unpinned or moved. If oldest_unpinned() has passed it, the next search starts at the end.
    void leaves_place(NodeState& state) { old_ends_ += std::exchange(state.passed, false) ? 1 : 0; }
    /// Changes when a node that oldest_unpinned() has passed is unpinned or moved.
    [[nodiscard]] std::uint64_t old_ends() const { return old_ends_; }
    [[nodiscard]] std::size_t in_use() const { return nodes_.size() - free_.size(); }
    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    void serialize(hal::StateArchive& archive) { archive(hal::list(nodes_), hal::list(free_), owner_); }

  private:
    /// Leaves entries that belong to another node unchanged.
    void own(const MapRange& range, std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t i = 0; i < range.count; ++i) {
            std::uint32_t& owner = owner_[range.first.value + i];
            owner = owner == from ? to : owner;
        }
    }

    std::vector<NodeState> nodes_;
    std::vector<Node> free_;
    hal::ZeroedMemory<std::uint32_t> owner_;  // by LPN: node + 1
    std::uint64_t old_ends_ = 0;
};

/// Nodes in the order of their use; links in the nodes.
class NodeList {
  public:
    explicit NodeList(NodeTable& nodes, std::uint8_t id = 0) : nodes_(nodes), id_(id) {}

    void push_front(Node node) {
        NodeState& state = nodes_[node];
        state.previous = kNoNode;
        state.next = first_;
        state.list = id_;
        (first_ == kNoNode ? last_ : nodes_[first_].previous) = node;
        first_ = node;
        ++size_;
    }
    void push_back(Node node) {
        NodeState& state = nodes_[node];
        state.previous = last_;
        state.next = kNoNode;
        state.list = id_;
        (last_ == kNoNode ? first_ : nodes_[last_].next) = node;
        last_ = node;
        passed_ = kNoNode;
        ++size_;
    }
    void remove(Node node) {
        NodeState& state = nodes_[node];
        nodes_.leaves_place(state);
        (state.previous == kNoNode ? first_ : nodes_[state.previous].next) = state.next;
        (state.next == kNoNode ? last_ : nodes_[state.next].previous) = state.previous;
        --size_;
    }
    void move_to_front(Node node) {
        if (node != first_) {
            remove(node);
            push_front(node);
        }
    }
    /// The least recently used node that is not pinned, or kNoNode. Nodes that are being written back stay
    /// pinned at the old end for a long time; the search passes each of them only once.
    [[nodiscard]] Node oldest_unpinned() const {
        if (passed_when_ != nodes_.old_ends()) {
            passed_ = kNoNode;
            passed_when_ = nodes_.old_ends();
        }
        Node node = passed_ == kNoNode ? last_ : nodes_[passed_].previous;
        while (node != kNoNode && nodes_[node].pins > 0) {
            nodes_[node].passed = true;
            passed_ = node;
            node = nodes_[node].previous;
        }
        return node;
    }
    [[nodiscard]] Node first() const { return first_; }
    [[nodiscard]] Node last() const { return last_; }
    [[nodiscard]] std::uint32_t size() const { return size_; }
    void serialize(hal::StateArchive& archive) {
        passed_ = kNoNode;
        archive(first_, last_, size_);
    }

  private:
    NodeTable& nodes_;
    std::uint8_t id_;
    Node first_ = kNoNode;
    Node last_ = kNoNode;
    std::uint32_t size_ = 0;
    mutable Node passed_ = kNoNode;  // the newest pinned node at the old end that was passed
    mutable std::uint64_t passed_when_ = 0;
};

/// A policy whose nodes have one dirty bit each.
class NodePolicy : public CachePolicy {
  public:
    explicit NodePolicy(const MapAreaSize& map)
        : entries_per_page_(map.entries), nodes_(std::uint64_t{map.translation_pages} * map.entries) {}

    [[nodiscard]] Node find(Lpn lpn) const override { return nodes_.find(lpn); }
    [[nodiscard]] bool dirty(Node node) const override { return nodes_[node].dirty; }
    void mark_dirty(Node node, Lpn /*lpn*/) override { nodes_[node].dirty = true; }
    void mark_clean(const MapPiece& piece) override { nodes_[piece.node].dirty = false; }
    [[nodiscard]] MapRange range(Node node) const override {
        return MapRange{nodes_[node].first, nodes_[node].count};
    }
    void pin(Node node) override { ++nodes_[node].pins; }
    void unpin(Node node) override { nodes_.unpin(node); }
    [[nodiscard]] bool pinned(Node node) const override { return nodes_[node].pins > 0; }
    void serialize(hal::StateArchive& archive) override { archive(nodes_); }

  protected:
    [[nodiscard]] Tpn page_of(Lpn lpn) const { return Tpn{lpn.value / entries_per_page_}; }
    /// The run of entries from `first` on, at most `count`, that ends at the translation page's end or before
    /// the next cached entry.
    [[nodiscard]] MapRange free_run(Lpn first, std::uint32_t count) const {
        const std::uint32_t to_page_end = entries_per_page_ - first.value % entries_per_page_;
        const std::uint32_t most = count < to_page_end ? count : to_page_end;
        std::uint32_t length = 1;
        while (length < most && nodes_.find(Lpn{first.value + length}) == kNoNode) {
            ++length;
        }
        return MapRange{first, length};
    }
    /// Checks that every entry of every used node leads to that node.
    [[nodiscard]] std::string check_owners() const {
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            const NodeState& state = nodes_[Node{i}];
            for (std::uint32_t k = 0; k < state.count; ++k) {
                if (nodes_.find(Lpn{state.first.value + k}) != Node{i}) {
                    return "LPN " + std::to_string(state.first.value + k) +
                           " does not find the node that holds it";
                }
            }
        }
        return {};
    }

    std::uint32_t entries_per_page_;
    NodeTable nodes_;
};

/// How many slots of one size a budget holds. Links and heads are 16-bit numbers; if these do not suffice, a
/// slot takes 8 bytes more.
[[nodiscard]] constexpr std::uint64_t slots_in(std::uint64_t budget_bytes, std::uint64_t slot_bytes) {
    constexpr std::uint64_t kMostShort = 65'535;
    const std::uint64_t slots = budget_bytes / slot_bytes;
    const std::uint64_t longer = budget_bytes / (slot_bytes + 8);
    return slots <= kMostShort ? slots : longer > kMostShort ? longer : kMostShort;
}

}  // namespace solidtlm::fw
