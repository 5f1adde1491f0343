// SPDX-License-Identifier: Apache-2.0
//
// The parts of every fuzz target (docs/fuzzing.md): a function that libFuzzer calls with one input after
// another, and that run_seeds.cpp calls with the inputs committed in corpus/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Handles any input. A crash, a failed SOLIDTLM_CHECK, a hang or unbounded memory is a finding. Returns 0.
/// libFuzzer defines the name.
extern "C" int LLVMFuzzerTestOneInput(  // NOLINT(readability-identifier-naming)
    const std::uint8_t* data, std::size_t size);

namespace solidtlm::fuzz {

/// Reads an input from its front. After the end it returns zeros.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : left_(reinterpret_cast<const char*>(data), size) {}

    [[nodiscard]] bool empty() const { return left_.empty(); }
    [[nodiscard]] std::uint8_t byte() {
        const char first = left_.empty() ? '\0' : left_.front();
        left_.remove_prefix(left_.empty() ? 0 : 1);
        return static_cast<std::uint8_t>(first);
    }
    /// Little endian.
    template <class Number>
    [[nodiscard]] Number number() {
        Number result = 0;
        for (std::size_t i = 0; i < sizeof(Number); ++i) {
            result = static_cast<Number>(result | static_cast<Number>(Number{byte()} << (8 * i)));
        }
        return result;
    }
    /// The bytes up to the next end of a line, which is removed, too.
    [[nodiscard]] std::string_view line() {
        const std::string_view line = left_.substr(0, left_.find('\n'));
        left_.remove_prefix(line.size() < left_.size() ? line.size() + 1 : line.size());
        return line;
    }
    /// All remaining bytes.
    [[nodiscard]] std::string_view rest() const { return left_; }

  private:
    std::string_view left_;
};

}  // namespace solidtlm::fuzz
