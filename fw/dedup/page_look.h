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
    /// The LPN that the spare area of the page read last names: of the one logical page that refers to it,
    /// unless it is shared.
    [[nodiscard]] Lpn lpn() const {
        Lpn lpn;
        reads_.read_names(0, {&lpn, 1});
        return lpn;
    }
    /// The page in the window is where it was when it was read, and in use.
    [[nodiscard]] bool holds(std::uint32_t window) const { return places_[window] != kUnmapped; }
    /// A page has left its place.
    void gone(Ppa place) {
        for (Ppa& held : places_) {
            held = held == place ? kUnmapped : held;
        }
    }
    /// Do both windows hold the same? Byte by byte, up to the first sector that differs.
    Task<bool> compare();
    /// A command has come.
    [[nodiscard]] bool wanted_elsewhere() const;

  private:
    DedupTools tools_;
    ReadBatch reads_;
    Join join_;
    std::array<DramAddress, 2> windows_;
    std::array<Ppa, 2> places_{kUnmapped, kUnmapped};
};

}  // namespace solidtlm::fw
