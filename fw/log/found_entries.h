// SPDX-License-Identifier: Apache-2.0
//
// The map that a scan finds. Empty parts take neither memory nor time, because a large drive may hold little
// data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fw/drive/layout.h"
#include "fw/hal/zeroed_memory.h"

namespace solidtlm::fw {

class FoundEntries {
  public:
    FoundEntries(std::uint32_t logical_pages, const char* what_for)
        : size_(logical_pages),
          entries_(logical_pages, what_for),
          stretches_((std::size_t{logical_pages} + kStretch - 1) / kStretch) {}

    [[nodiscard]] Ppa operator[](Lpn lpn) const { return Ppa{entries_[lpn.value] - 1}; }
    /// kUnmapped: the logical page no longer has data.
    void set(Lpn lpn, Ppa entry) {
        if (entry != (*this)[lpn]) {
            entries_[lpn.value] = entry.value + 1;  // kUnmapped wraps to 0
            stretches_[lpn.value / kStretch] = true;
        }
    }
    /// Calls `visit`(Lpn, Ppa) for each logical page that has data, ascending; `visit` may set that page.
    template <class Visit>
    void each(Visit visit) const {
        for (std::size_t stretch = 0; stretch < stretches_.size(); ++stretch) {
            const auto first = static_cast<std::uint32_t>(stretch * kStretch);
            const std::uint32_t end = stretches_[stretch] ? first + std::min(kStretch, size_ - first) : first;
            for (Lpn lpn{first}; lpn.value < end; ++lpn) {
                if (const Ppa entry = (*this)[lpn]; entry != kUnmapped) {
                    visit(lpn, entry);
                }
            }
        }
    }

  private:
    static constexpr std::uint32_t kStretch = 1024;  // one page of memory

    std::uint32_t size_;
    hal::ZeroedMemory<std::uint32_t> entries_;  // Ppa + 1
    std::vector<bool> stretches_;               // some entry in the stretch was set
};

}  // namespace solidtlm::fw
