// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/content_properties.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "testbench/studies/pages.h"

namespace solidtlm::testbench {

void ContentProperties::add(const Request& request) {
    if (request.operation == Operation::write) {
        add_write(request);
    }
    for (const hal::TrimRange& range : request.ranges) {
        const std::uint64_t end = (range.lba.value + range.sectors) / kPageSectors;
        for (std::uint64_t number = (range.lba.value + kPageSectors - 1) / kPageSectors; number < end;
             ++number) {
            if (const auto page = pages_.find(number); page != pages_.end()) {
                release(page->second);
                pages_.erase(page);
            }
        }
    }
}

void ContentProperties::add_all(RequestSource& source) {
    Request request;
    while (source.next(request)) {
        add(request);
    }
}

void ContentProperties::add_write(const Request& request) {
    const std::uint64_t first = request.lba.value;
    const std::uint64_t end = first + request.sectors;
    for (std::uint64_t number = first / kPageSectors; number * kPageSectors < end; ++number) {
        const auto [page, is_new] = pages_.try_emplace(number);
        const std::uint64_t begin = number * kPageSectors;
        if (begin < first || begin + kPageSectors > end) {
            release(page->second);
            continue;
        }
        ++blocks_;
        overwrites_ += is_new ? 0 : 1;
        // A page with parts of two blocks has contents but no identity.
        const ContentLayout::Place place = request.content_layout.place(begin - first);
        if (place.left == kPageSectors && place.identity < request.content.size()) {
            add_block(page->second, request.content[place.identity]);
        } else {
            release(page->second);
            in_run_ = false;
        }
    }
}

void ContentProperties::add_block(Page& page, std::uint64_t identity) {
    ++told_;
    zeros_ += identity == 0 ? 1 : 0;
    Content& content = contents_[identity];
    const bool same = page.told && page.identity == identity;
    duplicates_ += content.held > (same ? 1U : 0U) ? 1 : 0;
    rewritten_ += same ? 1 : 0;
    const bool repeated = content.times > 0;
    if (repeated) {
        distances_.push_back(told_ - content.last);
        runs_ += in_run_ ? 0 : 1;
    }
    in_run_ = repeated;
    ++content.times;
    content.last = told_;
    ++content.held;
    release(page);
    page = {identity, true};
}

void ContentProperties::release(Page& page) {
    if (page.told) {
        --contents_[page.identity].held;
    }
    page.told = false;
}

double ContentProperties::mean_run() const {
    return ratio(repeated(), runs_);
}

double ContentProperties::mean_distance() const {
    return ratio(std::accumulate(distances_.begin(), distances_.end(), std::uint64_t{0}), distances_.size());
}

std::uint64_t ContentProperties::median_distance() const {
    if (distances_.empty()) {
        return 0;
    }
    std::vector<std::uint64_t> distances = distances_;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
}

double ContentProperties::share_of_top_hundredth() const {
    std::vector<std::uint64_t> times;
    times.reserve(contents_.size());
    for (const auto& [identity, content] : contents_) {
        times.push_back(content.times);
    }
    const auto top = times.begin() + static_cast<std::ptrdiff_t>((times.size() + 99) / 100);
    std::partial_sort(times.begin(), top, times.end(), std::greater<>());
    return ratio(std::accumulate(times.begin(), top, std::uint64_t{0}), told_);
}

}  // namespace solidtlm::testbench
