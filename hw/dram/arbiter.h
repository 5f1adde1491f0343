// SPDX-License-Identifier: Apache-2.0
//
// Chooses the class of ports that the DRAM serves next if several wait. The core does not queue: it preempts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "fw/hal/check.h"
#include "fw/hal/named.h"

namespace solidtlm::hw {

/// Classes of DRAM ports that queue, in order of fixed priority.
enum class DramQueue : std::uint8_t { host, flash, hash };
constexpr std::size_t kDramQueues = 3;

class DramArbiter {
  public:
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    /// Arrival number of each class's oldest request, or kNone.
    using Heads = std::array<std::uint64_t, kDramQueues>;

    virtual ~DramArbiter() = default;
    /// `last`: the class that was served last, whether others waited then or not. REQUIRES: a class waits.
    [[nodiscard]] DramQueue pick(const Heads& heads, DramQueue last) const {
        SOLIDTLM_CHECK(heads != Heads({kNone, kNone, kNone}), "a class waits for the DRAM");
        return choose(heads, last);
    }

  private:
    [[nodiscard]] virtual DramQueue choose(const Heads& heads, DramQueue last) const = 0;
};

/// A value of dram.arbitration.
struct DramArbitration : hal::Named {
    std::unique_ptr<DramArbiter> (*make)();
};

/// The policies in hw/dram/arbitration.
std::span<const DramArbitration* const> dram_arbitrations();

[[nodiscard]] inline std::unique_ptr<DramArbiter> make_dram_arbiter(std::string_view name) {
    return hal::named(dram_arbitrations(), name).make();
}

}  // namespace solidtlm::hw
