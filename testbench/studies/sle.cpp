// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/sle.h"

#include <numeric>

namespace solidtlm::testbench {

void SleHistogram::access(hal::Lpn lpn) {
    const std::uint32_t translation_page = lpn.value / kEntriesPerTranslationPage;
    const auto position = static_cast<std::int32_t>(lpn.value % kEntriesPerTranslationPage);
    ++total_;
    const auto found = cached_.find(translation_page);
    if (found != cached_.end()) {
        recent_.splice(recent_.begin(), recent_, found->second);
    } else {
        ++misses_;
        if (recent_.size() == cache_pages_) {
            cached_.erase(recent_.back().translation_page);
            recent_.pop_back();
        }
        recent_.push_front({translation_page, position});
        cached_[translation_page] = recent_.begin();
    }
    ++counts_[index(position - recent_.front().trigger)];
}

std::uint64_t SleHistogram::count(std::int32_t first, std::int32_t last) const {
    return std::accumulate(counts_.begin() + first + kLargestDistance,
                           counts_.begin() + last + kLargestDistance + 1, std::uint64_t{0});
}

}  // namespace solidtlm::testbench
