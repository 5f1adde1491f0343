// SPDX-License-Identifier: Apache-2.0
//
// The description of a used drive at rest: what each superblock of the data area holds, as its spare areas
// and the firmware's tables say it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/drive/layout.h"
#include "fw/flash/block_table.h"
#include "fw/flash/streams.h"

namespace solidtlm::fw {

/// A superblock in normal mode.
struct AgedSuperblock {
    Pu pu;
    Superblock superblock;
    BlockState state = BlockState::free;  ///< free, open or closed
    Stream stream = Stream::host;         ///< which wrote it
    std::uint32_t erases = 0;
    std::vector<std::uint64_t> sequences;  ///< of its programmed superpages, in order
    /// Of the units of these superpages, in order. kNoLpn: padding, or data that is out of date.
    std::vector<Lpn> names;
};

class AgedFlash {
  public:
    virtual ~AgedFlash() = default;
    /// The next superblock; false after the last one. Each comes once, closed ones in the order in which they
    /// were closed, free ones in the order in which they became free.
    virtual bool next(AgedSuperblock& superblock) = 0;
    /// The content of a unit, in the form of ContentMode. Not called in mode none.
    virtual void content(Lpn lpn, std::span<std::byte> unit) = 0;
};

}  // namespace solidtlm::fw
