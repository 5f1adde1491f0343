// SPDX-License-Identifier: Apache-2.0
//
// A second step between the map and the pages. With an indirection, a map entry may be a number above all
// places, which a table of the indirection resolves, and the spare area of a page may carry such a number as
// its name in place of an LPN. Records of the journal say what no spare area does; a checkpoint holds the
// table after the map. Without one, every map entry is a place.
#pragma once

#include <cstdint>
#include <span>

#include "fw/log/log_format.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class MediaScan;

class Indirection {
  public:
    virtual ~Indirection() = default;

    /// True if the map entry, or the name in a spare area, is one of its numbers.
    [[nodiscard]] virtual bool denotes(Ppa entry) const = 0;
    [[nodiscard]] bool denotes(Lpn name) const { return denotes(Ppa{name.value}); }
    /// True if this firmware can have written the record, which is no TRIM.
    [[nodiscard]] virtual bool is_sound(const LogRecord& record) const = 0;
    /// Reads its table from entry `first` on, for a checkpoint. Adds the core's cost to `charge`.
    virtual void read_table(std::uint32_t first, std::span<Ppa> found, Charge& charge) const = 0;
};

/// What a boot finds of an indirection. MediaScan calls these functions in this order.
class FoundIndirection {
  public:
    virtual ~FoundIndirection() = default;

    /// The readable page at `place` carries `name`, which is no LPN, or none at all.
    virtual void take_name(const MediaScan& scan, Lpn name, Ppa place) = 0;
    /// In the checkpoint `entry`, which is no place, is that of `lpn`.
    virtual void take_entry(MediaScan& scan, Lpn lpn, Ppa entry, std::uint64_t checkpoint) = 0;
    virtual void take_table(std::span<const std::uint32_t> table, std::uint64_t checkpoint) = 0;
    /// The next record that is no TRIM, ascending.
    virtual void take_record(MediaScan& scan, const LogRecord& record) = 0;
    /// There are no more.
    virtual void resolve(MediaScan& scan) = 0;
};

}  // namespace solidtlm::fw
