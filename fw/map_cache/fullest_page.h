// SPDX-License-Identifier: Apache-2.0
//
// Finds the translation page with the highest count in constant time: pages are in lists by their count.
#pragma once

#include <vector>

#include "fw/hal/check.h"
#include "fw/map_cache/cache_policy.h"

namespace solidtlm::fw {

class FullestPage {
  public:
    /// `most`: the highest possible count.
    FullestPage(std::uint32_t pages, std::uint32_t most) : pages_(pages), first_(most + 1, kNone) {}

    [[nodiscard]] std::uint32_t count(Tpn page) const { return pages_[page.value].count; }
    /// REQUIRES: some count is not 0.
    [[nodiscard]] Tpn fullest() const {
        SOLIDTLM_CHECK(highest_ > 0, "some count is not 0");
        return Tpn{first_[highest_]};
    }
    void increase(Tpn page) { change(page, pages_[page.value].count + 1); }
    void decrease(Tpn page) { change(page, pages_[page.value].count - 1); }
    void serialize(hal::StateArchive& archive) { archive(pages_, first_, highest_); }

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
    struct Page {
        std::uint32_t count = 0;
        std::uint32_t previous = kNone;
        std::uint32_t next = kNone;

        void serialize(hal::StateArchive& archive) { archive(count, previous, next); }
    };

    void change(Tpn page, std::uint32_t count) {
        Page& entry = pages_[page.value];
        if (entry.count > 0) {
            (entry.previous == kNone ? first_[entry.count] : pages_[entry.previous].next) = entry.next;
            if (entry.next != kNone) {
                pages_[entry.next].previous = entry.previous;
            }
        }
        entry.count = count;
        if (count > 0) {
            entry.previous = kNone;
            entry.next = first_[count];
            if (entry.next != kNone) {
                pages_[entry.next].previous = page.value;
            }
            first_[count] = page.value;
        }
        highest_ = count > highest_ ? count : highest_;
        while (highest_ > 0 && first_[highest_] == kNone) {
            --highest_;
        }
    }

    std::vector<Page> pages_;           // by translation page
    std::vector<std::uint32_t> first_;  // by count
    std::uint32_t highest_ = 0;
};

}  // namespace solidtlm::fw
