// SPDX-License-Identifier: Apache-2.0
// Expected values: PCI Local Bus 3.0, clauses 6.1, 6.2.1 and 6.2.5.1.
#include "testbench/doors/pci_proxy/config_space.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench::pci_proxy {
namespace {

constexpr PciIdentity kIdentity{.vendor = 0x1234,
                                .device = 0x5678,
                                .class_code = 0x010601,
                                .revision = 2,
                                .subsystem_vendor = 0x1111,
                                .subsystem = 0x2222,
                                .bar_bytes = {0, 0, 0, 0, 0, 8192}};

TEST(ConfigSpace, IdentifiesTheDevice) {
    const ConfigSpace config(kIdentity);
    EXPECT_EQ(config.read(0x00, 4), 0x56781234U);
    EXPECT_EQ(config.read(0x08, 4), 0x01060102U);
    EXPECT_EQ(config.read(0x0A, 2), 0x0106U);
    EXPECT_EQ(config.read(0x0E, 1), 0U) << "header type 0, one function";
    EXPECT_EQ(config.read(0x2C, 4), 0x22221111U);
    EXPECT_EQ(config.read(0x3D, 1), 1U) << "INTA";
    EXPECT_EQ(config.read(0x06, 2) & 0x10U, 0U) << "no capabilities";
    EXPECT_EQ(config.read(0x34, 1), 0U);
    EXPECT_EQ(config.read(254, 4), 0xFFFF0000U) << "beyond the end";
}

TEST(ConfigSpace, IdentityIsReadOnly) {
    ConfigSpace config(kIdentity);
    for (std::uint32_t address = 0; address < kConfigBytes; address += 4) {
        config.write(address, 0xFFFFFFFF, 4);
    }
    EXPECT_EQ(config.read(0x00, 4), 0x56781234U);
    EXPECT_EQ(config.read(0x08, 4), 0x01060102U);
    EXPECT_EQ(config.read(0x04, 4), 0x0406U) << "memory, bus master, no interrupts";
    EXPECT_EQ(config.read(0x3C, 2), 0x01FFU) << "interrupt line and pin";
    EXPECT_FALSE(config.interrupts_allowed());
}

/// Software writes all ones and reads the BAR; the inverse of the result plus one is the size.
TEST(ConfigSpace, BarsReportTheirSize) {
    ConfigSpace config(kIdentity);
    config.write(0x24, 0xFFFFFFFF, 4);
    EXPECT_EQ(config.read(0x24, 4), 0xFFFFE000U);
    config.write(0x10, 0xFFFFFFFF, 4);
    EXPECT_EQ(config.read(0x10, 4), 0U) << "no BAR 0";
}

TEST(ConfigSpace, FindsTheBarOfAnAddress) {
    ConfigSpace config(kIdentity);
    config.write(0x24, 0xFEBF2ABC, 4);
    EXPECT_EQ(config.read(0x24, 4), 0xFEBF2000U);
    const auto found = config.find(0xFEBF3FFC);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->bar, 5U);
    EXPECT_EQ(found->offset, 0x1FFCU);
    EXPECT_FALSE(config.find(0xFEBF4000));
    EXPECT_FALSE(config.find(0xFEBF1FFF));
}

TEST(ConfigSpace, BytesAreWrittenAlone) {
    ConfigSpace config(kIdentity);
    config.write(0x04, 0x06, 1);
    config.write(0x3C, 11, 1);
    EXPECT_EQ(config.read(0x04, 2), 0x0006U);
    EXPECT_EQ(config.read(0x3C, 1), 11U);
    EXPECT_TRUE(config.interrupts_allowed());
    config.write(0x05, 0x04, 1);
    EXPECT_FALSE(config.interrupts_allowed());
    config.write(255, 0xFFFF, 2);
    EXPECT_EQ(config.read(255, 1), 0U);
}

}  // namespace
}  // namespace solidtlm::testbench::pci_proxy
