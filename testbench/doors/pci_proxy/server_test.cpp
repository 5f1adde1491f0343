// SPDX-License-Identifier: Apache-2.0
//
// Tests the server; the test takes QEMU's place.
#include "testbench/doors/pci_proxy/server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "testbench/doors/pci_proxy/error.h"
#include "testbench/doors/pci_proxy/test_doubles.h"

namespace solidtlm::testbench::pci_proxy {
namespace {

constexpr std::chrono::milliseconds kSoon{1000};
constexpr std::uint64_t kBar = 0xFEB00000;

class ServerTest : public testing::Test {
  protected:
    ServerTest() { device_.attach(server_); }

    void say(Kind kind, const void* contents, std::size_t bytes, const std::vector<int>& descriptors = {}) {
        const Header header{kind, 0, bytes};
        std::vector<std::byte> data(sizeof header + bytes);
        std::memcpy(data.data(), &header, sizeof header);
        if (bytes > 0) {
            std::memcpy(data.data() + sizeof header, contents, bytes);
        }
        alignas(cmsghdr) std::array<std::byte, 256> control{};
        iovec place{data.data(), data.size()};
        msghdr message{};
        message.msg_iov = &place;
        message.msg_iovlen = 1;
        if (!descriptors.empty()) {
            message.msg_control = control.data();
            message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
            cmsghdr* part = CMSG_FIRSTHDR(&message);
            part->cmsg_level = SOL_SOCKET;
            part->cmsg_type = SCM_RIGHTS;
            part->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
            std::memcpy(CMSG_DATA(part), descriptors.data(), sizeof(int) * descriptors.size());
        }
        ASSERT_EQ(sendmsg(qemu_.get(), &message, 0), static_cast<ssize_t>(data.size()));
    }

    std::uint64_t heard() {
        struct {
            Header header;
            std::uint64_t value;
        } answer{};
        EXPECT_EQ(recv(qemu_.get(), &answer, sizeof answer, MSG_WAITALL),
                  static_cast<ssize_t>(sizeof answer));
        EXPECT_EQ(answer.header.kind, Kind::answer);
        EXPECT_EQ(answer.header.bytes, sizeof answer.value);
        return answer.value;
    }

    std::uint64_t config(Kind kind, std::uint32_t address, std::uint32_t value, std::int32_t bytes) {
        const ConfigAccess wanted{address, value, bytes};
        say(kind, &wanted, sizeof wanted);
        EXPECT_TRUE(server_.serve(kSoon));
        return heard();
    }

    std::uint64_t bar(Kind kind, std::uint64_t address, std::uint64_t value, std::uint32_t bytes,
                      bool is_memory = true) {
        const BarAccess wanted{address, value, bytes, static_cast<std::uint8_t>(is_memory ? 1 : 0), {}};
        say(kind, &wanted, sizeof wanted);
        EXPECT_TRUE(server_.serve(kSoon));
        return heard();
    }

    void place_bar() { (void)config(Kind::config_write, 0x24, kBar, 4); }

