// SPDX-License-Identifier: Apache-2.0
//
// TPN-aware forward prefetching (Lee et al. 2013): brings in entries from the missed one on, but none of the
// next translation page and none that is cached already. Stir prevention: the run with the requested entry
// becomes the most recently used one, even if other runs came in with it.
#include "fw/map_cache/budget.h"
#include "fw/map_cache/run_policy.h"

namespace solidtlm::fw {
namespace {

std::uint64_t smallest_tafp(const MapCacheConfig& config, const MapAreaSize& /*map*/) {
    return kRunHeaderBytes + kLengthBytes + config.tafp_bytes;
}

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

extern const MapCachePolicy kTafpMapCachePolicy{
    {"tafp", "a fixed number of entries from the missed one on"}, make_cache<Tafp>, smallest_tafp};

}  // namespace solidtlm::fw
