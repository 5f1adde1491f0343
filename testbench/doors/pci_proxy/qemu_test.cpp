// SPDX-License-Identifier: Apache-2.0
//
// The test device in a real QEMU. This test acts as the guest, over the qtest protocol.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spdlog/fmt/fmt.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <optional>
#include <string>

#include "testbench/doors/pci_proxy/server.h"
#include "testbench/doors/pci_proxy/test_doubles.h"
#include "testbench/sim/process/child.h"

namespace solidtlm::testbench::pci_proxy {
namespace {

constexpr std::uint64_t kQemuBar = 0xE0000000;
constexpr unsigned kSlot = 4;

bool qemu_is_there() {
    Child child;
    child.start({"/bin/sh", "-c", "command -v qemu-system-x86_64 >/dev/null"}, {}, {});
    (void)child.wait();
    return child.succeeded();
}

class QemuTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!qemu_is_there()) {
            GTEST_SKIP() << "qemu-system-x86_64 is not installed (scripts/setup clients)";
        }
        server_.emplace(std::move(proxy_.ours), TestDevice::kIdentity, device_);
        device_.attach(*server_);
        qemu_.start({"qemu-system-x86_64",
                     "-M",
                     "q35,memory-backend=memory",
                     "-accel",
                     "tcg",
                     "-S",
                     "-display",
                     "none",
                     "-nodefaults",
                     "-m",
                     "64M",
                     "-object",
                     "memory-backend-memfd,id=memory,size=64M,share=on",
                     "-chardev",
                     fmt::format("socket,id=qtest,fd={}", guest_.theirs.get()),
                     "-qtest",
                     "chardev:qtest",
                     "-qtest-log",
                     "none",
                     "-device",
                     fmt::format("x-pci-proxy-dev,fd={},addr={:#x}", proxy_.theirs.get(), kSlot)},
                    {proxy_.theirs.get(), guest_.theirs.get()}, {});
        proxy_.theirs.reset();
        guest_.theirs.reset();
        serving_ = std::async(std::launch::async, [this] {
            while (server_->serve(std::chrono::seconds(1))) {
            }
        });
    }

    void TearDown() override {
        if (qemu_.running()) {
            qemu_.end();
            EXPECT_NO_THROW(serving_.get());
        }
    }

    /// Returns the words after OK. QEMU sends no "IRQ" lines, because no interrupt is intercepted.
    std::string ask(const std::string& request) {
        const std::string line = request + "\n";
        EXPECT_EQ(send(guest_.ours.get(), line.data(), line.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(line.size()));
        std::string answer;
        for (char next = 0; next != '\n' && recv(guest_.ours.get(), &next, 1, 0) == 1;) {
            answer += next;
        }
        EXPECT_TRUE(answer.starts_with("OK")) << request << ": " << answer;
        return answer.size() > 4 ? answer.substr(3, answer.size() - 4) : "";
    }

    std::uint64_t number(const std::string& request) { return std::stoull(ask(request), nullptr, 0); }

    void select(std::uint32_t offset) {
        (void)ask(fmt::format("outl 0xcf8 {:#x}", 0x80000000U | kSlot << 11U | offset));
    }

    std::uint64_t config(std::uint32_t offset) {
        select(offset);
        return number("inl 0xcfc");
    }

    void configure(std::uint32_t offset, std::uint32_t value) {
        select(offset);
        (void)ask(fmt::format("outl 0xcfc {:#x}", value));
    }

    void switch_on() {
        configure(0x24, kQemuBar);
        configure(0x04, 0x0006);
    }

    SocketPair proxy_;
    SocketPair guest_;
    TestDevice device_;
    std::optional<Server> server_;
    Child qemu_;
    std::future<void> serving_;
};

TEST_F(QemuTest, FindsTheDevice) {
    EXPECT_EQ(config(0x00), 0x56781234U);
    EXPECT_EQ(config(0x08) >> 8U, 0x010601U);
    configure(0x24, 0xFFFFFFFF);
    EXPECT_EQ(config(0x24), 0xFFFFF000U);
}

TEST_F(QemuTest, ReadsAndWritesRegisters) {
    switch_on();
    (void)ask(fmt::format("writel {:#x} 0x12345678", kQemuBar + 0x40));
    EXPECT_EQ(number(fmt::format("readl {:#x}", kQemuBar + 0x40)), 0x12345678U);
    EXPECT_EQ(number(fmt::format("readb {:#x}", kQemuBar + 0x41)), 0x56U);
    (void)ask(fmt::format("writeq {:#x} 0x1122334455667788", kQemuBar + 0x80));
    EXPECT_EQ(number(fmt::format("readw {:#x}", kQemuBar + 0x82)), 0x5566U);
}

TEST_F(QemuTest, TheDeviceMovesTheGuestsMemory) {
    switch_on();
    (void)ask("memset 0x200000 0x1000 0xa5");
    (void)ask("write 0x200010 0x4 0xdeadbeef");
    (void)ask(fmt::format("writeq {:#x} 0x200000", kQemuBar + TestDevice::kFrom));
    (void)ask(fmt::format("writeq {:#x} 0x3000000", kQemuBar + TestDevice::kTo));
    (void)ask(fmt::format("writel {:#x} 0x1000", kQemuBar + TestDevice::kCopy));
    EXPECT_EQ(ask("read 0x3000010 0x4"), "0xdeadbeef");
    EXPECT_EQ(ask("read 0x3000ffc 0x4"), "0xa5a5a5a5");
    EXPECT_EQ(ask("read 0x3001000 0x4"), "0x00000000");
    EXPECT_TRUE(device_.copied);
}

}  // namespace
}  // namespace solidtlm::testbench::pci_proxy
