// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <vector>

#include "testbench/doors/pci_proxy/server.h"

namespace solidtlm::testbench::pci_proxy {

/// A Unix socket.
struct SocketPair {
    SocketPair() {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        ours.reset(ends[0]);
        theirs.reset(ends[1]);
    }
    Descriptor ours;
    Descriptor theirs;
};

/// A page of registers at BAR 5 that store what is written. A write to kCopy copies that many bytes of the
/// guest's memory from [kFrom] to [kTo] and raises the interrupt; a write to kQuiet lowers it.
class TestDevice : public Device {
  public:
    static constexpr std::uint64_t kFrom = 0x08;
    static constexpr std::uint64_t kTo = 0x10;
    static constexpr std::uint64_t kCopy = 0x18;
    static constexpr std::uint64_t kQuiet = 0x20;
    static constexpr PciIdentity kIdentity{
        .vendor = 0x1234, .device = 0x5678, .class_code = 0x010601, .bar_bytes = {0, 0, 0, 0, 0, 4096}};

    void attach(Server& server) { server_ = &server; }

    std::uint64_t read(unsigned bar, std::uint64_t offset, unsigned bytes) override {
        std::uint64_t value = 0;
        for (unsigned i = bytes; bar == 5 && i-- > 0;) {
            value = value << 8U | registers_[offset + i];
        }
        return value;
    }

    void write(unsigned /*bar*/, std::uint64_t offset, std::uint64_t value, unsigned bytes) override {
        for (unsigned i = 0; i < bytes; ++i) {
            registers_[offset + i] = static_cast<std::uint8_t>(value >> (8U * i));
        }
        if (offset == kCopy) {
            std::vector<std::byte> data(value);
            copied = server_->memory().read(read(5, kFrom, 8), data) &&
                     server_->memory().write(read(5, kTo, 8), data);
            server_->set_line(true);
        } else if (offset == kQuiet) {
            server_->set_line(false);
        }
    }

    void reset() override {
        registers_.fill(0);
        ++resets;
    }

    bool copied = false;
    unsigned resets = 0;

  private:
    std::array<std::uint8_t, 4096> registers_{};
    Server* server_ = nullptr;
};

}  // namespace solidtlm::testbench::pci_proxy
