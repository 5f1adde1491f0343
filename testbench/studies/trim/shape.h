// SPDX-License-Identifier: Apache-2.0
//
// The shapes of TRIM commands that the study varies, and the commands of one shape: they trim a region that
// was written before, each place once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/host/request.h"
#include "testbench/workload/random.h"

namespace solidtlm::testbench::trim {

struct Shape {
    std::uint64_t bytes = 16384;  ///< of a range, a multiple of 512
    std::uint32_t ranges = 1;     ///< of a command, 1-64
    bool contiguous = false;  ///< each range begins where the one before it ends; else anywhere in the region
    bool aligned = true;      ///< ranges begin at multiples of their size
    /// Ranges that are not aligned begin at odd multiples of it, drawn at random: with a sector never at the
    /// beginning of a mapping unit.
    std::uint64_t grain_bytes = 512;

    [[nodiscard]] std::string name() const;
    bool operator==(const Shape&) const = default;
};

/// Trimmed at each point: more of large ranges says nothing new.
constexpr std::uint64_t kMostBytes = 256ULL << 20U;

struct ShapePlan {
    Shape shape;
    std::uint64_t region_bytes = 0;  ///< addresses from 0
    std::uint64_t commands = 0;
};

/// Commands that trim `most` ranges and kMostBytes at most, but one at least; none if not even one fits, or
/// if ranges of one grain should not be aligned. Scattered ranges keep a distance: each has twice its size
/// for itself.
[[nodiscard]] std::optional<ShapePlan> plan_shape(const Shape& shape, std::uint64_t region_bytes,
                                                  std::uint64_t most);

/// The commands of a plan. Shapes that differ in `ranges` alone trim the same ranges in the same order.
class ShapeSource : public RequestSource {
  public:
    ShapeSource(const ShapePlan& plan, std::uint64_t seed);
    bool next(Request& request) override;

  private:
    /// First sector of the range number `index`.
    std::uint64_t place(std::uint64_t index);

    ShapePlan plan_;
    Random random_;
    std::uint64_t sectors_;             // of a range
    std::uint64_t shift_ = 0;           // of all contiguous ranges
    std::vector<std::uint32_t> slots_;  // scattered: places in the order of use
    std::uint64_t done_ = 0;            // ranges
};

}  // namespace solidtlm::testbench::trim
