// SPDX-License-Identifier: Apache-2.0
//
// Aligned halves of translation pages (Lee et al. 2013, half-page caching). The halves of a page are separate
// runs: each is merged with the other from flash.
#include "fw/map_cache/budget.h"
#include "fw/map_cache/run_policy.h"

namespace solidtlm::fw {
namespace {

std::uint64_t smallest_half_page(const MapCacheConfig& /*config*/, const MapAreaSize& map) {
    return kRunHeaderBytes + map.entries / 2 * kMapEntryBytes;
}

class HalfPage : public RunPolicy {
  public:
    HalfPage(const MapCacheConfig& config, const MapAreaSize& map)
        : RunPolicy(map, config.size_bytes, smallest_half_page(config, map)), window_(map.entries / 2) {}
    [[nodiscard]] MapFetch plan(Lpn lpn, std::uint32_t /*ahead*/) override {
        return MapFetch{lpn, window_, 0, true};
    }

  private:
    std::uint32_t window_;
};

}  // namespace

extern const MapCachePolicy kHalfPageMapCachePolicy{
    {"half_page", "half a translation page"}, make_cache<HalfPage>, smallest_half_page};

}  // namespace solidtlm::fw
