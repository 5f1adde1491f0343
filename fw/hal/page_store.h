// SPDX-License-Identifier: Apache-2.0
//
// The data areas of firmware's own pages. The content modes `none` and `tags` do not carry real bytes, but
// firmware needs its own bytes back after a loss of power. An entry counts for as long as the flash page
// itself can be read: firmware reads an entry only after it has read the page without error, and every
// program of the page replaces its entry.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::hal {

class PageStore {
  public:
    void put(const FlashAddress& page, std::vector<std::byte> content) { pages_[page] = std::move(content); }
    /// Empty if no data was put there.
    [[nodiscard]] std::span<const std::byte> get(const FlashAddress& page) const {
        const auto entry = pages_.find(page);
        return entry == pages_.end() ? std::span<const std::byte>{} : std::span(entry->second);
    }

    using Pages = std::map<FlashAddress, std::vector<std::byte>>;
    /// Saves or loads the store.
    [[nodiscard]] Pages& pages() { return pages_; }

  private:
    Pages pages_;
};

}  // namespace solidtlm::hal
