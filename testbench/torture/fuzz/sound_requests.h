// SPDX-License-Identifier: Apache-2.0
//
// Checks that hold for the requests of any source.
#pragma once

#include "fw/hal/check.h"
#include "testbench/sim/host/request.h"

namespace solidtlm::fuzz {

/// Checks the requests of one source, in order.
class SoundRequests {
  public:
    explicit SoundRequests(std::uint64_t device_sectors) : device_sectors_(device_sectors) {}

    void expect(const testbench::Request& request) {
        using testbench::Operation;
        if (request.operation == Operation::read || request.operation == Operation::write) {
            SOLIDTLM_CHECK(lies_within(request.lba, request.sectors), "a request is within the device");
        }
        for (const testbench::TrimRange& range : request.ranges) {
            SOLIDTLM_CHECK(lies_within(range.lba, range.sectors), "a trimmed range is within the device");
        }
        SOLIDTLM_CHECK(request.arrival >= last_, "requests are in time order");
        last_ = request.arrival;
    }

  private:
    [[nodiscard]] bool lies_within(hal::Lba lba, std::uint64_t sectors) const {
        return sectors > 0 && sectors <= device_sectors_ && lba.value <= device_sectors_ - sectors;
    }

    std::uint64_t device_sectors_;
    hal::Ps last_{0};
};

}  // namespace solidtlm::fuzz
