// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace solidtlm::testbench::pci_proxy {

/// QEMU sent a message that this side does not understand, or the operating system refused a call.
class ProxyError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace solidtlm::testbench::pci_proxy
