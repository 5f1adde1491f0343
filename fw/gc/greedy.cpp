// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/victim_policy.h"

namespace solidtlm::fw {
namespace {

class Greedy : public VictimPolicy {
  public:
    explicit Greedy(const MediaLayout& layout) : VictimPolicy(layout) {}
    std::optional<Superblock> select(const SuperblockTable& table, Pu pu) override {
        return best(table, pu, [](const SuperblockInfo& info) { return info.valid; });
    }
};

}  // namespace

std::unique_ptr<VictimPolicy> make_greedy(const MediaLayout& layout) {
    return std::make_unique<Greedy>(layout);
}

}  // namespace solidtlm::fw
