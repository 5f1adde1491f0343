// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "fw/gc/victim_policy.h"

namespace solidtlm::fw {
namespace {

class CostBenefit : public VictimPolicy {
  public:
    using VictimPolicy::VictimPolicy;

    std::optional<Superblock> select(const SuperblockTable& table, Pu pu) override {
        const double units = layout_.units_per_superblock();
        const auto newest = static_cast<double>(table.closed_count());
        return best(table, pu, [units, newest](const BlockInfo& info) {
            if (info.valid == 0) {
                return -std::numeric_limits<double>::infinity();
            }
            const double used = info.valid / units;
            return -(newest - static_cast<double>(info.closed_order)) * (1.0 - used) / (2.0 * used);
        });
    }
};

}  // namespace

extern const GcPolicy kCostBenefitGcPolicy{
    {"cost_benefit",
     "largest age * (1 - u) / 2u, u the valid fraction (Rosenblum and Ousterhout 1992, Kawaguchi 1995)"},
    make_policy<CostBenefit>};

}  // namespace solidtlm::fw
