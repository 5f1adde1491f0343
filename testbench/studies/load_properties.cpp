// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/load_properties.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "testbench/studies/pages.h"

namespace solidtlm::testbench {

void LoadProperties::add(const Request& request) {
    if (request.operation != Operation::read && request.operation != Operation::write) {
        return;
    }
    ++(request.operation == Operation::read ? reads_ : writes_);
    sectors_ += request.sectors;
    const std::uint64_t end = request.lba.value + request.sectors;
    lowest_ = std::min(lowest_, request.lba.value);
    end_ = std::max(end_, end);
    for (std::uint64_t page = request.lba.value / kPageSectors; page * kPageSectors < end; ++page) {
        const hal::Lpn lpn{static_cast<std::uint32_t>(page)};
        sle_.access(lpn);
        ++pages_[lpn.value / kEntriesPerTranslationPage][lpn.value % kEntriesPerTranslationPage];
    }
}

void LoadProperties::add_all(RequestSource& source) {
    Request request;
    while (source.next(request)) {
        add(request);
    }
}

double LoadProperties::mean_bytes() const {
    return ratio(bytes(), requests());
}

double LoadProperties::read_share() const {
    return ratio(reads_, requests());
}

std::uint64_t LoadProperties::range_bytes() const {
    return end_ > lowest_ ? (end_ - lowest_) * hal::kSectorBytes : 0;
}

std::uint64_t LoadProperties::distinct_pages() const {
    std::uint64_t distinct = 0;
    for (const auto& [number, counts] : pages_) {
        distinct += kEntriesPerTranslationPage -
                    static_cast<std::uint64_t>(std::count(counts.begin(), counts.end(), 0U));
    }
    return distinct;
}

double LoadProperties::share_of_top_fifth() const {
    std::vector<std::uint32_t> used;
    for (const auto& [number, counts] : pages_) {
        std::copy_if(counts.begin(), counts.end(), std::back_inserter(used),
                     [](std::uint32_t count) { return count > 0; });
    }
    const auto fifth = used.begin() + static_cast<std::ptrdiff_t>(used.size() / 5);
    std::nth_element(used.begin(), fifth, used.end(), std::greater<>());
    return ratio(std::accumulate(used.begin(), fifth, std::uint64_t{0}), page_requests());
}

}  // namespace solidtlm::testbench
