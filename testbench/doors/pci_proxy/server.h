// SPDX-License-Identifier: Apache-2.0
//
// A PCI device of a QEMU guest that runs in this process: QEMU's `x-pci-proxy-dev` is at the other end of a
// socket. The guest waits for each of its accesses, so a device may take its time.
//
// Interrupts reach the guest through KVM only. With TCG, QEMU does not look at them; use drivers that poll
// (SeaBIOS, U-Boot, GRUB, Linux with `irqpoll`).
#pragma once

#include <chrono>
#include <cstdint>

#include "testbench/doors/pci_proxy/config_space.h"
#include "testbench/doors/pci_proxy/connection.h"
#include "testbench/doors/pci_proxy/guest_memory.h"

namespace solidtlm::testbench::pci_proxy {

/// The device behind the BARs.
class Device {
  public:
    virtual ~Device() = default;
    /// `bytes` is 1, 2, 4 or 8.
    virtual std::uint64_t read(unsigned bar, std::uint64_t offset, unsigned bytes) = 0;
    virtual void write(unsigned bar, std::uint64_t offset, std::uint64_t value, unsigned bytes) = 0;
    /// Resets the device, as the machine's reset line does.
    virtual void reset() = 0;
};

class Server {
  public:
    /// `device` must outlive the server.
    Server(Descriptor socket, const PciIdentity& identity, Device& device)
        : connection_(std::move(socket)), identity_(identity), config_(identity), device_(device) {}

    /// Waits at most `at_most` for a message and carries it out. False: QEMU has closed the connection.
    /// Throws ProxyError.
    bool serve(std::chrono::milliseconds at_most);
    /// Sets the level of the device's interrupt line.
    void set_line(bool level);

    [[nodiscard]] GuestMemory& memory() { return memory_; }

  private:
    void handle(Message& message);
    [[nodiscard]] std::uint64_t access(const Message& message);
    void interrupt_ended();
    void signal();

    Connection connection_;
    const PciIdentity identity_;
    ConfigSpace config_;
    GuestMemory memory_;
    Device& device_;
    Descriptor interrupt_;  ///< eventfd that raises the guest's line until the guest signals end of interrupt
    Descriptor interrupt_ended_;  ///< eventfd that reports the end of interrupt
    bool line_ = false;
};

}  // namespace solidtlm::testbench::pci_proxy
