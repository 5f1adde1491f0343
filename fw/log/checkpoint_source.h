// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "fw/drive/virtual_block.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

/// Provides the contents of a checkpoint. Both functions add the core's cost to `charge`.
class CheckpointSource {
  public:
    virtual ~CheckpointSource() = default;
    /// Reads the map entries of the logical pages from `first` on.
    virtual Task<void> read_map(Lpn first, std::span<Ppa> found, Charge& charge) = 0;
    /// Reads the places of the virtual blocks from `first` on; kUnmapped if a block is not in use. Not called
    /// without deduplication.
    virtual void read_shared(VirtualBlock first, std::span<Ppa> found, Charge& charge) = 0;
};

}  // namespace solidtlm::fw
