// SPDX-License-Identifier: Apache-2.0
#include "fw/hal/metrics.h"

#include <gtest/gtest.h>

namespace solidtlm::hal {
namespace {

/// A power cycle in which `block` reported these counts in this order.
Metrics life(std::initializer_list<std::pair<const char*, int>> counts) {
    Metrics metrics;
    metrics.state("block.now", "pages", "", 5);
    metrics.maximum("block.most", "pages", "", counts.size());
    for (const auto& [name, count] : counts) {
        metrics.counter(std::string("block.") + name, "pages", "", count);
    }
    metrics.time("blocked", "", Ps{1500});
    return metrics;
}

TEST(Metrics, PowerCutsAddUpAndKeepTheOrder) {
    Metrics past = life({{"z", 1}, {"b", 2}});
    past.add_past(life({{"y", 4}, {"b", 8}}));
    Metrics all = life({{"c", 16}, {"b", 32}, {"a", 64}});
    all.add_past(past);
    std::string told;
    for (const auto& [name, metric] : all.of("block").in_order()) {
        told += name + "=" + std::to_string(static_cast<int>(metric.value)) + " ";
    }
    EXPECT_EQ(told, "now=5 most=3 c=16 b=42 a=64 z=1 y=4 ");
    EXPECT_EQ(all.time_at("blocked"), Ps{4500});
    EXPECT_DOUBLE_EQ(all.at("blocked"), 0.0045);
}

TEST(Metrics, AWindowIsADifferenceOfWhatCounts) {
    const Metrics before = life({{"a", 3}});
    const Metrics after = life({{"a", 10}, {"b", 2}});
    const Metrics window = after.since(before).of("block");
    EXPECT_EQ(window.count("a"), 7U);
    EXPECT_EQ(window.count("b"), 2U);
    EXPECT_EQ(window.count("now"), 5U);
    EXPECT_EQ(window.count("most"), 2U);
    EXPECT_DEATH((void)before.since(after), "`earlier` holds metrics of the same blocks");
}

}  // namespace
}  // namespace solidtlm::hal
