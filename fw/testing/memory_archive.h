// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "fw/hal/state_archive.h"

namespace solidtlm::fw::testing {

/// Saves to memory and loads from it.
class MemoryArchive : public hal::StateArchive {
  public:
    [[nodiscard]] bool loading() const override { return loading_; }
    void numbers(void* first, std::size_t count, std::size_t width) override {
        auto* bytes = static_cast<char*>(first);
        const std::size_t size = count * width;
        if (!loading_) {
            memory_.append(bytes, size);
        } else if (memory_.size() - at_ < size) {
            throw hal::StateError();
        } else if (size > 0) {
            std::memcpy(bytes, memory_.data() + at_, size);
            at_ += size;
        }
    }
    void load() { loading_ = true; }
    [[nodiscard]] bool at_end() const { return at_ == memory_.size(); }

  private:
    std::string memory_;
    std::size_t at_ = 0;
    bool loading_ = false;
};

}  // namespace solidtlm::fw::testing
