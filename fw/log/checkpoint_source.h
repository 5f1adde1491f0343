// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "fw/drive/virtual_block.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

/// Where the recovery log finds what a checkpoint holds. What both cost the core is added to `charge`.
class CheckpointSource {
  public:
    virtual ~CheckpointSource() = default;
    /// The map entries of the logical pages from `first` on.
    virtual Task<void> read_map(Lpn first, std::span<Ppa> found, Charge& charge) = 0;
    /// The places of the virtual blocks from `first` on; kUnmapped where one is not in use. Not called where
    /// nothing is deduplicated.
    virtual void read_shared(VirtualBlock first, std::span<Ppa> found, Charge& charge) = 0;
};

}  // namespace solidtlm::fw