    SocketPair pair_;
    Descriptor& qemu_ = pair_.theirs;
    TestDevice device_;
    Server server_{std::move(pair_.ours), TestDevice::kIdentity, device_};
};

/// Whether an eventfd was written to; resets it.
bool signalled(const Descriptor& event) {
    pollfd watched{event.get(), POLLIN, 0};
    std::uint64_t count = 0;
    return poll(&watched, 1, 0) == 1 && read(event.get(), &count, sizeof count) == sizeof count;
}

TEST_F(ServerTest, AccessesReachConfigSpaceAndDevice) {
    EXPECT_EQ(config(Kind::config_read, 0, 0, 4), 0x56781234U);
    place_bar();
    EXPECT_EQ(bar(Kind::bar_write, kBar + 0x100, 0x1122334455667788, 8), 0U);
    EXPECT_EQ(bar(Kind::bar_read, kBar + 0x100, 0, 8), 0x1122334455667788U);
    EXPECT_EQ(bar(Kind::bar_read, kBar + 0x102, 0, 2), 0x5566U);
}

TEST_F(ServerTest, OtherAddressesReadAsOnes) {
    place_bar();
    EXPECT_EQ(bar(Kind::bar_read, kBar + 4096, 0, 4), ~std::uint64_t{0});
    EXPECT_EQ(bar(Kind::bar_read, kBar, 0, 3), ~std::uint64_t{0});
    EXPECT_EQ(bar(Kind::bar_read, kBar, 0, 4, false), ~std::uint64_t{0}) << "I/O space";
    EXPECT_EQ(config(Kind::config_read, 0, 0, 8), ~std::uint64_t{0});
}

TEST_F(ServerTest, TheDeviceMovesTheGuestsMemory) {
    const Descriptor file(memfd_create("guest", MFD_CLOEXEC));
    ASSERT_EQ(ftruncate(file.get(), 8192), 0);
    ASSERT_EQ(pwrite(file.get(), "moved", 5, 4096 + 10), 5);
    MemoryRegions regions{};
    regions.addresses[0] = 0x1000;
    regions.bytes[0] = 8192;
    say(Kind::memory, &regions, sizeof regions, {file.get()});
    ASSERT_TRUE(server_.serve(kSoon));
    place_bar();
    (void)bar(Kind::bar_write, kBar + TestDevice::kFrom, 0x1000 + 4096 + 10, 8);
    (void)bar(Kind::bar_write, kBar + TestDevice::kTo, 0x1000, 8);
    (void)bar(Kind::bar_write, kBar + TestDevice::kCopy, 5, 4);
    EXPECT_TRUE(device_.copied);
    std::array<char, 6> found{};
    ASSERT_EQ(pread(file.get(), found.data(), 5, 0), 5);
    EXPECT_STREQ(found.data(), "moved");
}

TEST_F(ServerTest, ALineThatStaysUpIsSignalledAfterEachEndOfInterrupt) {
    const Descriptor raise(eventfd(0, EFD_CLOEXEC));
    const Descriptor ended(eventfd(0, EFD_CLOEXEC));
    say(Kind::interrupt, nullptr, 0, {raise.get(), ended.get()});
    ASSERT_TRUE(server_.serve(kSoon));
    server_.set_line(true);
    EXPECT_TRUE(signalled(raise));
    server_.set_line(true);
    EXPECT_FALSE(signalled(raise)) << "it was up";
    const std::uint64_t one = 1;
    ASSERT_EQ(write(ended.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
    ASSERT_TRUE(server_.serve(kSoon));
    EXPECT_TRUE(signalled(raise)) << "it is still up";
    server_.set_line(false);
    ASSERT_EQ(write(ended.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
    ASSERT_TRUE(server_.serve(kSoon));
    EXPECT_FALSE(signalled(raise));
    (void)config(Kind::config_write, 0x04, 0x0400, 2);
    server_.set_line(true);
    EXPECT_FALSE(signalled(raise)) << "the guest has switched interrupts off";
}

TEST_F(ServerTest, AResetOfTheMachine) {
    place_bar();
    (void)bar(Kind::bar_write, kBar, 7, 4);
    say(Kind::reset, nullptr, 0);
    ASSERT_TRUE(server_.serve(kSoon));
    (void)heard();
    EXPECT_EQ(device_.resets, 1U);
    EXPECT_EQ(config(Kind::config_read, 0x24, 0, 4), 0U) << "the BAR";
}

TEST_F(ServerTest, NothingComes) {
    EXPECT_TRUE(server_.serve(std::chrono::milliseconds(1)));
}

TEST_F(ServerTest, TheEnd) {
    qemu_.reset();
    EXPECT_FALSE(server_.serve(kSoon));
}

TEST_F(ServerTest, RefusesUnknownMessages) {
    const std::uint64_t any = 0;
    say(static_cast<Kind>(8), &any, sizeof any);
    EXPECT_THROW((void)server_.serve(kSoon), ProxyError);
}

TEST_F(ServerTest, ContentsOfAnotherSize) {
    const std::array<std::uint64_t, 2> any{};
    say(Kind::bar_read, any.data(), sizeof any);
    EXPECT_THROW((void)server_.serve(kSoon), ProxyError);
}

TEST_F(ServerTest, DescriptorsThatDoNotBelongThere) {
    const ConfigAccess access{0, 0, 4};
    say(Kind::config_read, &access, sizeof access, {qemu_.get()});
    EXPECT_THROW((void)server_.serve(kSoon), ProxyError);
}

TEST_F(ServerTest, HalfAMessage) {
    ASSERT_EQ(send(qemu_.get(), "abc", 3, 0), 3);
    qemu_.reset();
    EXPECT_THROW((void)server_.serve(kSoon), ProxyError);
}

}  // namespace
}  // namespace solidtlm::testbench::pci_proxy
