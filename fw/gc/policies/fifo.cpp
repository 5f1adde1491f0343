// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/victim_policy.h"

namespace solidtlm::fw {
namespace {

class Fifo : public VictimPolicy {
  public:
    using VictimPolicy::VictimPolicy;

    std::optional<Superblock> select(const SuperblockTable& table, Pu pu) override {
        return best(table, pu, [](const BlockInfo& info) { return info.closed_order; });
    }
};

}  // namespace

extern const GcPolicy kFifoGcPolicy{{"fifo", "filled first, however much of it is valid"}, make_policy<Fifo>};

}  // namespace solidtlm::fw
