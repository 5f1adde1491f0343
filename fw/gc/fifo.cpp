// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/victim_policy.h"

namespace solidtlm::fw {
namespace {

class Fifo : public VictimPolicy {
  public:
    explicit Fifo(const MediaLayout& layout) : VictimPolicy(layout) {}
    std::optional<Superblock> select(const SuperblockTable& table, Pu pu) override {
        return best(table, pu, [](const SuperblockInfo& info) { return info.closed_order; });
    }
};

}  // namespace

std::unique_ptr<VictimPolicy> make_fifo(const MediaLayout& layout) {
    return std::make_unique<Fifo>(layout);
}

}  // namespace solidtlm::fw
