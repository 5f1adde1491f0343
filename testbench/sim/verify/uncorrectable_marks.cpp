// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/verify/uncorrectable_marks.h"

#include <algorithm>

namespace solidtlm::testbench {

bool UncorrectableMarks::Stops::allows(std::uint64_t lba) const {
    return std::ranges::binary_search(at, lba);
}

void UncorrectableMarks::mark(hal::Lba lba, std::uint64_t sectors) {
    for (std::uint64_t sector = lba.value; sector < lba.value + sectors; ++sector) {
        marks_[sector] = true;
    }
}

void UncorrectableMarks::changing(hal::Lba lba, std::uint64_t sectors) {
    const auto end = marks_.lower_bound(lba.value + sectors);
    for (auto mark = marks_.lower_bound(lba.value); mark != end; ++mark) {
        mark->second = false;
    }
}

void UncorrectableMarks::cleared(hal::Lba lba, std::uint64_t sectors) {
    marks_.erase(marks_.lower_bound(lba.value), marks_.lower_bound(lba.value + sectors));
}

UncorrectableMarks::Stops UncorrectableMarks::stops(hal::Lba lba, std::uint64_t sectors) const {
    Stops stops;
    const auto end = marks_.lower_bound(lba.value + sectors);
    for (auto mark = marks_.lower_bound(lba.value); mark != end && !stops.certain; ++mark) {
        stops.at.push_back(mark->first);
        stops.certain = mark->second;
    }
    return stops;
}

}  // namespace solidtlm::testbench
