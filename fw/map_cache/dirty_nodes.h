// SPDX-License-Identifier: Apache-2.0
//
// Where dirty nodes begin: a bit for each logical page, so that those of a translation page are found without
// a look at its other entries. A real cache finds them through its hash table, whose chains are by
// translation page (docs/map-cache.md, "Budget"); the model needs this memory only where it was touched.
#pragma once

#include <bit>
#include <cstdint>

#include "fw/hal/zeroed_memory.h"
#include "fw/map_cache/cache_policy.h"

namespace solidtlm::fw {

class DirtyNodes {
  public:
    explicit DirtyNodes(std::uint64_t entries)
        : words_(entries / kWordBits + 1, "dirty nodes of the map cache, by logical page") {}

    /// A dirty node begins at `first`, or no longer does.
    void put(Lpn first, bool dirty) {
        const std::uint64_t bit = std::uint64_t{1} << (first.value % kWordBits);
        std::uint64_t& word = words_[first.value / kWordBits];
        word = dirty ? word | bit : word & ~bit;
    }
    /// Calls `visit` with the beginnings in `range`, in ascending order.
    template <class Visit>
    void visit(const MapRange& range, Visit visit) const {
        const std::uint64_t end = std::uint64_t{range.first.value} + range.count;
        for (std::uint64_t at = range.first.value; at < end;) {
            const std::uint64_t next = (at / kWordBits + 1) * kWordBits;
            std::uint64_t bits = words_[at / kWordBits] >> at % kWordBits;
            bits = end < next ? bits & ((std::uint64_t{1} << (end - at)) - 1) : bits;
            for (; bits != 0; bits &= bits - 1) {
                visit(
                    Lpn{static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(bits))});
            }
            at = next;
        }
    }

  private:
    static constexpr std::uint64_t kWordBits = 64;

    hal::ZeroedMemory<std::uint64_t> words_;
};

}  // namespace solidtlm::fw
