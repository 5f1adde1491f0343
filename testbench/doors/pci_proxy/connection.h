// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "testbench/doors/pci_proxy/messages.h"
#include "testbench/sim/process/descriptor.h"

namespace solidtlm::testbench::pci_proxy {

/// Sends and receives messages over the socket.
class Connection {
  public:
    explicit Connection(Descriptor socket) : socket_(std::move(socket)) {}

    /// Waits for the next message and checks its kind, contents and descriptors. Nothing: the other side has
    /// closed the socket. Throws ProxyError.
    [[nodiscard]] std::optional<Message> receive();
    /// Sends an answer. Throws ProxyError.
    void answer(std::uint64_t value);

    [[nodiscard]] int descriptor() const { return socket_.get(); }

  private:
    bool read_header(Header& header, std::vector<Descriptor>& descriptors);
    void read_rest(std::byte* to, std::size_t bytes);

    Descriptor socket_;
};

}  // namespace solidtlm::testbench::pci_proxy
