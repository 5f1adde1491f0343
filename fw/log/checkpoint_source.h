// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "fw/drive/layout.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

/// Provides the map for a checkpoint.
class CheckpointSource {
  public:
    virtual ~CheckpointSource() = default;
    /// Reads the map entries of the logical pages from `first` on. Adds the core's cost to `charge`.
    virtual Task<void> read_map(Lpn first, std::span<Ppa> found, Charge& charge) = 0;
};

}  // namespace solidtlm::fw
