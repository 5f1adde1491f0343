// SPDX-License-Identifier: Apache-2.0
//
// tb_nvme as a program that speaks qtest sees it.
#include "testbench/qtest/qtest_fixture.h"

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
    expect_refused("--preset tiny --qtest --set run_ahead=1us",
                   {"run_ahead: found more than 0s; allowed: 0s"});
    expect_refused("--preset tiny --qtest --set content=tags", {"content: found tags; allowed: bytes"});
    expect_refused("--preset tiny --qtest --workload random",
                   {"unknown option --workload; requests come from a driver"});
}

// CAP of 1,024 entries, weighted round robin, 10 s; version 1.4 (NVMe 1.4, 3.1.1, 3.1.2).
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

}  // namespace
}  // namespace solidtlm::testbench
