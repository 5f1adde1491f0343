// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "testbench/pci_proxy/messages.h"
#include "testbench/process/descriptor.h"

namespace solidtlm::testbench::pci_proxy {

/// The socket, as messages.
class Connection {
  public:
    explicit Connection(Descriptor socket) : socket_(std::move(socket)) {}

    /// The next message, of a known kind with contents and descriptors as the kind has them; waits for it.
    /// Nothing: the other side has closed. Throws ProxyError.
    [[nodiscard]] std::optional<Message> receive();
    /// Throws ProxyError.
    void answer(std::uint64_t value);

    [[nodiscard]] int descriptor() const { return socket_.get(); }

  private:
    bool read_header(Header& header, std::vector<Descriptor>& descriptors);
    void read_rest(std::byte* to, std::size_t bytes);

    Descriptor socket_;
};

}  // namespace solidtlm::testbench::pci_proxy
