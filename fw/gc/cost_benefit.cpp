// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "fw/gc/victim_policy.h"

namespace solidtlm::fw {
namespace {

class CostBenefit : public VictimPolicy {
  public:
    explicit CostBenefit(const MediaLayout& layout) : VictimPolicy(layout) {}
    std::optional<Superblock> select(const SuperblockTable& table, Pu pu) override {
        const double units = layout_.units_per_superblock();
        const auto newest = static_cast<double>(table.closed_count());
        return best(table, pu, [units, newest](const SuperblockInfo& info) {
            if (info.valid == 0) {
                return -std::numeric_limits<double>::infinity();
            }
            const double used = info.valid / units;
            return -(newest - static_cast<double>(info.closed_order)) * (1.0 - used) / (2.0 * used);
        });
    }
};

}  // namespace

std::unique_ptr<VictimPolicy> make_cost_benefit(const MediaLayout& layout) {
    return std::make_unique<CostBenefit>(layout);
}

}  // namespace solidtlm::fw
