// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/contention/load.h"

#include <algorithm>
#include <cmath>

#include "testbench/workload/workload.h"

namespace solidtlm::testbench::contention {
namespace {

constexpr std::uint64_t kPassSectors = 256;  ///< of a request: 128 KiB
constexpr std::uint32_t kPasses = 2;

std::unique_ptr<RequestSource> workload_of(const Load& load, const platform::Configuration& configuration) {
    WorkloadConfig config = parse_workload(load.workload, configuration.firmware.exported_sectors);
    if (config.arrivals != Arrivals::none) {
        throw InputError(
            "--workload: found arrival times; allowed: none, the queue is kept full (see --depths)");
    }
    if (load.workload.find("seed=") == std::string::npos) {
        config.seed = configuration.seed;
    }
    config.count = load.warm_up + load.measured;
    config.total_bytes = 0;
    return make_workload(config);
}

}  // namespace

LoadSource::LoadSource(const Load& load, const platform::Configuration& configuration)
    : filled_sectors_(static_cast<std::uint64_t>(
          load.precondition.fill * static_cast<double>(configuration.firmware.exported_sectors))),
      warm_up_(load.warm_up),
      workload_(workload_of(load, configuration)) {}

std::uint64_t LoadSource::commands_before() const {
    return kPasses * ((filled_sectors_ + kPassSectors - 1) / kPassSectors) + warm_up_;
}

bool LoadSource::next(Request& request) {
    if (passed_ == filled_sectors_ && passes_ < kPasses) {
        ++passes_;
        passed_ = 0;
    }
    if (passes_ == kPasses || filled_sectors_ == 0) {
        return workload_->next(request);
    }
    request.clear();
    request.operation = Operation::read;
    request.lba = Lba{passed_};
    request.sectors = std::min(kPassSectors, filled_sectors_ - passed_);
    passed_ += request.sectors;
    return true;
}

}  // namespace solidtlm::testbench::contention
