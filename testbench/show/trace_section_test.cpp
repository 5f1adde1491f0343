// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/trace_section.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench {
namespace {

TraceAccount two_disks() {
    TraceAccount account;
    account.path = "folder/two.blkparse";
    account.format = "blkparse";
    account.why = "as --format says";
    account.reads = 1;
    account.writes = 1200;
    account.lowest_sector = 8;
    account.extent_sectors = 5000;
    account.span = Ps{1'500'000'000'000};
    account.devices = {{"8,0", 1}, {"8,16", 1200}};
    account.counts.skipped = 3;
    account.counts.unknown = 4;
    account.counts.reordered = 2;
    return account;
}

TEST(TraceSection, DescribesTheTraceInWords) {
    TextStyle style;
    style.width = 200;
    const std::vector<TraceAccount> traces{two_disks()};
    EXPECT_EQ(
        trace_lines(trace_section(traces), style),
        "trace two.blkparse: blkparse (as --format says)\n"
        "  1,201 requests: 1 read, 1,200 writes, within 1.50 s, sectors 8 to 4,999\n"
        "  devices 8,16 (1,200), 8,0 (1): laid on top of each other, as one; --device takes one of them\n"
        "  skipped, no read, write, trim or flush: 3; skipped, an operation that is not known: 4; put in the "
        "order of their times: 2\n");
    EXPECT_EQ(trace_lines(trace_section({}), style), "");
}

TEST(TraceSection, NamesTheDevicesWithMostRequestsAndHasNoAddressesOfFlushes) {
    TraceAccount account;
    account.flushes = 1;
    for (int i = 0; i < 20; ++i) {
        account.devices.push_back({std::to_string(i), static_cast<std::uint64_t>(i + 1)});
    }
    const std::vector<TraceAccount> traces{account};
    const Json section = trace_section(traces);
    EXPECT_EQ(section.at(0).at("device_count"), 20);
    EXPECT_EQ(section.at(0).at("devices").size(), 16U);
    EXPECT_EQ(section.at(0).at("devices").at(0), (Json{{"name", "19"}, {"requests", 20}}));
    EXPECT_TRUE(section.at(0).at("lowest_lba").is_null());
    EXPECT_TRUE(section.at(0).at("highest_lba").is_null());
}

}  // namespace
}  // namespace solidtlm::testbench
