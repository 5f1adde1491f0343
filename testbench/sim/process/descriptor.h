// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace solidtlm::testbench {

/// A file descriptor that its destructor closes.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    ~Descriptor() { reset(); }
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return number_; }
    void reset(int number = -1);
    /// Gives up ownership: the destructor no longer closes the descriptor.
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

  private:
    int number_;
};

}  // namespace solidtlm::testbench
