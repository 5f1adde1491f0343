// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "testbench/sim/load/pattern.h"

namespace solidtlm::testbench {
namespace {

class SequentialPicker final : public AddressPicker {
  public:
    explicit SequentialPicker(const WorkloadConfig& config)
        : align_(config.align_sectors),
          part_((config.end_sector - config.first_sector) / config.align_sectors / config.streams *
                config.align_sectors),
          positions_(config.streams, 0) {}

    std::uint64_t pick(std::uint64_t sectors, Random& /*random*/) override {
        std::uint64_t& position = positions_[turn_];
        if (position + sectors > part_) {
            position = 0;
        }
        const std::uint64_t start = turn_ * part_ + position;
        position = (position + sectors + align_ - 1) / align_ * align_;
        turn_ = turn_ + 1 == positions_.size() ? 0 : turn_ + 1;
        return start;
    }

  private:
    std::uint64_t align_;
    std::uint64_t part_;                    ///< sectors per stream
    std::vector<std::uint64_t> positions_;  ///< next start of each stream within its part
    std::size_t turn_ = 0;
};

}  // namespace

extern const Pattern kSequentialPattern{
    {"sequential", "streams in turn, each through its own equal part of the range, starting over at its end"},
    {.picker = make_picker<SequentialPicker>,
     .parts = [](const WorkloadConfig& config) { return config.streams; }}};

}  // namespace solidtlm::testbench
