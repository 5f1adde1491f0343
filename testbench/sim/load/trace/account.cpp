// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/account.h"

namespace solidtlm::testbench {

void TraceAccount::add(const Request& request, bool zeroes) {
    write_zeroes += zeroes ? 1 : 0;
    const auto touch = [this](std::uint64_t lba, std::uint64_t sectors) {
        lowest_sector = std::min(lowest_sector, lba);
        extent_sectors = std::max(extent_sectors, lba + sectors);
    };
    switch (request.operation) {
        case Operation::read:
            ++reads;
            touch(request.lba.value, request.sectors);
            break;
        case Operation::write:
            ++writes;
            touch(request.lba.value, request.sectors);
            break;
        case Operation::trim:
            ++trims;
            for (const TrimRange& range : request.ranges) {
                touch(range.lba.value, range.sectors);
            }
            break;
        case Operation::flush:
            ++flushes;
            break;
    }
}

}  // namespace solidtlm::testbench
