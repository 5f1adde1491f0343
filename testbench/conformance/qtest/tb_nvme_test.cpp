// SPDX-License-Identifier: Apache-2.0
//
// tb_nvme as a program that speaks qtest sees it.
#include <fmt/format.h>

#include <algorithm>

#include "testbench/conformance/qtest/qtest_fixture.h"

namespace solidtlm::testbench {
namespace {

class TbNvme : public QtestProgramTest {
  protected:
    TbNvme() : QtestProgramTest("tb_nvme", "Controller") {}
};

TEST_F(TbNvme, RefusesContradictoryOptions) {
    expect_refused("--preset tiny", {"--qtest"});
    expect_refused("--preset tiny --qtest --bar 0x10", {"--bar: found 0x10; allowed: a multiple of 4096"});
    expect_refused("--preset tiny --qtest --set host.interface=link",
                   {"host.interface: found link or ahci; allowed: nvme"});
    expect_refused("--preset tiny --qtest --set content=tags", {"content: found tags; allowed: bytes"});
    expect_refused("--preset tiny --qtest --workload random",
                   {"unknown option --workload; requests come from a driver"});
}

// CAP of 1,024 entries, weighted round robin, 10 s; version 1.4.
TEST_F(TbNvme, RegistersMemoryAndTime) {
    EXPECT_EQ(
        answers("", {"readl 0xFEBF0000", "readq 0xFEBF0000", "readl 0xFEBF0008", "clock_step 600",
                     "writel 0xFEBF0024 0x30003", "readl 0xFEBF0024", "write 0x1000 3 0x010203",
                     "readl 0x1000", "readl 0x8000000", "readl 0xFEBF0002", "readw 0xFEBF0000",
                     "readl 0xFEBF3FFC", "readl 0xFEBF4000"}),
        (Lines{"OK 0x00000000140303ff", "OK 0x00000020140303ff", "OK 0x0000000000010400", "OK 600", "OK",
               "OK 0x0000000000030003", "OK", "OK 0x0000000000030201", "FAIL the machine refuses the access",
               "FAIL the machine refuses the access", "FAIL the machine refuses the access",
               "OK 0x0000000000000000", "FAIL the machine refuses the access"}));
}

// Identify Controller built by hand, with the registers at another address: admin queues of 4 entries at
// 0x1000 and 0x2000, data at 0x4000. The interrupt pin rises with the completion and falls when the host has
// consumed it.
TEST_F(TbNvme, IdentifyWithAnInterrupt) {
    const Lines lines{"writel 0xE0000024 0x30003",
                      "writel 0xE0000028 0x1000",
                      "writel 0xE0000030 0x2000",
                      "writel 0xE0000014 0x460001",
                      "readl 0xE000001c",
                      "write 0x1000 4 0x06003412",  // opcode 06h, identifier 1234h
                      "writeq 0x1018 0x4000",       // PRP1: the data buffer
                      "writel 0x1028 1",            // CNS: the controller
                      "writel 0xE0001000 1",
                      "clock_step 100000",
                      "readl 0x200c",  // phase bit set, no error
                      "readl 0x2008",  // new head of the completion queue
                      "readb 0x404d",  // MDTS
                      "writel 0xE0001004 1"};
    const Lines found = answers("--bar 0xE0000000 --irq 11", lines);
    ASSERT_EQ(found.size(), lines.size() + 2);
    EXPECT_EQ(found[4], "OK 0x0000000000000001") << "ready";
    EXPECT_EQ(Lines(found.begin() + 9, found.end()),
              (Lines{"IRQ raise 11", "OK 100006", "OK 0x0000000000011234", "OK 0x0000000000000001",
                     "OK 0x0000000000000005", "IRQ lower 11", "OK"}));
}

// A write and a read of 64 KiB (a list of pages at 0x6000) and a flush, watched every 700 ns: the drive stays
// in step with the driver with any run_ahead.
TEST_F(TbNvme, RunningAheadChangesNoAnswer) {
    Lines lines{"writel 0xFEBF0024 0x70007", "writel 0xFEBF0028 0x1000", "writel 0xFEBF0030 0x2000",
                "writel 0xFEBF0014 0x460001",
                // Create CQ 1 at 0x4000 with interrupts, SQ 1 at 0x3000, 8 entries each.
                "writel 0x1000 0x00010005", "writeq 0x1018 0x4000", "writel 0x1028 0x70001",
                "writel 0x102c 0x3", "writel 0xFEBF1000 1", "clock_step 100000", "writel 0x1040 0x00020001",
                "writeq 0x1058 0x3000", "writel 0x1068 0x70001", "writel 0x106c 0x10001",
                "writel 0xFEBF1000 2", "clock_step 100000", "readl 0x200c", "readl 0x201c",
                "writel 0xFEBF1004 2"};
    const auto put = [&lines](int entry, const char* opcode, const char* data) {
        const auto at = [entry](int offset) { return fmt::format("{:#x}", 0x3000 + entry * 64 + offset); };
        lines.push_back("writel " + at(0) + " " + opcode);
        lines.push_back("writel " + at(4) + " 1");
        lines.push_back("writeq " + at(24) + " " + data);
        lines.push_back("writeq " + at(32) + " 0x6000");
        lines.push_back("writel " + at(48) + " 127");
    };
    for (int page = 0; page < 15; ++page) {
        lines.push_back(fmt::format("writeq {:#x} {:#x}", 0x6000 + page * 8, 0x21000 + page * 0x1000));
    }
    lines.emplace_back("memset 0x20000 0x10000 0x5A");
    put(0, "0x00030001", "0x20000");
    put(1, "0x00040000", "0");
    put(2, "0x00050002", "0x20000");
    lines.emplace_back("writel 0xFEBF1008 3");
    for (int i = 0; i < 400; ++i) {
        lines.emplace_back(i < 399 ? "clock_step 700" : "clock_step 100000000");
        for (const char* watched : {"readl 0x400c", "readl 0x401c", "readl 0x402c", "readl 0x4008"}) {
            lines.emplace_back(watched);
        }
    }
    lines.emplace_back("writel 0xFEBF100c 3");
    const Lines in_step = answers("--set run_ahead=0s", lines);
    EXPECT_EQ(in_step, answers("--set run_ahead=1ms", lines));
    EXPECT_EQ(in_step, answers("--set run_ahead=3us", lines));
    EXPECT_EQ(in_step, answers("", lines));
    EXPECT_EQ(std::ranges::count(in_step, "IRQ raise 0"), 2) << "of the admin queue, and of queue 1";
    EXPECT_GT(std::ranges::count(in_step, "OK 0x0000000000010003"), 10) << "the write has ended";
    const auto last = std::ranges::find(in_step, "OK 0x0000000000010005") - in_step.begin();
    EXPECT_GT(last, 100) << "and the read, later";
    EXPECT_LT(last, std::ssize(in_step));
}

}  // namespace
}  // namespace solidtlm::testbench
