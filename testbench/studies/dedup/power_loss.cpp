// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/dedup/power_loss.h"

#include "testbench/studies/dedup/compaction.h"

namespace solidtlm::testbench::dedup {
namespace {

constexpr Ps kDuplicatesAt = std::chrono::milliseconds(100);
constexpr Ps kIdleFor = std::chrono::milliseconds(400);
constexpr Ps kReadAt = std::chrono::milliseconds(1000);

/// Writes the pages from `first` on, each with a content of its own, the same for every `first`.
void add_writes(std::vector<Request>& requests, std::uint64_t first, Ps arrival) {
    for (std::uint64_t i = 0; i < kPowerLossPages; ++i) {
        Request request;
        request.operation = Operation::write;
        request.arrival = arrival;
        request.lba = Lba{(first + i) * kPageSectors};
        request.sectors = kPageSectors;
        request.content.push_back(i + 1);
        requests.push_back(request);
    }
}

void add_flush(std::vector<Request>& requests, Ps arrival) {
    Request request;
    request.operation = Operation::flush;
    request.arrival = arrival;
    requests.push_back(request);
}

}  // namespace

std::vector<Request> power_loss_requests() {
    std::vector<Request> requests;
    for (const auto& [first, arrival] :
         {std::pair<std::uint64_t, Ps>{0, Ps{0}}, {kPowerLossPages, kDuplicatesAt}}) {
        add_writes(requests, first, arrival);
        add_flush(requests, arrival);
    }
    Request elsewhere;
    elsewhere.arrival = kReadAt;
    elsewhere.lba = Lba{2ULL * kPowerLossPages * kPageSectors};
    elsewhere.sectors = kPageSectors;
    requests.push_back(elsewhere);
    return requests;
}

Ps power_loss_at(Moment moment) {
    return kDuplicatesAt + (moment == Moment::at_once ? kAtOnce : kIdleFor);
}

}  // namespace solidtlm::testbench::dedup
