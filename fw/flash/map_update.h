// SPDX-License-Identifier: Apache-2.0
//
// Changes of the map from logical to physical pages, for any caller and any kind of map.
#pragma once

#include <span>

#include "fw/drive/layout.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

/// One change of the map.
struct MapUpdate {
    Lpn lpn;
    Ppa fresh;                 ///< new place, or kUnmapped
    Ppa expected = kAnyPpa;    ///< apply only if this is the present one
    Ppa previous = kUnmapped;  ///< out: the place before
    std::uint32_t tag = 0;     ///< the caller's own
    bool refused = false;      ///< out: not what was expected

    static constexpr Ppa kAnyPpa{0xFFFF'FFFE};
};

/// The code that requested updates. It is called for each update when it is applied: an update may wait for
/// flash, and others may change the map before the next one.
class MapListener {
  public:
    virtual ~MapListener() = default;
    /// Asked before an update is applied: is it still wanted?
    [[nodiscard]] virtual bool wanted(const MapUpdate& update) const = 0;
    /// `updates` were applied, in one step; `previous` is set in each. What that costs the core is added to
    /// `charge`.
    virtual void applied(std::span<const MapUpdate> updates, Charge& charge) = 0;
};

}  // namespace solidtlm::fw
