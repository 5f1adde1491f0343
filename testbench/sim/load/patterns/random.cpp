// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/pattern.h"

namespace solidtlm::testbench {
namespace {

class RandomPicker final : public AddressPicker {
  public:
    explicit RandomPicker(const WorkloadConfig& config)
        : align_(config.align_sectors), range_(config.end_sector - config.first_sector) {}

    std::uint64_t pick(std::uint64_t sectors, Random& random) override {
        return random.below((range_ - sectors) / align_ + 1) * align_;
    }

  private:
    std::uint64_t align_;
    std::uint64_t range_;
};

}  // namespace

extern const Pattern kRandomPattern{
    {"random", "every aligned address that leaves room for the request, equally likely"},
    {.picker = make_picker<RandomPicker>}};

}  // namespace solidtlm::testbench
