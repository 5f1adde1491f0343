// SPDX-License-Identifier: Apache-2.0
//
// The tracks of the dies in a recording: one per die or, if planes read independently, one per plane. An
// operation that needs the whole die then occupies the tracks of all its planes.
#pragma once

#include <cstddef>
#include <string>

#include "fw/hal/flash.h"
#include "hw/nand/plane_reads.h"

namespace solidtlm::testbench {

class DieTracks {
  public:
    explicit DieTracks(const hw::NandConfig& nand)
        : dies_per_channel_(nand.geometry.dies),
          per_die_(hw::array_count(nand)),
          count_(std::size_t{nand.geometry.die_places()} * per_die_) {}

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::uint32_t per_die() const { return per_die_; }
    /// "channel 0 die 1" or "channel 0 die 1 plane 0".
    [[nodiscard]] std::string name(std::size_t track) const {
        const std::size_t die = track / per_die_;
        const std::string name = "channel " + std::to_string(die / dies_per_channel_) + " die " +
                                 std::to_string(die % dies_per_channel_);
        return per_die_ == 1 ? name : name + " plane " + std::to_string(track % per_die_);
    }
    /// Calls `each` with the track of each of `planes` of the die.
    template <class Each>
    void of(hal::Channel channel, hal::Die die, hal::PlaneSet planes, const Each& each) const {
        const std::size_t first =
            (std::size_t{channel.value} * dies_per_channel_ + die.value) * std::size_t{per_die_};
        for (std::size_t plane = 0; plane < per_die_; ++plane) {
            if (per_die_ == 1 || (planes >> plane & 1U) != 0) {
                each(first + plane);
            }
        }
    }
    /// As above, with the planes of the operation.
    template <class Each>
    void of(const hal::FlashOp& op, const Each& each) const {
        unsigned planes = 0;
        for (std::size_t i = 0; i < op.planes; ++i) {
            planes |= 1U << op.address[i].plane.value;
        }
        of(op.address[0].channel, op.address[0].die, static_cast<hal::PlaneSet>(planes), each);
    }

  private:
    std::uint32_t dies_per_channel_;
    std::uint32_t per_die_;
    std::size_t count_;
};

}  // namespace solidtlm::testbench
