// SPDX-License-Identifier: Apache-2.0
//
// TPN-aware forward prefetching (Lee et al. 2013): entries from the missed one on, never into the next
// translation page, never one that is cached already. Stir prevention: the run with the entry asked for is
// the last used, whatever came along.
#include "fw/map_cache/policies.h"
#include "fw/map_cache/run_policy.h"

namespace solidtlm::fw {
namespace {

class Tafp : public RunPolicy {
  public:
    Tafp(const MapCacheConfig& config, const MapAreaSize& map)
        : RunPolicy(map, config.size_bytes, smallest_tafp(config, map)),
          window_(config.tafp_bytes / kMapEntryBytes) {}
    [[nodiscard]] MapFetch plan(Lpn lpn, std::uint32_t /*ahead*/) override {
        return MapFetch{lpn, window_, 0, false};
    }

  private:
    std::uint32_t window_;
};

}  // namespace

std::unique_ptr<CachePolicy> make_tafp(const MapCacheConfig& config, const MapAreaSize& map,
                                       const EntrySource& /*entries*/) {
    return std::make_unique<Tafp>(config, map);
}

std::uint64_t smallest_tafp(const MapCacheConfig& config, const MapAreaSize& /*map*/) {
    return kRunHeaderBytes + kLengthBytes + config.tafp_bytes;
}

}  // namespace solidtlm::fw
