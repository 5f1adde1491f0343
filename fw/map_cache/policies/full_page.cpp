// SPDX-License-Identifier: Apache-2.0
//
// Whole translation pages (Lee et al. 2013, full-page caching). An eviction needs no read: the page is
// complete.
#include "fw/map_cache/budget.h"
#include "fw/map_cache/run_policy.h"

namespace solidtlm::fw {
namespace {

std::uint64_t smallest_full_page(const MapCacheConfig& /*config*/, const MapAreaSize& map) {
    return kRunHeaderBytes + map.entries * kMapEntryBytes;
}

class FullPage : public RunPolicy {
  public:
    FullPage(const MapCacheConfig& config, const MapAreaSize& map)
        : RunPolicy(map, config.size_bytes, smallest_full_page(config, map)), window_(map.entries) {}
    [[nodiscard]] MapFetch plan(Lpn lpn, std::uint32_t /*ahead*/) override {
        return MapFetch{lpn, window_, 0, true};
    }

  private:
    std::uint32_t window_;
};

}  // namespace

extern const MapCachePolicy kFullPageMapCachePolicy{
    {"full_page", "a whole translation page"}, make_cache<FullPage>, smallest_full_page};

}  // namespace solidtlm::fw
