// SPDX-License-Identifier: Apache-2.0
//
// Chooses the operation that gets the channel bus next: a small interface, one policy per file.
#pragma once

#include <cstddef>
#include <span>

#include "fw/hal/named.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

struct FlashRequest;

/// A request that waits for the bus. Waiters are listed in the order of their requests.
struct BusWaiter {
    FlashRequest* request = nullptr;
    hal::Die die;
    bool read = false;  ///< of a read operation, in any phase
    bool data = false;  ///< data cycles; otherwise a few cycles that start an array or poll its status
};

/// A value of nand.controller.arbitration.
struct BusArbitration : hal::Named {
    /// Index of the winner. `last`: the die of the one before; 0xFFFF: there was none. REQUIRES: there
    /// are several.
    std::size_t (*pick)(std::span<const BusWaiter> waiters, hal::Die last);
};

/// The policies beside this file.
std::span<const BusArbitration* const> bus_arbitrations();

}  // namespace solidtlm::hw
