// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace solidtlm::fw {

/// A set of numbers below `size`; finds the next member without visiting the others.
class CandidateSet {
  public:
    /// Contains all numbers at first.
    explicit CandidateSet(std::uint32_t size) : size_(size), words_((size + 63) / 64) {
        for (std::uint32_t i = 0; i < size; ++i) {
            set(i);
        }
    }
    void set(std::uint32_t number) { words_[number / 64] |= std::uint64_t{1} << (number % 64); }
    void clear(std::uint32_t number) { words_[number / 64] &= ~(std::uint64_t{1} << (number % 64)); }
    /// The first member from `from` on, or size.
    [[nodiscard]] std::uint32_t next(std::uint32_t from) const {
        if (from >= size_) {
            return size_;
        }
        std::size_t word = from / 64;
        std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (from % 64));
        while (bits == 0) {
            if (++word == words_.size()) {
                return size_;
            }
            bits = words_[word];
        }
        return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(bits));
    }

  private:
    std::uint32_t size_;
    std::vector<std::uint64_t> words_;
};

}  // namespace solidtlm::fw
