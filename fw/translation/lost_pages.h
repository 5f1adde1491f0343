// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <unordered_set>

#include "fw/drive/layout.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

/// Logical pages that have a place on flash, but whose data is lost: the firmware could not read it when it
/// had to copy the page, or to complete a page that the host had written in part. Reads fail until the page
/// is written or trimmed, or power is lost, which destroys acknowledged data without a flush anyway.
class LostPages {
  public:
    [[nodiscard]] bool contains(Lpn lpn) const { return !pages_.empty() && pages_.contains(lpn); }
    void insert(Lpn lpn) { pages_.insert(lpn); }
    void erase(Lpn lpn) {
        if (!pages_.empty()) {
            pages_.erase(lpn);
        }
    }
    [[nodiscard]] std::size_t size() const { return pages_.size(); }

    void serialize(hal::StateArchive& archive) {
        std::set<Lpn> sorted(pages_.begin(), pages_.end());
        archive(sorted);
        pages_ = {sorted.begin(), sorted.end()};
    }

  private:
    std::unordered_set<Lpn> pages_;
};

}  // namespace solidtlm::fw
