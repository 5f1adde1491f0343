// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/selection.h"

#include <algorithm>

#include "testbench/sim/load/trace/fields.h"

namespace solidtlm::testbench {

bool TraceSelection::any() const {
    return !device.empty() || !action.empty() || from != Ps{0} || until || offset != 0 || scale != 1.0;
}

bool TraceSelection::moved(Lba& lba, std::uint64_t sectors) const {
    const std::int64_t shifted = static_cast<std::int64_t>(lba.value) + offset;
    if (shifted < 0) {
        return false;
    }
    auto address = static_cast<std::uint64_t>(shifted);
    if (scale != 1.0) {
        constexpr std::uint64_t kMostPages = kAddressLimit / kSectorsPerPage;
        const std::uint64_t whole_pages = address / kSectorsPerPage;
        const double page = static_cast<double>(whole_pages) * scale;
        if (page >= static_cast<double>(kMostPages)) {
            return false;
        }
        address = static_cast<std::uint64_t>(page) * kSectorsPerPage + address % kSectorsPerPage;
    }
    if (address >= kAddressLimit || sectors > kAddressLimit - address) {
        return false;
    }
    lba = Lba{address};
    return true;
}

bool TraceSelection::moved(Request& request) const {
    return (request.operation == Operation::trim || request.operation == Operation::flush ||
            moved(request.lba, request.sectors)) &&
           std::ranges::all_of(request.ranges,
                               [this](TrimRange& range) { return moved(range.lba, range.sectors); });
}

void TraceSelection::refuse(const Request& request, const std::string& where) const {
    // The range that cannot be moved still has its old address.
    std::uint64_t lba = request.lba.value;
    for (const TrimRange& range : request.ranges) {
        Lba tried = range.lba;
        lba = moved(tried, range.sectors) ? lba : range.lba.value;
    }
    throw InputError(where + ": found address " + std::to_string(lba) +
                     ", expected one that --offset and --scale leave between 0 and 2^48 sectors");
}

}  // namespace solidtlm::testbench
