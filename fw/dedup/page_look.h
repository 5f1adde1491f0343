// SPDX-License-Identifier: Apache-2.0
//
// Reads one or two physical pages in idle time, and compares them.
#pragma once

#include <array>

#include "fw/dedup/deduplicator.h"
#include "fw/flash/read_batch.h"
#include "fw/runtime/join.h"

namespace solidtlm::fw {

class PageLook {
  public:
    explicit PageLook(const DedupTools& tools);

    /// Reads the page at `place` into window 0 or 1; true if it could be read.
    Task<bool> read(std::uint32_t window, Ppa place, Charge& charge);
    [[nodiscard]] DramAddress window(std::uint32_t number) const { return windows_[number]; }
    /// The LPN in the spare area of the page read last: the only logical page that refers to it, unless the
    /// page is shared.
    [[nodiscard]] Lpn lpn() const {
        Lpn lpn;
        reads_.read_names(0, {&lpn, 1});
        return lpn;
    }
    /// True if the page that was read into the window is still in its place and in use.
    [[nodiscard]] bool holds(std::uint32_t window) const { return places_[window] != kUnmapped; }
    /// A page has left `place`.
    void gone(Ppa place) {
        for (Ppa& held : places_) {
            held = held == place ? kUnmapped : held;
        }
    }
    /// True if both windows hold the same data. Compares byte by byte, up to the first sector that differs.
    Task<bool> compare();
    /// True if a command has arrived: work in idle time stops.
    [[nodiscard]] bool wanted_elsewhere() const;

  private:
    DedupTools tools_;
    ReadBatch reads_;
    Join join_;
    std::array<DramAddress, 2> windows_;
    std::array<Ppa, 2> places_{kUnmapped, kUnmapped};
};

}  // namespace solidtlm::fw
