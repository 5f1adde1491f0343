// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/node_table.h"

#include <gtest/gtest.h>

#include <array>
#include <list>
#include <random>

namespace solidtlm::fw {
namespace {

constexpr std::uint32_t kNodes = 40;

/// Two lists of the same nodes, and plain lists to compare them with.
class Lists {
  public:
    Lists() {
        for (std::uint32_t i = 0; i < kNodes; ++i) {
            const Node node = nodes_.take(MapRange{Lpn{i}, 1});
            lists_[0].push_front(node);
            orders_[0].push_front(node);
        }
    }
    void step(std::mt19937& random) {
        const Node node{static_cast<std::uint32_t>(random() % kNodes)};
        NodeState& state = nodes_[node];
        switch (random() % 8) {
            case 0:
                nodes_.unpin(pin(node));
                break;
            case 1:
            case 2:
                (void)pin(node);
                break;
            case 3:
            case 4:
                if (state.pins > 0) {
                    nodes_.unpin(node);
                }
                break;
            case 5:
                lists_[state.list].move_to_front(node);
                orders_[state.list].remove(node);
                orders_[state.list].push_front(node);
                break;
            case 6:
                move(node, true);
                break;
            default:
                move(node, false);
                break;
        }
    }
    void expect_same() const {
        for (std::size_t i = 0; i < lists_.size(); ++i) {
            Node expected = kNoNode;
            for (auto node = orders_[i].rbegin(); node != orders_[i].rend() && expected == kNoNode; ++node) {
                expected = nodes_[*node].pins == 0 ? *node : kNoNode;
            }
            EXPECT_EQ(lists_[i].oldest_unpinned(), expected);
        }
    }

  private:
    Node pin(Node node) {
        ++nodes_[node].pins;
        return node;
    }
    /// Moves the node to the other list.
    void move(Node node, bool front) {
        const std::uint8_t from = nodes_[node].list;
        lists_[from].remove(node);
        orders_[from].remove(node);
        if (front) {
            lists_[1 - from].push_front(node);
            orders_[1 - from].push_front(node);
        } else {
            lists_[1 - from].push_back(node);
            orders_[1 - from].push_back(node);
        }
    }

    NodeTable nodes_{kNodes};
    std::array<NodeList, 2> lists_{NodeList(nodes_, 0), NodeList(nodes_, 1)};
    std::array<std::list<Node>, 2> orders_;
};

TEST(NodeList, FindsTheSameOldestUnpinnedNodeAsAWalk) {
    std::mt19937 random(1);
    Lists lists;
    for (int i = 0; i < 20'000; ++i) {
        lists.step(random);
        if (random() % 3 != 0) {
            lists.expect_same();
        }
        ASSERT_FALSE(::testing::Test::HasFailure()) << "after step " << i;
    }
}

}  // namespace
}  // namespace solidtlm::fw
