// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "testbench/sim/load/pattern.h"

namespace solidtlm::testbench {
namespace {

class HotColdPicker final : public AddressPicker {
  public:
    explicit HotColdPicker(const WorkloadConfig& config)
        : align_(config.align_sectors),
          range_(config.end_sector - config.first_sector),
          hot_access_(config.hot_access) {
        const std::uint64_t places = range_ / align_;
        const auto share =
            static_cast<std::uint64_t>(std::llround(static_cast<double>(places) * config.hot_space));
        hot_ = std::clamp<std::uint64_t>(share, 1, places - 1);
    }

    std::uint64_t pick(std::uint64_t sectors, Random& random) override {
        const std::uint64_t places = (range_ - sectors) / align_ + 1;
        // A request that is too long for the cold part can only start in the hot one.
        const bool hot = random.chance(hot_access_) || places <= hot_;
        const std::uint64_t place =
            hot ? random.below(std::min(hot_, places)) : hot_ + random.below(places - hot_);
        return place * align_;
    }

  private:
    std::uint64_t align_;
    std::uint64_t range_;
    double hot_access_;
    std::uint64_t hot_ = 0;  ///< number of places in the hot part
};

std::string lacks_parts(const WorkloadConfig& config) {
    return (config.end_sector - config.first_sector) / config.align_sectors < 2 ? "a hot and a cold part"
                                                                                : "";
}

}  // namespace

extern const Pattern kHotcoldPattern{
    {"hotcold", "with probability hot_access in the first hot_space of the range, else in the rest"},
    {.picker = make_picker<HotColdPicker>, .lacks = lacks_parts}};

}  // namespace solidtlm::testbench
