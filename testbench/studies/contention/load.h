// SPDX-License-Identifier: Apache-2.0
//
// What a contention study sends: two passes over all data, which verify everything and leave nothing in the
// map cache that ageing changed (after the first one entries stand in the order of their addresses, so that
// the second one drives each out before it comes to it), then the workload, the first part of which is not
// measured either.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "platform/configuration.h"
#include "testbench/host/request.h"
#include "testbench/precondition/preconditioning.h"

namespace solidtlm::testbench::contention {

struct Load {
    std::string workload;  ///< as --workload reads it; how many requests it has does not matter
    Preconditioning precondition;
    std::uint64_t warm_up = 0;   ///< requests of the workload that are not measured
    std::uint64_t measured = 0;  ///< requests that are
};

class LoadSource : public RequestSource {
  public:
    /// Throws InputError for a workload that does not fit the device.
    LoadSource(const Load& load, const platform::Configuration& configuration);

    bool next(Request& request) override;
    /// Commands that come before the first measured one.
    [[nodiscard]] std::uint64_t commands_before() const;

  private:
    std::uint64_t filled_sectors_;
    std::uint64_t warm_up_;
    std::unique_ptr<RequestSource> workload_;
    std::uint64_t passed_ = 0;  // sectors of this pass
    std::uint32_t passes_ = 0;  // done
};

}  // namespace solidtlm::testbench::contention
