// SPDX-License-Identifier: Apache-2.0
//
// Chooses the operation that gets the channel bus next: a small interface, one policy per file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "fw/hal/check.h"
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

class BusArbiter {
  public:
    virtual ~BusArbiter() = default;
    /// Index of the winner. REQUIRES: waiters not empty.
    std::size_t pick(std::span<const BusWaiter> waiters) {
        SOLIDTLM_CHECK(!waiters.empty(), "an operation waits for the bus");
        return choose(waiters);
    }

  private:
    virtual std::size_t choose(std::span<const BusWaiter> waiters) = 0;
};

/// A value of nand.controller.arbitration.
struct BusArbitration : hal::Named {
    std::unique_ptr<BusArbiter> (*make)();
};

/// The policies beside this file.
std::span<const BusArbitration* const> bus_arbitrations();

[[nodiscard]] inline std::unique_ptr<BusArbiter> make_bus_arbiter(std::string_view name) {
    return hal::named(bus_arbitrations(), name).make();
}

}  // namespace solidtlm::hw
