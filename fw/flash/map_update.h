// SPDX-License-Identifier: Apache-2.0
//
// Changes of the map from logical to physical pages, for all callers and all kinds of map.
#pragma once

#include <span>

#include "fw/drive/layout.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

/// One change of the map.
struct MapUpdate {
    Lpn lpn;
    Ppa fresh;                 ///< new place, or kUnmapped
    Ppa expected = kAnyPpa;    ///< the update is applied only if this is the present place
    Ppa previous = kUnmapped;  ///< out: the place before the update
    std::uint32_t tag = 0;     ///< free for the caller
    bool refused = false;      ///< out: the present place was not `expected`

    static constexpr Ppa kAnyPpa{0xFFFF'FFFE};
};

/// The code that requested updates. It is called for each update when it is applied, because an update may
/// wait for flash, and other code may change the map before the next one.
class MapListener {
  public:
    virtual ~MapListener() = default;
    /// Called before an update is applied: returns whether it is still wanted.
    [[nodiscard]] virtual bool wanted(const MapUpdate& update) const = 0;
    /// `updates` were applied in one step; `previous` is set in each. Adds the core's cost to `charge`.
    virtual void applied(std::span<const MapUpdate> updates, Charge& charge) = 0;
};

}  // namespace solidtlm::fw
