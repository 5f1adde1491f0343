// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/power_loss.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace solidtlm::testbench::dedup {
namespace {

/// Every content once at a place of its own and once more elsewhere, each time followed by a FLUSH, before
/// the cut. What comes behind the cut touches none of it.
TEST(DedupPowerLoss, EveryPageIsWrittenTwiceAndFlushed) {
    std::map<std::uint64_t, std::set<std::uint64_t>> places;
    Ps last_write{0};
    Ps last_flush{0};
    for (const Request& request : power_loss_requests()) {
        if (request.operation == Operation::write) {
            ASSERT_EQ(request.content.size(), 1U);
            EXPECT_NE(request.content[0], 0U) << "zeros";
            places[request.content[0]].insert(request.lba.value);
            last_write = request.arrival;
        } else if (request.operation == Operation::flush) {
            last_flush = request.arrival;
        } else {
            EXPECT_GT(request.arrival, power_loss_at(Moment::idle));
            EXPECT_GE(request.lba.value, 2U * kPowerLossPages * 8);
        }
    }
    EXPECT_EQ(places.size(), kPowerLossPages);
    for (const auto& [content, of] : places) {
        EXPECT_EQ(of.size(), 2U) << content;
    }
    EXPECT_GE(last_flush, last_write);
    EXPECT_LT(power_loss_at(Moment::at_once), last_flush + kIdleThreshold)
        << "nothing is deduplicated by then";
    EXPECT_GT(power_loss_at(Moment::idle), last_flush + kIdleThreshold);
}

}  // namespace
}  // namespace solidtlm::testbench::dedup
