// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/victim_policy.h"

namespace solidtlm::fw {
namespace {

class Greedy : public VictimPolicy {
  public:
    using VictimPolicy::VictimPolicy;

    std::optional<Superblock> select(const SuperblockTable& table, Pu pu) override {
        return best(table, pu, [](const BlockInfo& info) { return info.valid; });
    }
};

}  // namespace

extern const GcPolicy kGreedyGcPolicy{{"greedy", "fewest valid units"}, make_policy<Greedy>};

}  // namespace solidtlm::fw
