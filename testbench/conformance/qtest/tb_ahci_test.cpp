// SPDX-License-Identifier: Apache-2.0
//
// tb_ahci as a program that speaks qtest sees it.
#include <algorithm>

#include "testbench/conformance/qtest/qtest_fixture.h"

namespace solidtlm::testbench {
namespace {

class TbAhci : public QtestProgramTest {
  protected:
    TbAhci() : QtestProgramTest("tb_ahci", "Host bus adapter") {}
};

TEST_F(TbAhci, RefusesContradictoryOptions) {
    expect_refused("--preset tiny", {"--qtest"});
    expect_refused("--preset tiny --qtest --abar 0x10", {"--abar: found 0x10; allowed: a multiple of 4096"});
    expect_refused("--preset tiny --qtest --abar here", {"--abar: found here"});
    expect_refused("--preset tiny --qtest --ports 2 --drives 0,2", {"--drives: found 2"});
    expect_refused("--preset tiny --qtest --set host.interface=nvme", {"host.interface: found nvme"});
    expect_refused("--preset tiny --qtest --set content=tags", {"content: found tags; allowed: bytes"});
    expect_refused(
        "--preset tiny --qtest --workload random --queue-depth 4 --warm-up 5 --out x",
        {"unknown option --workload; requests come from a driver",
         "unknown option --queue-depth; requests come from a driver",
         "unknown option --warm-up; drives are new", "unknown option --out; there are no results"});
}

// CAP of 6 ports, 32 slots: AHCI 1.3.1, 3.1.1. One frame of 20 bytes takes 687 ns: the signature appears
// after that time and not before.
TEST_F(TbAhci, RegistersMemoryAndTime) {
    EXPECT_EQ(
        answers("", {"readl 0xFEBF0000", "readl 0xFEBF0010", "readl 0xFEBF0120", "clock_step 600",
                     "readl 0xFEBF0120", "clock_step 100", "readl 0xFEBF0120", "readl 0xFEBF0124",
                     "readl 0xFEBF01a8", "write 0x1000 3 0x010203", "readl 0x1000", "readl 0x8000000",
                     "readl 0xFEBF0002", "nonsense"}),
        (Lines{"OK 0x00000000c1349f05", "OK 0x0000000000010301", "OK 0x00000000000000ff", "OK 600",
               "OK 0x00000000000000ff", "OK 700", "OK 0x0000000000000150", "OK 0x0000000000000101",
               "OK 0x0000000000000000", "OK", "OK 0x0000000000030201", "FAIL the machine refuses the access",
               "FAIL the machine refuses the access", "FAIL unknown command nonsense"}));
}

// 9,000,000 s are 2,500 hours.
TEST_F(TbAhci, TimeHasAnEnd) {
    Lines lines(2499, "clock_step 3600000000000");
    lines.insert(lines.end(), {"clock_step 3600000000001", "clock_step 3600000000000", "clock_step 1"});
    const Lines found = answers("", lines);
    ASSERT_EQ(found.size(), lines.size());
    EXPECT_EQ(found[2498], "OK 8996400000000000");
    EXPECT_TRUE(found[2499].starts_with("FAIL a step of at most"));
    EXPECT_EQ(found[2500], "OK 9000000000000000");
    EXPECT_EQ(found[2501], "FAIL a step that ends after 9000000s (104 days)");
}

// IDENTIFY DEVICE built by hand, through port 2 at another address: list at 0x1000, FISes at 0x2000, table at
// 0x3000, data at 0x4000. Word 0 says that it is an ATA device; word 255 has the signature A5h.
TEST_F(TbAhci, IdentifyWithAnInterrupt) {
    const auto reg = [](const char* offset) { return std::string("0xE00002") + offset; };
    const Lines lines{"clock_step 1000",
                      "writel " + reg("00") + " 0x1000",
                      "writel " + reg("08") + " 0x2000",
                      "writel " + reg("18") + " 0x10",
                      "writel " + reg("30") + " 0xFFFFFFFF",
                      "writel " + reg("10") + " 0xFFFFFFFF",
                      "writel " + reg("14") + " 0x2",
                      "writel 0xE0000004 0x80000002",
                      "write 0x1000 16 0x05000100000000000030000000000000",
                      "write 0x3000 8 0x2780ec0000000040",
                      "write 0x3080 16 0x00400000000000000000000001ff0100",
                      "writel 0x308c 511",
                      "writel " + reg("18") + " 0x11",
                      "writel " + reg("38") + " 0x1",
                      "clock_step 20000",
                      "readl " + reg("38"),
                      "readw 0x4000",
                      "readb 0x41fe",
                      "readl 0x1004",
                      "writel " + reg("10") + " 0x2",
                      "writel 0xE0000008 0x4"};
    const Lines found = answers("--abar 0xE0000000 --drives 2 --irq 11 --ports 3", lines);
    ASSERT_EQ(found.size(), lines.size() + 2);
    EXPECT_EQ(Lines(found.begin() + 14, found.end()),
              (Lines{"IRQ raise 11", "OK 21000", "OK 0x0000000000000000", "OK 0x0000000000000040",
                     "OK 0x00000000000000a5", "OK 0x0000000000000200", "OK", "IRQ lower 11", "OK"}));
}

// A queued write of 64 KiB and a flush, checked every 700 ns: however far the drive may run ahead of the
// kernel, a driver sees every change at the same nanosecond.
TEST_F(TbAhci, RunningAheadIsNotSeen) {
    const auto reg = [](const char* offset) { return std::string("0xFEBF01") + offset; };
    Lines lines{"clock_step 1000", "writel " + reg("00") + " 0x1000", "writel " + reg("08") + " 0x2000",
                "writel " + reg("18") + " 0x10", "writel " + reg("30") + " 0xFFFFFFFF",
                "writel " + reg("18") + " 0x11",
                // slot 0: WRITE FPDMA QUEUED of 128 sectors, one PRD; slot 1: FLUSH CACHE EXT
                "write 0x1000 16 0x45000100000000000030000000000000",
                "write 0x1020 16 0x05000000000000000034000000000000",
                "write 0x3000 14 0x2780618000000040000000000000",
                "write 0x3080 16 0x00400000000000000000000000000000", "writel 0x308c 0xffff",
                "write 0x3400 8 0x2780ea0000000040", "memset 0x4000 0x10000 0x5A",
                "writel " + reg("34") + " 0x1", "writel " + reg("38") + " 0x1"};
    const Lines watch{"readl " + reg("20"), "readl " + reg("34"), "readl " + reg("38"), "readl " + reg("10")};
    for (int i = 0; i < 400; ++i) {
        if (i == 200) {
            lines.push_back("writel " + reg("38") + " 0x2");
        }
        lines.emplace_back(i < 399 ? "clock_step 700" : "clock_step 100000000");
        lines.insert(lines.end(), watch.begin(), watch.end());
    }
    const Lines in_step = answers("--set run_ahead=0s", lines);
    ASSERT_EQ(in_step.size(), lines.size());
    EXPECT_EQ(in_step, answers("--set run_ahead=1ms", lines));
    EXPECT_EQ(in_step, answers("--set run_ahead=3us", lines));
    EXPECT_GT(std::ranges::count(in_step, "OK 0x0000000000000001"), 10) << "SACT while it is at work";
    EXPECT_EQ(Lines(in_step.end() - 4, in_step.end() - 1),
              (Lines{"OK 0x0000000000000050", "OK 0x0000000000000000", "OK 0x0000000000000000"}))
        << "all is done";
}

}  // namespace
}  // namespace solidtlm::testbench
