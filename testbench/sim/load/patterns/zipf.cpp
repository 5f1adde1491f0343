// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "testbench/sim/load/pattern.h"
#include "testbench/sim/load/zipf.h"

namespace solidtlm::testbench {
namespace {

/// A fixed permutation spreads popular addresses over the range: the rank times a number that is coprime to
/// the number of places.
class ZipfPicker final : public AddressPicker {
  public:
    explicit ZipfPicker(const WorkloadConfig& config)
        : align_(config.align_sectors),
          range_(config.end_sector - config.first_sector),
          places_(range_ / align_),
          step_(spreading_step(places_)),
          zipf_(places_, config.theta) {}

    std::uint64_t pick(std::uint64_t sectors, Random& random) override {
        while (true) {
            const std::uint64_t rank = zipf_(random) - 1;
            const std::uint64_t start = static_cast<std::uint64_t>(Wide{rank} * step_ % places_) * align_;
            if (start + sectors <= range_) {
                return start;
            }
        }
    }

  private:
    __extension__ using Wide = unsigned __int128;

    /// A number coprime to `places` near its golden section, so that successive ranks are far apart.
    static std::uint64_t spreading_step(std::uint64_t places) {
        constexpr double kGoldenSection = 0.6180339887498949;
        auto step = static_cast<std::uint64_t>(static_cast<double>(places) * kGoldenSection) | 1;
        while (std::gcd(step, places) != 1) {
            step += 2;
        }
        return step;
    }

    std::uint64_t align_;
    std::uint64_t range_;
    std::uint64_t places_;
    std::uint64_t step_;
    Zipf zipf_;
};

}  // namespace

extern const Pattern kZipfPattern{
    {"zipf", "the k-th most popular address with probability proportional to k^-theta"},
    {.picker = make_picker<ZipfPicker>}};

}  // namespace solidtlm::testbench
