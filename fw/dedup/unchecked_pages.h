// SPDX-License-Identifier: Apache-2.0
//
// Pages that have not been checked yet: one bit per physical mapping unit. next() goes round all units, so no
// list is needed.
#pragma once

#include <bit>
#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/hal/check.h"
#include "fw/hal/zeroed_memory.h"

namespace solidtlm::fw {

class UncheckedPages {
  public:
    explicit UncheckedPages(std::uint64_t units)
        : words_((units + 63) / 64), bits_(words_, "pages that deduplication has not looked at") {}

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] bool contains(Ppa place) const { return (bits_[place.value / 64] & bit_of(place)) != 0; }
    void add(Ppa place) {
        count_ += contains(place) ? 0 : 1;
        bits_[place.value / 64] |= bit_of(place);
    }
    void remove(Ppa place) {
        count_ -= contains(place) ? 1 : 0;
        bits_[place.value / 64] &= ~bit_of(place);
    }
    void serialize(hal::StateArchive& archive) { archive(bits_, cursor_, count_); }
    /// The next unchecked page, going round all units. REQUIRES: count() is not 0.
    [[nodiscard]] Ppa next() {
        SOLIDTLM_CHECK(count_ > 0, "there is a page to check");
        std::uint64_t word = cursor_ / 64;
        std::uint64_t rest = bits_[word] & (~std::uint64_t{0} << (cursor_ % 64));
        while (rest == 0) {
            word = word + 1 < words_ ? word + 1 : 0;
            rest = bits_[word];
        }
        const std::uint64_t place = word * 64 + static_cast<std::uint64_t>(std::countr_zero(rest));
        cursor_ = place + 1 < words_ * 64 ? place + 1 : 0;
        return Ppa{static_cast<std::uint32_t>(place)};
    }

  private:
    static std::uint64_t bit_of(Ppa place) { return std::uint64_t{1} << (place.value % 64); }

    std::uint64_t words_;
    hal::ZeroedMemory<std::uint64_t> bits_;
    std::uint64_t cursor_ = 0;
    std::uint64_t count_ = 0;
};

}  // namespace solidtlm::fw
