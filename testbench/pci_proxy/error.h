// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace solidtlm::testbench::pci_proxy {

/// QEMU says what nobody understands, or the operating system refuses.
class ProxyError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace solidtlm::testbench::pci_proxy
