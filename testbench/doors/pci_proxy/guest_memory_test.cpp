// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/pci_proxy/guest_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "testbench/doors/pci_proxy/error.h"

namespace solidtlm::testbench::pci_proxy {
namespace {

constexpr std::size_t kPage = 4096;

/// Two regions that are neighbours in the guest's memory but in reverse order in the file, and a hole.
class GuestMemoryTest : public testing::Test {
  protected:
    GuestMemoryTest() {
        descriptors_.emplace_back(memfd_create("guest", MFD_CLOEXEC));
        EXPECT_EQ(ftruncate(descriptors_[0].get(), 2 * kPage), 0);
        descriptors_.emplace_back(dup(descriptors_[0].get()));
        regions_.addresses = {0x100000, 0x100000 + kPage};
        regions_.bytes = {kPage, kPage};
        regions_.offsets = {kPage, 0};
        memory_.map(regions_, descriptors_);
    }

    [[nodiscard]] std::byte in_file(off_t at) const {
        std::byte value{};
        EXPECT_EQ(pread(descriptors_[0].get(), &value, 1, at), 1);
        return value;
    }

    std::vector<Descriptor> descriptors_;
    MemoryRegions regions_{};
    GuestMemory memory_;
};

TEST_F(GuestMemoryTest, WritesOverTheBorderOfRegions) {
    constexpr std::array kBytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
    ASSERT_TRUE(memory_.write(0x100000 + kPage - 2, kBytes));
    EXPECT_EQ(in_file(2 * kPage - 2), std::byte{1});
    EXPECT_EQ(in_file(2 * kPage - 1), std::byte{2});
    EXPECT_EQ(in_file(0), std::byte{3});
    EXPECT_EQ(in_file(1), std::byte{4});
    std::array<std::byte, 4> back{};
    ASSERT_TRUE(memory_.read(0x100000 + kPage - 2, back));
    EXPECT_EQ(back, kBytes);
}

TEST_F(GuestMemoryTest, RefusesAddressesOutsideMemory) {
    std::array<std::byte, 4> bytes{};
    EXPECT_FALSE(memory_.read(0x100000 - 1, bytes));
    EXPECT_FALSE(memory_.read(0x100000 + 2 * kPage - 3, bytes));
    EXPECT_FALSE(memory_.write(0x100000 + 2 * kPage, bytes));
    EXPECT_FALSE(memory_.write(~std::uint64_t{0} - 1, bytes));
    EXPECT_TRUE(memory_.read(0, std::span<std::byte>{}));
}

TEST_F(GuestMemoryTest, ANewMapReplacesTheOldOne) {
    memory_.map(regions_, std::span(descriptors_).first(1));
    EXPECT_EQ(memory_.regions(), 1U);
    std::array<std::byte, 1> byte{};
    EXPECT_TRUE(memory_.read(0x100000, byte));
    EXPECT_FALSE(memory_.read(0x100000 + kPage, byte));
}

TEST_F(GuestMemoryTest, ReportsAFailedMapping) {
    regions_.offsets[1] = 1;
    EXPECT_THROW(memory_.map(regions_, descriptors_), ProxyError);
    EXPECT_EQ(memory_.regions(), 0U);
}

}  // namespace
}  // namespace solidtlm::testbench::pci_proxy
